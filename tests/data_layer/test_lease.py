"""Of all runs on all machines one at a time works at an address, and a dead one is in nobody's way."""

from __future__ import annotations

import subprocess
import sys
import time
from dataclasses import replace

import pytest

from stored import OUT, held, let_pass, put_foreign
from whybox.data import lease as lease_module
from whybox.data.lease import leased
from whybox.data.processes import Owner, started_at
from whybox.errors import RunError

KEY = "posts/some/out/lease.json"


def test_one_holds_it_and_then_the_next(store):
    for serial in (1, 2, 3):
        with leased(OUT) as lease:
            lease.check()
            assert held(store)["state"] == "held" and lease.serial == serial
            with pytest.raises(RunError, match="locked"), leased(OUT):
                pass
        assert (held(store)["state"], held(store)["serial"]) == ("released", serial)


def test_who_is_refused_is_told_what_holds_it_how_old_that_is_and_what_to_do(store, monkeypatch):
    put_foreign(store)
    let_pass(monkeypatch, 63)
    with pytest.raises(RunError) as caught, leased(OUT):
        pass
    told = str(caught.value)
    assert "locked: another run" in told and "process 1 on far.example, heard of 6" in told
    assert f"s3://{KEY}" in told and "wait for it to end" in told and "ends by itself in 2" in told


def test_one_that_was_not_renewed_is_taken_over(store, monkeypatch):
    put_foreign(store)
    let_pass(monkeypatch, 95)
    with leased(OUT) as lease:
        assert (lease.serial, held(store)["serial"]) == (5, 5)


def test_one_of_a_process_that_ended_here_is_taken_over_at_once(store):
    text = "import sys; print('up', flush=True); sys.stdin.read()"
    command = [sys.executable, "-c", text]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        here = Owner.this_process()
        other = replace(here, pid=process.pid, started=started_at(process.pid))
        put_foreign(store, other)
        with pytest.raises(RunError, match=f"process {process.pid} on"), leased(OUT):
            pass
        process.kill()
    with leased(OUT) as lease:
        assert lease.serial == 5
    # its number may belong to another process by now, or to one of another machine or container
    put_foreign(store, replace(other, pid=here.pid))
    with leased(OUT):
        pass
    for changed in ({"namespace": "pid:[1]"}, {"started": "17 another-boot"}, {"started": None}):
        put_foreign(store, replace(other, **changed))
        with pytest.raises(RunError, match="locked"), leased(OUT):
            pass


def test_it_is_renewed_while_the_run_lives_and_not_longer(store, monkeypatch):
    monkeypatch.setattr(lease_module, "LASTS", 0.2)
    with leased(OUT) as lease:
        end = time.monotonic() + 30
        while held(store)["writes"] < 4:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert lease.serial == 1
    last = held(store)
    time.sleep(0.2)
    assert held(store) == last and last["state"] == "released"


def test_who_lost_it_is_told_and_leaves_it_to_its_new_holder(store):
    with leased(OUT) as lease:
        put_foreign(store)
        for _ in range(2):
            with pytest.raises(RunError, match=r"another run took the lease over.*lease\.json"):
                lease.check()
    assert held(store)["owner"]["host"] == "far.example" and held(store)["state"] == "held"


@pytest.mark.parametrize("fault", ["cut", "short", "InternalError"])
def test_a_passing_fault_of_the_store_takes_it_from_nobody(store, proxy, fault):
    for _ in range(2):
        proxy.spoil(fault, 1, "PUT", "lease.json")
        with leased(OUT) as lease:
            assert proxy.left == 0
            proxy.spoil(fault, 1, "PUT", "lease.json")
            lease.check()
            assert proxy.left == 0 and held(store)["state"] == "held"
            proxy.spoil(fault, 1, "GET", "lease.json")
            lease.check()
        assert held(store)["state"] == "released"


def test_one_that_nobody_can_read_ends_by_itself(store, monkeypatch):
    store.pipe_file(KEY, b'{"state": "he')
    with pytest.raises(RunError, match=r"locked: .* somebody"), leased(OUT):
        pass
    let_pass(monkeypatch, 95)
    with leased(OUT) as lease:
        assert lease.serial == 1


@pytest.mark.parametrize("fault", ["NotImplemented", "overlooked"])
def test_a_store_that_knows_no_conditions_gives_none_that_excludes(store, proxy, fault):
    with leased(OUT) as lease:
        assert lease.is_exclusive and lease.mark is not None
    store.rm_file(KEY)
    proxy.spoil(fault, 1_000, "PUT", "lease.json")
    with leased(OUT) as lease:
        lease.check()
        assert not lease.is_exclusive and lease.mark is None
    assert held(store)["state"] == "released"
