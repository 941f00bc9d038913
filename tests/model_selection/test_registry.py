"""Models by name."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.datasets import load_iris
from threadpoolctl import threadpool_limits

from whybox.errors import InputError
from whybox.model_selection import known_models, make_model

FAST = {
    "adaboost": {"n_estimators": 5},
    "adaboost-pt": {"n_estimators": 3},
    "cbpt": {"n_estimators": 3},
    "ebm": {"outer_bags": 1, "max_rounds": 60, "interactions": 0},
    "forest": {"n_estimators": 5},
    "hist-gradient-boosting": {"max_iter": 5},
    "logitboost": {"n_estimators": 5},
    "real-adaboost": {"n_estimators": 5},
    "kigb": {"n_estimators": 5},
    "lightgbm": {"n_estimators": 5},
    "xgboost": {"n_estimators": 5},
}
MODULES = {"lightgbm": "lightgbm", "kigb": "lightgbm", "xgboost": "xgboost", "ebm": "interpret", "cbpt": "whybox.cbpt",
           "adaboost-pt": "whybox.cbpt"}  # fmt: skip


@pytest.mark.parametrize("name", known_models())
def test_every_model_learns_names_twice_the_same_and_can_be_cloned(name):
    pytest.importorskip(MODULES.get(name, "sklearn"))
    X, codes = load_iris(return_X_y=True)
    X, y = X[20:], np.array(["setosa", "versicolor", "virginica"])[codes[20:]]
    model = make_model(name, 7, **FAST.get(name, {}))
    assert is_classifier(model)
    with threadpool_limits(1):
        one = model.fit(X, y).predict_proba(X)
    other = clone(make_model(name, 7, **FAST.get(name, {}))).fit(X, y).predict_proba(X)
    assert one.tobytes() == other.tobytes()
    assert model.classes_.tolist() == ["setosa", "versicolor", "virginica"]
    assert np.mean(model.predict(X) == y) > (0.3 if name == "majority" else 0.9)


def test_parameters_win_over_the_defaults_here():
    assert make_model("forest", 0).n_estimators == 500
    assert make_model("forest", 0, n_estimators=3).n_estimators == 3


@pytest.mark.parametrize("name", ["forest", "lightgbm", "ebm"])
def test_peers_run_on_one_thread(name):
    pytest.importorskip(MODULES.get(name, "sklearn"))
    assert make_model(name, 0).n_jobs == 1


def test_an_unknown_name_lists_the_known():
    with pytest.raises(InputError) as caught:
        make_model("cpbt", 0)
    for name in known_models():
        assert name in str(caught.value)


def test_an_unknown_parameter_is_named():
    with pytest.raises(InputError, match="leafs"):
        make_model("tree", 0, leafs=3)


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "ebm"])
def test_a_library_that_is_not_there_is_an_input_error_with_the_remedy(name, monkeypatch):
    missing = MODULES[name]
    for module in [m for m in sys.modules if m.split(".")[0] == missing]:
        monkeypatch.delitem(sys.modules, module)

    class Blocker:
        def find_spec(self, fullname, path=None, target=None):
            if fullname.split(".")[0] == missing:
                raise ModuleNotFoundError(f"No module named {missing!r}")
            return None

    monkeypatch.setattr(sys, "meta_path", [Blocker(), *sys.meta_path])
    with pytest.raises(InputError, match=r'pip install "whybox\[bench\]"'):
        make_model(name, 0)


def test_listing_the_models_imports_none_of_them():
    code = (
        "import sys, whybox.model_selection.registry as r, whybox.model_io; r.known_models()\n"
        "print([m for m in ('sklearn', 'lightgbm', 'xgboost', 'interpret', 'numba', 'scipy')"
        " if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"
