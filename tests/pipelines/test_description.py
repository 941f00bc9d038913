"""A folder of features tells what its users are like."""

from __future__ import annotations

import pyarrow.parquet as pq

from whybox.config import ExtractConfig, InspectConfig
from whybox.features.names import FEATURES
from whybox.pipelines import extract, inspect


def test_every_class_and_feature_has_its_figures_and_words(features):
    outcome = inspect.run(InspectConfig(path=features))
    rows = {(row["label"], row["feature"]): row for row in outcome.values["statistics"]}
    assert set(rows) == {(c, name) for c in ("", "negative", "positive") for name in FEATURES}
    users = pq.read_table(features / "users").to_pandas()
    positive = users[users["label"] == "positive"]
    row = rows["positive", "posting_number"]
    assert (row["n"], row["missing"]) == (len(positive), 0)
    assert row["median"] == positive["posting_number"].median()
    words = outcome.values["words"]
    assert words and min(word["users"] for word in words) >= 10
    counts = [word["count"] for word in words if word["label"] == "negative"]
    assert counts == sorted(counts, reverse=True) and len(counts) <= 20
    assert [len(table.header) for table in outcome.tables] == [2, 8, 4, 5]


def test_a_folder_of_posts_has_no_users_to_describe(tmp_path):
    (tmp_path / "a.csv").write_text("text\nhello\n")
    config = ExtractConfig(
        inputs=(str(tmp_path / "a.csv"),), out=tmp_path / "f", format="csv", scheduler="sync"
    )
    extract.run(config)
    outcome = inspect.run(InspectConfig(path=tmp_path / "f"))
    assert "statistics" not in outcome.values and len(outcome.tables) == 1
