"""A fit spread over workers is the fit in one thread, to the last bit."""

from __future__ import annotations

import contextlib
import time
from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from whybox.cbpt import AdaBoostPTClassifier, CBPTClassifier
from whybox.errors import InputError
from whybox.graph.resampling import fit_on_workers
from whybox.graph.session import connect
from whybox.model_io import save_model


@pytest.fixture(params=["sync", "cluster"])
def session(request):
    scheduler = "sync" if request.param == "sync" else request.getfixturevalue("cluster_address")
    with connect(scheduler) as opened:
        yield opened


def model_bytes(model, path):
    save_model(model, path)
    return path.read_bytes()


@pytest.mark.parametrize("kind", [CBPTClassifier, AdaBoostPTClassifier])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_the_model_file_has_the_same_bytes(session, kind, load, tmp_path):
    X, y = load(return_X_y=True)
    X, y = X[::2], y[::2]
    w = np.random.RandomState(0).randint(0, 3, len(y))
    alone = model_bytes(kind(8, random_state=0).fit(X, y, w), tmp_path / "alone")
    threads = model_bytes(kind(8, random_state=0, n_jobs=2).fit(X, y, w), tmp_path / "threads")
    spread = fit_on_workers(session, kind(8, random_state=0), X, y, w)
    assert alone == threads == model_bytes(spread, tmp_path / "spread")


def test_what_is_wrong_is_named_as_in_a_plain_fit(session):
    with pytest.raises(InputError, match="n_estimators"):
        fit_on_workers(session, CBPTClassifier(0), [[0.0], [1.0]], [0, 1])


def test_progress_counts_rounds(session):
    heard = []

    class Listener:
        def track(self, label, total):
            heard.append((label, total))
            return contextlib.nullcontext(heard.append)

        def say(self, message):
            pass

    X, y = load_wine(return_X_y=True)
    model = fit_on_workers(replace(session, progress=Listener()), CBPTClassifier(4), X, y)
    assert heard == [("boosting rounds", 4)] + [1] * len(model.history_)


def test_workers_keep_nothing_after_the_fit(cluster_address):
    X, y = load_wine(return_X_y=True)
    with connect(cluster_address) as session:
        fit_on_workers(session, CBPTClassifier(2, random_state=0), X, y)
        for _ in range(100):
            if not any(session.client.has_what().values()):
                break
            time.sleep(0.05)
        assert not any(session.client.has_what().values())
