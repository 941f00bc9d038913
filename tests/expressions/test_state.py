from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given

import expression_strategies as strategies
from whybox.errors import InputError
from whybox.expressions import DiscriminatoryExpressions

TEXTS, Y = ["not good", "so good", "not bad", "bad", "fine good"], ["-", "+", "-", "-", "+"]


def state(**params):
    model = DiscriminatoryExpressions(stop_words=["so"], **params).fit(TEXTS, Y)
    return model, *model.to_state()


def test_a_model_comes_back_whole():
    model, meta, arrays = state(max_gap=2, n_expressions=4)
    again = DiscriminatoryExpressions.from_state(json.loads(json.dumps(meta)), arrays)
    assert again.get_params() == model.get_params()
    assert (again.transform(TEXTS) != model.transform(TEXTS)).nnz == 0
    assert again.expressions_frame().equals(model.expressions_frame())
    assert again.coverage_ == model.coverage_
    assert again.to_patterns() == model.to_patterns()
    second_meta, second_arrays = again.to_state()
    assert second_meta == meta
    assert all(np.array_equal(second_arrays[name], arrays[name]) for name in arrays)


@given(strategies.corpora())
def test_any_fitted_model_comes_back(corpus):
    docs, positive = corpus
    model = DiscriminatoryExpressions(0.5, 0.1, analyzer="tokens", stop_words=None)
    try:
        model.fit(docs, positive)
    except InputError:
        return
    again = DiscriminatoryExpressions.from_state(*model.to_state())
    assert again.learned_.expressions == model.learned_.expressions


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("kind", "Forest", "it is a Forest"),
        ("expressions", [["not"]] * 9, "its expressions"),
        ("expressions", [[]] * 9, "its expressions"),
        ("forms", {}, "forms are not those of its words"),
        ("n_found", -1, "n_found"),
        ("parameters", {}, "its parameters are others"),
    ],
)
def test_meta_that_is_not_a_models_is_refused(name, value, message):
    _, meta, arrays = state()
    with pytest.raises(InputError, match=message):
        DiscriminatoryExpressions.from_state(meta | {name: value}, arrays)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("classes", lambda a: a[::-1], "not sorted"),
        ("classes", lambda a: a[:1], "no list of two"),
        ("target", lambda a: a + 5, "target is out of range"),
        ("target", lambda a: a.astype(float), "target has another shape"),
        ("matches", lambda a: a + 100, "more matches than documents"),
        ("matches", lambda a: a * 0, "in no document of its class"),
        ("class_count", lambda a: a * 0, "class_count is out of range"),
        ("coverage", lambda a: a + 1.5, "coverage is no share"),
        ("coverage", lambda a: a * np.nan, "coverage is no share"),
    ],
)
def test_arrays_that_contradict_each_other_are_refused(name, change, message):
    _, meta, arrays = state()
    with pytest.raises(InputError, match=message):
        DiscriminatoryExpressions.from_state(meta, arrays | {name: change(arrays[name])})


@pytest.mark.parametrize(
    "wrong", [{"max_words": 0}, {"analyzer": "x"}, {"language": "x"}, {"classes": "x"}]
)
def test_parameters_of_a_state_are_checked(wrong):
    _, meta, arrays = state()
    meta["parameters"] |= wrong
    with pytest.raises(InputError, match="not the state of a fitted model"):
        DiscriminatoryExpressions.from_state(meta, arrays)


@pytest.mark.parametrize("missing", ["classes", "matches", "targets"])
def test_a_missing_array_is_named(missing):
    _, meta, arrays = state()
    del arrays[missing]
    with pytest.raises(InputError, match=missing):
        DiscriminatoryExpressions.from_state(meta, arrays)


def test_code_cannot_be_stored():
    model = DiscriminatoryExpressions(analyzer=str.split).fit(TEXTS, Y)
    with pytest.raises(InputError, match="callable cannot be stored"):
        model.to_state()
