"""Expressions and a classifier as one model: its answers, its file, what it is exported to."""

from __future__ import annotations

import csv
import json
import re

import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from whybox.errors import InputError
from whybox.expressions import DiscriminatoryExpressions, ExpressionsClassifier, encode
from whybox.expressions.analysis import Analyzer
from whybox.expressions.exports import expressions_json, expressions_regex, expressions_rules
from whybox.expressions.heads import HEADS
from whybox.expressions.patterns import token_lines
from whybox.expressions.sentences import if_then_rules
from whybox.model_io import load_model, save_model

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


@pytest.fixture(scope="module")
def posts():
    """Texts of three moods, with words in several forms, repeated ones, and signs."""
    rng = np.random.default_rng(7)
    moods = {
        "glad": ["loving this", "so happy", "great day"],
        "sad": ["not happy", "hated it", "miss you"],
        "flat": ["on the bus", "at work", "reading a book"],
    }
    rest = ["the", "a", "Today", "phone", "!", "...", "#fun", "@you", "really", "it's", "😀", "not"]
    texts, labels = [], []
    for k in range(360):
        label = sorted(moods)[k % 3]
        other = sorted(moods)[rng.integers(3)]
        chosen = moods[label if rng.random() < 0.85 else other]
        words = [*rng.choice(rest, 4), rng.choice(chosen), *rng.choice(rest, 2)]
        texts.append(" ".join(words))
        labels.append(label)
    return texts, np.array(labels)


def fitted(posts, classifier, **given):
    expressions = DiscriminatoryExpressions(min_precision=0.5, n_expressions=12, **given)
    return ExpressionsClassifier(expressions, classifier, n_estimators=10).fit(*posts)


def test_a_tree_answers_as_the_steps_one_after_the_other(posts):
    texts, y = posts
    model = fitted(posts, "tree")
    X = model.transformer_.transform(texts).toarray().astype(float)
    peer = DecisionTreeClassifier(random_state=0).fit(X, y)
    # of equal splits each order of rows takes its own, so that answers differ on none of the known
    np.testing.assert_allclose(model.predict_proba(texts), peer.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize("classifier", HEADS)
def test_answers_depend_neither_on_order_nor_on_how_texts_are_given(posts, classifier):
    texts, y = posts
    model = fitted(posts, classifier)
    order = np.random.default_rng(0).permutation(len(y))
    again = fitted(([texts[k] for k in order], y[order]), classifier)
    asked = [*texts[:50], "", "nothing known"]
    expected = model.predict_proba(asked)
    np.testing.assert_array_equal(again.predict_proba(asked), expected)
    np.testing.assert_array_equal(model.predict_proba(encode(asked)), expected)
    np.testing.assert_array_equal(model.predict(asked), model.classes_[expected.argmax(axis=1)])
    assert model.score(texts, y) > 0.6


@pytest.mark.parametrize("classifier", HEADS)
def test_a_file_gives_the_same_model(posts, classifier, tmp_path):
    texts, _ = posts
    model = fitted(posts, classifier, max_gap=2)
    save_model(model, tmp_path / "m.whybox")
    save_model(fitted(posts, classifier, max_gap=2), tmp_path / "again.whybox")
    loaded = load_model(tmp_path / "m.whybox")
    np.testing.assert_array_equal(loaded.predict_proba(texts), model.predict_proba(texts))
    assert str(loaded.get_params()) == str(model.get_params())
    assert (tmp_path / "m.whybox").read_bytes() == (tmp_path / "again.whybox").read_bytes()


def test_a_state_of_something_else_is_refused(posts):
    meta, arrays = fitted(posts, "tree").to_state()
    for broken in (
        ({**meta, "kind": "Forest"}, arrays),
        ({**meta, "parameters": {}}, arrays),
        (meta, {name: array for name, array in arrays.items() if "head" not in name}),
        ({"kind": meta["kind"]}, arrays),
    ):
        with pytest.raises(InputError, match="not the state of a fitted model"):
            ExpressionsClassifier.from_state(*broken)


def test_it_can_be_searched_over_the_thresholds_of_its_expressions(posts):
    texts, y = posts
    grid = {"expressions__max_words": [1, 3], "classifier": ["tree", "logistic"]}
    model = ExpressionsClassifier(DiscriminatoryExpressions(min_precision=0.5))
    found = GridSearchCV(model, grid, cv=2).fit(texts, y)
    assert set(found.best_params_) == set(grid)


@pytest.mark.parametrize("name", ["n_neighbors", "n_estimators"])
def test_parameters_out_of_range_are_refused(name):
    with pytest.raises(InputError, match=f"{name}=0"):
        ExpressionsClassifier(**{name: 0}).fit(["good", "bad"], [1, 0])


def test_only_trees_have_estimators(posts):
    assert len(fitted(posts, "forest").estimators_) == 10
    assert not hasattr(fitted(posts, "knn"), "estimators_")


@pytest.mark.parametrize("max_gap", [None, 0, 1])
def test_exported_patterns_find_what_transform_finds(posts, max_gap):
    texts, _ = posts
    model = fitted(posts, "tree", max_gap=max_gap)
    rows = list(csv.DictReader(expressions_regex(model).splitlines(), delimiter="\t"))
    lines = [token_lines(forms) for forms in Analyzer().forms(texts)]
    found = [[bool(re.search(row["pattern"], line)) for row in rows] for line in lines]
    np.testing.assert_array_equal(found, model.transformer_.transform(texts).toarray())
    assert [row["class"] for row in rows] == [
        model.classes_[each.target] for each in model.transformer_.learned_.expressions
    ]


def answer(written, present):
    """Classify a row with nothing but the exported object."""
    head = written["classifier"]
    if head["kind"] == "logistic":
        sums = [
            start + sum(w for w, has in zip(weights, present, strict=True) if has)
            for weights, start in zip(head["weights"], head["intercepts"], strict=True)
        ]
        return np.exp(sums) / np.exp(sums).sum()
    if head["kind"] == "knn":
        pairs = sorted(
            (sum(a != b for a, b in zip(row, present, strict=True)), count)
            for row, count in zip(head["rows"], head["counts"], strict=True)
        )
        wanted, total = head["n_neighbors"], np.zeros(len(written["classes"]))
        for distance in sorted({pair[0] for pair in pairs}):
            level = np.sum([count for apart, count in pairs if apart == distance], axis=0)
            part = min(wanted, level.sum())
            total += level * part / level.sum()
            wanted -= part
        return total / head["n_neighbors"]
    found, root = [], 0
    for size in head["sizes"]:
        node = 0
        while head["left"][root + node] >= 0:
            side = "right" if present[head["feature"][root + node]] else "left"
            node = head[side][root + node]
        found.append(head["value"][root + node])
        root += size
    return np.mean(found, axis=0)


@pytest.mark.parametrize("classifier", HEADS)
def test_exported_json_is_all_that_is_needed(posts, classifier):
    texts, _ = posts
    model = fitted(posts, classifier)
    written = json.loads(expressions_json(model))
    for text, expected in zip(texts[:60], model.predict_proba(texts[:60]), strict=True):
        line = token_lines(Analyzer().forms([text])[0])
        present = [bool(re.search(column["pattern"], line)) for column in written["columns"]]
        np.testing.assert_allclose(answer(written, present), expected, atol=1e-12)


def test_exported_rules_are_sentences_or_weights(posts):
    tree = expressions_rules(fitted(posts, "tree")).splitlines()
    assert all(re.match(r"(IF the text .+ THEN|ALWAYS) (glad|sad|flat) \(", line) for line in tree)
    weights = expressions_rules(fitted(posts, "logistic"))
    assert "flat: start at" in weights and 'IF the text has "' in weights
    with pytest.raises(InputError, match="no rules"):
        expressions_rules(fitted(posts, "forest"))


def test_merged_rules_cover_all_texts_once_and_answer_as_the_tree(posts):
    texts, _ = posts
    model = fitted(posts, "tree")
    (tree,) = model.estimators_
    names = [str(column) for column in range(12)]
    rules = if_then_rules(tree, model.transformer_, names=names, merge=True)
    assert len(rules) < tree.n_leaves
    assert sum(rule.support for rule in rules) == len(texts)
    table = model.transformer_.transform(texts).toarray()
    for row, expected in zip(table, model.predict(texts), strict=True):
        holds = [
            rule.prediction
            for rule in rules
            if all(row[int(k)] for k in rule.has) and not any(row[int(k)] for k in rule.lacks)
        ]
        assert holds == [expected]
