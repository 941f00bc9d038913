"""The bag of posts: one table a partition, in the order of the input, however it is cut."""

from __future__ import annotations

import dask.bag
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.data.schema import POSTS
from whybox.data.source import ColumnMap
from whybox.errors import InputError
from whybox.graph import posts_bag
from whybox.graph.posts import group_blocks


@given(st.integers(0, 30), st.none() | st.integers(1, 40))
def test_groups_hold_every_block_once_in_order_and_none_is_empty(n_blocks, npartitions):
    blocks = list(range(n_blocks))
    groups = group_blocks(blocks, npartitions)
    assert [block for group in groups for block in group] == blocks
    assert all(groups)
    assert len(groups) == min(n_blocks, npartitions or n_blocks)
    sizes = [len(group) for group in groups]
    assert not sizes or max(sizes) - min(sizes) <= 1


@pytest.mark.parametrize("npartitions", [1, 2, 7, None])
def test_a_bag_holds_one_table_a_partition(timelines, npartitions):
    bag = posts_bag(str(timelines), npartitions=npartitions)
    assert isinstance(bag, dask.bag.Bag)
    tables = bag.compute(scheduler="sync")
    assert len(tables) == bag.npartitions
    assert all(table.schema.equals(POSTS) for table in tables)
    posts = pa.concat_tables(tables)
    assert posts["label"].combine_chunks().value_counts().to_pylist()
    ids = posts["post_id"].to_pylist()
    whole = posts_bag(str(timelines), npartitions=1).compute(scheduler="sync")[0]
    assert ids == whole["post_id"].to_pylist()


def test_users_go_on_with_bag_operations(tmp_path):
    for name, rows in (("a", 3), ("b", 5)):
        lines = "".join(f"{n},text {n}\n" for n in range(rows))
        (tmp_path / f"{name}.csv").write_text("n,words\n" + lines)
    bag = posts_bag(str(tmp_path / "*.csv"), "csv", columns=ColumnMap(text="words"))
    lengths = bag.map(lambda table: table.num_rows)
    assert lengths.sum().compute(scheduler="sync") == 8


def test_a_missing_input_is_told_at_once(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        posts_bag(str(tmp_path / "none.jsonl"), "jsonl")
