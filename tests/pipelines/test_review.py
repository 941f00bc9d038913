"""Each user without an answer is listed once, under a pseudonym, with why."""

from __future__ import annotations

import json
import re

import numpy as np
import pyarrow.parquet as pq
import pytest

from whybox.data.pseudonym import load_key, pseudonym
from whybox.errors import InputError
from whybox.model_io import load_card
from whybox.pipelines.dataset import load_dataset
from whybox.pipelines.review import review_tables


@pytest.fixture(scope="module")
def listed(study, features):
    """The list, and what it is made from."""
    out, _ = study
    card, table = load_card(out / "model.whybox"), load_dataset(features, target="label")
    (block,) = review_tables(str(out / "scores"), card, table, load_key())
    parts = sorted((out / "scores" / "current" / "scores").glob("*.parquet"))
    rows = [row for part in parts for row in pq.read_table(part).to_pylist()]
    return block, card, table, {f"u-{row['user'][:8]}": row for row in rows if row["abstention"]}


def test_all_users_without_an_answer_are_there_with_their_reason(study, listed):
    block, *_, silent = listed
    assert {(user, why) for user, why, *_ in block.table.rows} == {
        (user, row["abstention"]) for user, row in silent.items()
    }
    counts = json.loads((study[0] / "scores" / "manifest.json").read_text())["counts"]
    assert len(block.table.rows) == counts["abstained"] > 0
    order = [why for _, why, *_ in block.table.rows]
    assert order == sorted(order, key=order.index)


def test_what_is_outside_is_told_by_feature(study, listed):
    """Held against a narrower range than the training rows had, many are outside."""
    _, card, table, silent = listed
    low, high = np.nanquantile(table.X, [0.25, 0.75], axis=0)
    narrow = {**card, "data": {**card["data"], "low": low.tolist(), "high": high.tolist()}}
    (block,) = review_tables(str(study[0] / "scores"), narrow, table, load_key())
    rows = {
        f"u-{pseudonym(load_key(), user)[:8]}": x
        for user, x in zip(table.ids, table.X, strict=True)
    }
    known = [row for row in block.table.rows if row[0] in rows]
    assert known
    for user, _, _, what in known:
        outside = (rows[user] < low) | (rows[user] > high)
        names = [table.names[at] for at in np.flatnonzero(outside)]
        top = [each["feature"] for each in silent[user]["reasons"]]
        assert re.findall(r"(?:^|, )(\w+) = ", what) == (names or top)


def test_the_report_has_the_list_and_no_id(study, listed):
    page = (study[0] / "report.html").read_text("utf-8")
    assert all(user in page for user in (row[0] for row in listed[0].table.rows))
    assert not any(user in page for user in listed[2].ids if len(user) > 5)


def test_a_folder_of_something_else_is_refused(features, listed):
    with pytest.raises(InputError, match="no folder of scores"):
        review_tables(str(features / "posts"), listed[1], listed[2], load_key())
