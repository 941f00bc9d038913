"""Sessions compute the same anywhere, tell errors as they were raised, and refuse what is unsafe."""

from __future__ import annotations

import contextlib
import operator

import pytest
from dask.delayed import delayed

from whybox.errors import InputError, RunError
from whybox.graph.session import connect


def _refuse(reason: str) -> None:
    raise InputError(reason, where="line 3", remedy="mend it")


@pytest.fixture(params=["sync", "cluster"])
def session(request):
    scheduler = "sync" if request.param == "sync" else request.getfixturevalue("cluster_address")
    with connect(scheduler) as opened:
        yield opened


def test_results_come_in_the_order_of_the_tasks(session):
    tasks = [delayed(operator.neg)(n) for n in range(20)]
    assert session.compute(tasks, "negatives") == [-n for n in range(20)]


def test_a_shared_value_reaches_every_task(session):
    shared = session.share({"a": [1, 2, 3]})
    tasks = [delayed(operator.getitem)(shared, "a") for _ in range(3)]
    assert session.compute(tasks, "items") == [[1, 2, 3]] * 3


def test_an_error_that_explains_itself_arrives_whole(session):
    with pytest.raises(InputError) as caught:
        session.compute([delayed(_refuse)("bad line")], "reading")
    assert (caught.value.what, caught.value.where, caught.value.remedy) == (
        "bad line",
        "line 3",
        "mend it",
    )


def test_progress_hears_of_every_task(cluster_address):
    class Listener:
        heard = 0

        def track(self, label, total):
            @contextlib.contextmanager
            def step():
                def advance(n):
                    self.heard += n

                yield advance

            return step()

        def say(self, message):
            pass

    listener = Listener()
    with connect(cluster_address, progress=listener) as session:
        session.compute([delayed(abs)(n) for n in range(5)], "values")
    assert listener.heard == 5


def test_any_other_error_on_a_worker_says_what_was_being_done(cluster_address):
    with connect(cluster_address) as session, pytest.raises(RunError, match="dividing failed"):
        session.compute([delayed(operator.truediv)(1, 0)], "dividing")


@pytest.mark.parametrize(
    "address", ["nowhere", "tcp://127.0.0.1", "tcp://127.0.0.1:x", "ftp://a:1"]
)
def test_what_is_no_scheduler_is_refused(address):
    with pytest.raises(InputError, match="is no scheduler"), connect(address):
        pass


def test_a_plain_connection_to_another_machine_is_refused():
    with pytest.raises(InputError, match="not encrypted"), connect("tcp://192.0.2.1:8786"):
        pass
