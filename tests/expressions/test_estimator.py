from __future__ import annotations

import json
import pickle
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, reject
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import check_estimator

import expression_strategies as strategies
import naive_expressions as naive
from whybox.errors import InputError
from whybox.expressions import (
    Corpus,
    CoverageWarning,
    DiscriminatoryExpressions,
    PrecisionWarning,
    encode,
)
from whybox.expressions.analysis import Analyzer

ORACLE = json.loads(
    (Path(__file__).parents[1] / "data/expressions/oracle.json").read_text(encoding="utf-8")
)
TEXTS = ["Not so good :(", "good day!", "NOT good", "so Good!!!!!", "not a good day", "fine, good"]
Y = ["-", "+", "-", "+", "-", "+"]


@pytest.mark.parametrize("case", ORACLE["cases"], ids=lambda case: str(case["params"]["p"]))
def test_the_oracle_chooses_the_same_columns(case):
    params = case["params"]
    model = DiscriminatoryExpressions(
        params["p"], params["r"], params["alpha"], params["k"], classes="positive",
        analyzer="tokens", stop_words=params["stop"], search=params.get("queue", "bfs"),
    )  # fmt: skip
    columns = model.fit_transform(ORACLE["docs"], ORACLE["y"])
    assert model.n_found_ == len(case["D"])
    assert [list(words) for words in model.expressions_] == case["selected"]
    assert np.asarray(columns.sum(axis=0)).ravel().tolist() == case["column_sums"]
    assert (columns != model.transform(ORACLE["docs"])).nnz == 0


@given(strategies.corpora(), strategies.settings, st.sampled_from([1, 3, None]))
def test_columns_and_figures_are_those_of_the_slow_twin(corpus, options, k):
    docs, positive = corpus
    expected = naive.Search(docs, positive, **options)
    model = DiscriminatoryExpressions(
        options["p"], options["r"], options["alpha"], k, classes="positive", analyzer="tokens",
        stop_words=options["stop"], search=options["search"], max_gap=options["max_gap"],
        seed_documents=options["seeds"], allow_repeats=options["repeats"],
    )  # fmt: skip
    if not expected.found:
        with pytest.raises(InputError, match=r"min_recall|stop words"):
            model.fit(docs, positive)
        return
    columns = model.fit(docs, positive).transform(docs)
    assert model.expressions_ == naive.ranking(expected.found, sum(positive), len(docs))[:k]
    assert model.n_uncovered_ == expected.n_uncovered
    frame = model.expressions_frame()
    for row, words in zip(frame.itertuples(), model.expressions_, strict=True):
        assert (row.tp, row.fp) == expected.found[words]
    where = [[naive.occurs(e, doc, options["max_gap"]) for e in model.expressions_] for doc in docs]
    assert columns.toarray().tolist() == where
    assert columns.dtype == bool


@given(strategies.corpora(), st.integers(1, 8), st.randoms(use_true_random=False))
def test_neither_parts_nor_the_order_of_documents_change_the_model(corpus, cut, random):
    docs, positive = corpus
    model = DiscriminatoryExpressions(0.5, 0.1, analyzer="tokens", stop_words=None)
    try:
        whole = clone(model).fit(docs, positive)
    except InputError:
        reject()
    parts = [encode(docs[i : i + cut], Analyzer("tokens")) for i in range(0, len(docs), cut)]
    merged = clone(model).fit(Corpus.merge(parts), positive)
    order = list(range(len(docs)))
    random.shuffle(order)
    shuffled = clone(model).fit([docs[i] for i in order], [positive[i] for i in order])
    pd.testing.assert_frame_equal(whole.expressions_frame(), merged.expressions_frame())
    pd.testing.assert_frame_equal(whole.expressions_frame(), shuffled.expressions_frame())


def test_every_class_has_expressions_of_its_own():
    model = DiscriminatoryExpressions(stop_words=None, n_expressions=None).fit(TEXTS, Y)
    frame = model.expressions_frame()
    assert frame[frame["class"] == "-"].words.tolist()[0] == ("not",)
    assert set(frame["class"]) == {"-", "+"}
    assert model.coverage_["-"] == 1.0


def test_three_classes_are_each_told_from_the_rest():
    texts, y = (
        ["red hot", "red warm", "blue cold", "blue", "green leaf", "green"],
        [0, 0, 1, 1, 2, 2],
    )
    model = DiscriminatoryExpressions(min_precision=1.0, min_recall=1.0).fit(texts, y)
    assert set(zip(model.get_feature_names_out(), model.expressions_frame()["class"], strict=True)) == {
        ("red", 0), ("blue", 1), ("green", 2),
    }  # fmt: skip


def test_the_positive_class_can_be_named():
    second = DiscriminatoryExpressions(classes="positive", stop_words=None).fit(TEXTS, Y)
    named = DiscriminatoryExpressions(classes="positive", pos_label="+", stop_words=None)
    assert set(second.expressions_frame()["class"]) == {"-"}
    assert set(named.fit(TEXTS, Y).expressions_frame()["class"]) == {"+"}


def test_lists_series_arrays_and_an_encoded_corpus_give_the_same_columns():
    model = DiscriminatoryExpressions(stop_words=None)
    expected = model.fit_transform(TEXTS, Y).toarray()
    for texts in (pd.Series(TEXTS, index=range(10, 16)), np.array(TEXTS), encode(TEXTS)):
        assert (model.fit(texts, pd.Series(Y)).transform(texts).toarray() == expected).all()
    part = encode(TEXTS).take([3, 1])
    assert (model.transform(part).toarray() == expected[[3, 1]]).all()


def test_stop_words_are_stemmed_as_the_texts_are():
    texts, y = ["because running", "because", "sleep", "sleep"], [1, 1, 0, 0]
    model = DiscriminatoryExpressions(classes="positive", stop_words=["Because", "Sleep"])
    assert model.fit(texts, y).expressions_ == [("run",)]


def test_spanish_has_stems_and_stop_words_of_its_own():
    texts = ["el vuelo fue cancelado", "los vuelos cancelados", "el mejor servicio", "la mejor"]
    model = DiscriminatoryExpressions(language="spanish").fit(texts, [0, 0, 1, 1])
    assert ("mejor",) in model.expressions_
    assert ("vuel",) in model.expressions_
    assert not {("el",), ("los",), ("la",), ("fue",)} & set(model.expressions_)


@pytest.mark.parametrize("language", ["french", "arabic", "finnish", "russian"])
def test_any_snowball_language_is_taken(language):
    model = DiscriminatoryExpressions(language=language).fit(["un deux", "trois"], [0, 1])
    assert model.transform(["un deux"]).nnz == 1


@pytest.mark.parametrize(
    "classifier",
    [
        DecisionTreeClassifier(random_state=0), LogisticRegression(), KNeighborsClassifier(2),
        RandomForestClassifier(5, random_state=0),
    ],
    ids=lambda c: type(c).__name__,
)  # fmt: skip
def test_a_pipeline_learns_from_texts(classifier):
    pipeline = make_pipeline(DiscriminatoryExpressions(stop_words=None), classifier)
    assert pipeline.fit(TEXTS * 3, Y * 3).score(TEXTS, Y) == 1.0
    assert (
        pipeline[:-1].get_feature_names_out().tolist()
        == pipeline[0].get_feature_names_out().tolist()
    )


def test_a_grid_search_finds_thresholds_and_survives_those_that_find_nothing():
    pipeline = make_pipeline(
        DiscriminatoryExpressions(stop_words=None), DecisionTreeClassifier(random_state=0)
    )
    name = "discriminatoryexpressions__"
    grid = {
        name + "min_recall": [0.1, 1.0],
        name + "min_precision": [0.6, 1.0],
        name + "max_gap": [None, 0],
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search = GridSearchCV(pipeline, grid, cv=3, error_score=0.0).fit(TEXTS * 3, Y * 3)
    assert search.best_score_ == 1.0


def test_scikit_learn_finds_nothing_to_object_to():
    for estimator in (DiscriminatoryExpressions(), DiscriminatoryExpressions(max_words=2)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = check_estimator(estimator, on_fail=None)
        assert [r["check_name"] for r in results if r["status"] == "failed"] == []
    assert clone(DiscriminatoryExpressions(max_gap=2)).get_params()["max_gap"] == 2


def test_a_model_survives_pickling():
    model = DiscriminatoryExpressions(stop_words=None).fit(TEXTS, Y)
    again = pickle.loads(pickle.dumps(model))
    assert (again.transform(TEXTS) != model.transform(TEXTS)).nnz == 0


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["", "", ""], "no document of the classes searched has a word"),
        (["the", "and of", "it"], "no document of the classes searched has a word"),
        (["red", "red", "red"], r"min_recall=1, none .* reaches min_precision=1: .* has 0\.667"),
        ("one text", "got one str"),
        ([None, "a", "b"], "got a NoneType, expected a text"),
        ([1.5, "a", "b"], "got a float"),
    ],
)
def test_what_yields_nothing_says_why(texts, message):
    model = DiscriminatoryExpressions(
        min_precision=1.0, min_recall=1.0, classes="positive", max_words=1
    )
    with pytest.raises(InputError, match=message):
        model.fit(texts, [1, 0, 1])


def test_a_recall_that_no_word_reaches_is_named():
    model = DiscriminatoryExpressions(min_recall=0.9, classes="positive")
    with pytest.raises(
        InputError, match=r"lower min_recall; the commonest word has a recall of 0\.5"
    ):
        model.fit(["red", "blue", "green"], [1, 1, 0])


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1, 1, 1], "got 1 class"), ([1, 0], "got 2 labels for 3 documents"),
        ([0.5, 1.5, 2.7], "labels cannot be used"), (None, "requires y to be passed"),
        ([[1], [0], [1]], None),
    ],
)  # fmt: skip
def test_labels_are_checked(y, message):
    model = DiscriminatoryExpressions()
    texts = ["red", "blue", "red green"]
    if message is None:
        with pytest.warns(match="column-vector"):
            assert model.fit(texts, y).expressions_
        return
    with pytest.raises(InputError, match=message):
        model.fit(texts, y)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_expressions": 0}, {"n_expressions": 2.5}, {"classes": "some"}, {"selection": "best"},
        {"analyzer": "words"}, {"language": "klingon"}, {"stop_words": "french"}, {"max_words": 0},
        {"pos_label": "none", "classes": "positive"},
    ],
)  # fmt: skip
def test_parameters_out_of_range_are_named(wrong):
    with pytest.raises(InputError, match=next(iter(wrong))):
        DiscriminatoryExpressions(**wrong).fit(TEXTS, Y)


def test_texts_of_hashtags_emoji_and_right_to_left_scripts_have_expressions():
    texts = ["#win 😀😀", "#win 👍🏽", "#fail 😢", "😢 #fail"]
    model = DiscriminatoryExpressions().fit(texts, [1, 1, 0, 0])
    assert {("#win",), ("#fail",)} <= set(model.expressions_)
    model = DiscriminatoryExpressions().fit(
        ["خدمة رائعة", "شكرا رائعة", "خدمة سيئة", "سيئة"], [1, 1, 0, 0]
    )
    assert ("رائعة",) in model.expressions_


def test_ten_thousand_equal_documents_are_one_question():
    texts, y = ["late again"] * 10_000 + ["on time"], [0] * 10_000 + [1]
    frame = (
        DiscriminatoryExpressions(min_recall=0.5, stop_words=None).fit(texts, y).expressions_frame()
    )
    assert frame.set_index("words").loc[[("late",)], "tp"].tolist() == [10_000]


def test_columns_that_leave_a_class_uncovered_are_warned_of():
    texts = [f"w{i}" for i in range(10)] + ["z"]
    with pytest.warns(CoverageWarning, match="10% of the documents of class 1"):
        DiscriminatoryExpressions(n_expressions=1, classes="positive").fit(texts, [1] * 10 + [0])


def test_no_documents_have_no_rows():
    model = DiscriminatoryExpressions(stop_words=None).fit(TEXTS, Y)
    assert model.transform([]).shape == (0, len(model.expressions_))
    assert model.transform(["", "  "]).nnz == 0


def test_balanced_columns_are_the_best_of_each_class_in_turn():
    texts = [[word] for word in "xxxxyyyyqqqrrrsssddeeffgghh"]
    y = ["a"] * 8 + ["b"] * 9 + ["c"] * 10
    params = {"analyzer": "tokens", "max_words": 1, "stop_words": None}
    every = DiscriminatoryExpressions(n_expressions=None, **params).fit(texts, y)
    ranked = [(e.words, e.target) for e in every.learned_.expressions]
    for n in (1, 2, 3, 4, None):
        model = DiscriminatoryExpressions(n_expressions=n, selection="balanced", **params)
        found = [(e.words, e.target) for e in model.fit(texts, y).learned_.expressions]
        assert found == [each for each in ranked if each in found]
        for target in range(3):
            own = [each for each in ranked if each[1] == target]
            kept = [each for each in found if each[1] == target]
            assert kept == own[: len(kept)]
        if n == 3:
            assert [target for _, target in ranked[:3]] == [0, 0, 1]
            assert [target for _, target in found] == [0, 1, 2]
        if n is None:
            assert found == ranked


def test_cover_prefers_what_is_new_to_what_scores_high():
    texts = ["a b"] * 3 + ["c"] * 2 + ["d"] * 4
    y = [1] * 5 + [0] * 4
    params = {"classes": "positive", "stop_words": None, "n_expressions": 2, "min_recall": 0.1}
    ranked = DiscriminatoryExpressions(**params).fit(texts, y)
    covering = DiscriminatoryExpressions(selection="cover", **params).fit(texts, y)
    assert covering.coverage_[1] == 1.0 >= ranked.coverage_[1]
    assert covering.expressions_ == [("a",), ("c",)]


def test_a_class_so_large_that_any_word_passes_is_warned_of():
    with pytest.warns(PrecisionWarning, match="class 1 has 75% of the documents") as caught:
        DiscriminatoryExpressions().fit(["red", "blue", "green", "red"], [1, 1, 1, 0])
    assert [w.filename for w in caught if w.category is PrecisionWarning] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error", PrecisionWarning)
        DiscriminatoryExpressions(0.8).fit(["red", "blue", "green", "red"], [1, 1, 1, 0])
