"""The model card goes to JSON and says what must be said."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

from whybox.errors import InputError
from whybox.explain import model_card, software_versions


def test_a_card_is_plain_json_and_comes_back_the_same(model):
    card = model_card(
        model,
        data={"rows": np.int64(160), "shares": np.array([0.6, 0.4])},
        recipe={"spelling": "none"},
        figures={"accuracy": {"mean": np.float64(0.8), "sd": 0.01}},
        threshold={"value": 0.4, "rule": "youden", "reason": "most sensitivity + specificity"},
        hashes={"features": "ab" * 32},
        contact="somebody@example.org",
    )
    assert json.loads(json.dumps(card)) == card
    assert card["data"] == {"rows": 160, "shares": [0.6, 0.4]}
    assert card["model"]["kind"] == "CBPTClassifier"
    assert card["model"]["trees"] == len(model.estimators_)
    assert card["model"]["parameters"]["n_estimators"] == 8
    assert card["model"]["classes"] == [False, True]
    assert card["features"] == ["column 0", "column 1", "column 2", "column 3"]
    assert card["contact"] == "somebody@example.org"


def test_a_card_warns_of_what_the_model_must_not_do(model):
    card = model_card(model, data={}, recipe={})
    words = " ".join([*card["responsible_use"], *card["out_of_scope"]])
    for topic in ("sensitive", "not a diagnosis", "consent", "terms of the platform", "decision"):
        assert topic in words
    assert card["figures"] == "none: the model was not cross-validated"
    assert card["threshold"] == {"value": 0.5, "rule": "0.5"}


def test_parameters_without_a_json_form_are_named_by_type():
    model = SimpleNamespace(get_params=lambda deep: {"callback": print, "window": (0.1, 0.9)})
    parameters = model_card(model, data={}, recipe={})["model"]["parameters"]
    assert parameters == {"callback": "<builtin_function_or_method>", "window": [0.1, 0.9]}


@pytest.mark.parametrize("value", [float("nan"), object(), {1, 2}])
def test_what_is_no_json_is_refused(model, value):
    with pytest.raises(InputError, match="not JSON"):
        model_card(model, data={"value": value}, recipe={})


def test_software_names_python_and_the_package():
    assert {"python", "whybox", "numpy"} <= set(software_versions())
