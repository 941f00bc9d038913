"""Rules say what the model does: in words, as JSON, in a database."""

from __future__ import annotations

import json
import sqlite3

import numpy as np
import pandas as pd
import pytest

from whybox.s3d import S3DClassifier, S3DRegressor, rules_in_words, rules_json, rules_sql


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(9)
    frame = pd.DataFrame(
        {
            'answers "so far"': rng.integers(0, 9000, 2000).astype(float),
            "lines": np.where(rng.uniform(size=2000) < 0.2, np.nan, rng.integers(0, 30, 2000)),
            "it's": rng.choice(["a'b", "c", "d"], 2000),
        }
    )
    score = (frame.iloc[:, 0] > 3587) * 2 + (frame["lines"] > 12) + (frame["it's"] == "c")
    return frame, score + rng.normal(0, 0.3, 2000)


def outcome_of(case, score):
    return {"classes": np.digitize(score, [1.5, 2.5]), "two": score > 2, "real": score}[case]


def apply_in_a_database(expression, frame):
    with sqlite3.connect(":memory:") as database:
        frame.to_sql("t", database, index=False)
        return [row[0] for row in database.execute(f"SELECT {expression} FROM t ORDER BY rowid")]


def strange_rows(frame):
    """The training rows, and rows that no block holds."""
    odd = frame.iloc[:60].copy()
    odd.iloc[:20, 0] = np.nan
    odd.iloc[20:40, 1] = 1e9
    odd.iloc[40:60, 2] = "unseen"
    return pd.concat([frame, odd], ignore_index=True)


CASES = [("two", 1), ("two", 60), ("real", 1), ("real", 60), ("classes", 1)]


@pytest.mark.parametrize(("case", "min_samples"), CASES)
def test_a_database_predicts_the_same(table, case, min_samples):
    kind = S3DRegressor if case == "real" else S3DClassifier
    model = kind(0.01, min_samples=min_samples).fit(table[0], outcome_of(case, table[1]))
    assert len(model.selected_features_) == 3
    rows = strange_rows(table[0])
    found = apply_in_a_database(rules_sql(model), rows)
    if case == "classes":
        assert found == model.predict(rows).tolist()
    else:
        expected = model.predict_proba(rows)[:, 1] if case == "two" else model.predict(rows)
        np.testing.assert_allclose(found, expected, rtol=1e-14)


def holds(condition, value):
    missing = value is None or value != value
    if condition["missing"] or missing:
        return condition["missing"] and missing
    if condition["categories"] is not None:
        return value in condition["categories"]
    above, up_to = condition["above"], condition["up_to"]
    return (above is None or value > above) and (up_to is None or value <= up_to)


@pytest.mark.parametrize(("case", "min_samples"), CASES)
def test_the_first_json_rule_that_holds_answers(table, case, min_samples):
    kind = S3DRegressor if case == "real" else S3DClassifier
    model = kind(0.01, min_samples=min_samples).fit(table[0], outcome_of(case, table[1]))
    rules = json.loads(rules_json(model))
    rows = strange_rows(table[0]).iloc[1900:]
    proper = model.predict(rows)[:, None] if case == "real" else model.predict_proba(rows)
    for row, expected in zip(rows.to_dict("records"), proper.tolist(), strict=True):
        first = next(
            rule["mean"]
            for rule in rules["rules"]
            if all(holds(condition, row[condition["feature"]]) for condition in rule["when"])
        )
        assert first == expected
    assert rules["threshold"] == getattr(model, "threshold_", None)


def test_a_blocks_path_is_a_sentence(table):
    frame, score = table
    model = S3DClassifier(0.01, user_splits={0: [3587], 1: [5, 12]}).fit(frame, score > 2)
    sentences = rules_in_words(model, "accepted")
    rows = model.bin_table_
    block = model.transform(frame)[:, -1]
    assert len(sentences) == len(rows)
    where = (frame.iloc[:, 0] > 3587) & (frame["lines"] > 5) & (frame["lines"] <= 12)
    blocks = set(block[(where & (frame["it's"] == "c")).to_numpy()].tolist())
    assert len(blocks) == 1
    said = sentences[blocks.pop()]
    assert 'answers "so far" > 3,587' in said
    assert "5 < lines ≤ 12" in said
    assert "it's is c" in said
    n, mean = rows.loc[block[np.flatnonzero(where & (frame["it's"] == "c"))[0]], ["n", "mean"]]
    assert said.endswith(f": {mean:.2f} accepted, N = {n:,.0f}")
    assert any("lines is missing" in sentence for sentence in sentences)


def test_a_model_of_no_feature_has_one_rule():
    with pytest.warns(UserWarning, match="no feature"):
        model = S3DRegressor().fit([[1.0], [1.0]], [0, 5])
    assert rules_in_words(model) == ["all rows: 2.5 on average, N = 2"]
    assert rules_sql(model) == "2.5"
    assert json.loads(rules_json(model))["rules"] == [{"when": [], "n": 2.0, "mean": [2.5]}]


def test_the_outline_is_what_a_model_of_fewer_features_says(table):
    model = S3DRegressor(0.01).fit(*table)
    for depth in range(len(model.selected_features_) + 1):
        if depth == 0:
            assert rules_in_words(model, depth=0) == [
                f"all rows: {table[1].mean():,.4g} on average, N = 2,000"
            ]
            continue
        fewer = S3DRegressor(0.01, max_features=depth).fit(*table)
        assert rules_in_words(model, depth=depth) == rules_in_words(fewer)
