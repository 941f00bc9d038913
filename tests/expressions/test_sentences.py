from __future__ import annotations

import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from whybox.errors import InputError
from whybox.expressions import DiscriminatoryExpressions, if_then_rules

SECRET = "mnemosyne"
TEXTS = [
    f"Was NOT {SECRET} good", "not good at all", "good day", "very good day", "bad bad day",
    "Good night", f"the {SECRET}",
]  # fmt: skip
Y = ["-", "-", "+", "+", "-", "+", "+"]


@pytest.fixture(scope="module")
def fitted():
    model = DiscriminatoryExpressions(
        stop_words=["the", "at", "all", "was", SECRET], n_expressions=4
    )
    columns = model.fit_transform(TEXTS, Y)
    return DecisionTreeClassifier(random_state=0).fit(columns, Y), model


def test_rules_partition_the_documents_and_say_how_good_they_are(fitted):
    tree, model = fitted
    rules = if_then_rules(tree, model)
    assert len(rules) == tree.get_n_leaves()
    assert sum(rule.support for rule in rules) == len(TEXTS)
    assert [rule.support for rule in rules] == sorted((r.support for r in rules), reverse=True)
    names = [" … ".join(words) for words in model.expressions_]
    columns = model.transform(TEXTS).toarray()
    predicted = tree.predict(columns)
    for rule in rules:
        has = columns[:, [names.index(name) for name in rule.has]].all(axis=1)
        lacks = ~columns[:, [names.index(name) for name in rule.lacks]].any(axis=1)
        covered = has & lacks
        assert covered.sum() == rule.support
        assert set(predicted[covered]) == {rule.prediction}
        assert np.mean(np.array(Y)[covered] == rule.prediction) == pytest.approx(rule.precision)
        assert rule.example is None


def test_examples_show_the_matched_words_and_nothing_else_unless_asked(fitted):
    tree, model = fitted
    shown = "\n".join(map(str, if_then_rules(tree, model, TEXTS)))
    assert 'IF the text has "not"' in shown
    assert "not" in shown
    assert SECRET not in shown
    assert "very" not in shown
    whole = if_then_rules(tree, model, TEXTS, show_text=True)
    assert {rule.example for rule in whole} <= set(TEXTS)
    assert all(rule.example for rule in whole)


def test_an_example_is_the_shortest_text_of_its_rule_in_any_order(fitted):
    tree, model = fitted
    there = if_then_rules(tree, model, TEXTS, show_text=True)
    back = if_then_rules(tree, model, TEXTS[::-1], show_text=True)
    assert there == back


def test_a_tree_of_other_columns_is_refused(fitted):
    _, model = fitted
    other = DecisionTreeClassifier().fit(np.eye(2), [0, 1])
    with pytest.raises(InputError, match=r"the tree has 2 columns, the expressions are \d"):
        if_then_rules(other, model)


def test_the_table_shows_an_example_masked_unless_asked(fitted):
    _, model = fitted
    masked = model.expressions_frame(TEXTS)
    assert not masked.example.str.contains(SECRET).any()
    whole = model.expressions_frame(TEXTS, show_text=True)
    for row in whole.itertuples():
        (span, *_) = [s for s in model.spans(row.example) if s.words == row.words]
        assert (row.example_start, row.example_stop) == (
            span.characters[0][0], span.characters[-1][1],
        )  # fmt: skip
    assert model.expressions_frame(["nothing here"]).example.isna().all()
