"""Pieces of work give the same whatever pieces they are dealt to."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.data.blocks import plan_blocks
from whybox.data.source import ColumnMap, Source, find_inputs
from whybox.features.parking import N_BUCKETS, batch, bucket_of, park, park_buckets, parked
from whybox.features.recipe import Recipe
from whybox.features.stages import Job, encode_bucket, finish_block, finish_bucket, stage_blocks


@given(st.lists(st.text(max_size=8), max_size=30))
def test_a_user_has_one_bucket_wherever_it_stands(users):
    column = pa.chunked_array([pa.array(users, pa.string())])
    buckets = bucket_of(column)
    assert all(0 <= bucket < N_BUCKETS for bucket in buckets)
    alone = [bucket_of(pa.chunked_array([pa.array([user])]))[0] for user in users]
    assert buckets.tolist() == alone


def test_parked_tables_come_back_bucket_by_bucket(tmp_path):
    table = pa.table({"user_id": [f"u{n}" for n in range(40)], "count": list(range(40))})
    path = park_buckets(table, tmp_path / "a.arrow")
    found = [batch(path, bucket) for bucket in range(N_BUCKETS)]
    assert sum(part.num_rows for part in found) == 40
    assert sorted(pa.concat_tables(found)["count"].to_pylist()) == list(range(40))
    park([table[:0], table], tmp_path / "b.arrow", table.schema)
    assert [part.num_rows for part in parked(str(tmp_path / "b.arrow"))] == [0, 40]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.arrow", "b.arrow"]


@pytest.fixture
def job(tmp_path) -> Job:
    (tmp_path / "scratch").mkdir()
    source = Source("csv", ColumnMap(text="text", label="label", user_id="user", post_id="id"))
    return Job(source, Recipe(min_posts=2), str(tmp_path / "scratch"), str(tmp_path / "out"))


def _blocks(folder: Path, job: Job, rows: list[tuple[str, str, str, str]], n_files: int):
    for number in range(n_files):
        part = rows[number::n_files]
        text = "id,user,text,label\n" + "".join(",".join(row) + "\n" for row in part)
        (folder / f"{number}.csv").write_text(text)
    inputs = find_inputs(str(folder / "*.csv"), "csv")
    return plan_blocks(inputs, job.source, 40)


def _finish(job, blocks):
    staged = stage_blocks(blocks, job)
    for block in staged:
        n = len(block.inputs)
        none = np.zeros(n, np.uint8), np.zeros(n, bool)
        yield finish_block(block, job, 0, *none, True)


ROWS = [(str(n), f"u{n % 12}", f"sunny words number{n % 3} :)", "ab"[n % 2]) for n in range(60)]


@pytest.mark.parametrize("n_files", [1, 3, 10])
def test_users_are_the_same_however_their_posts_are_spread(job, tmp_path, n_files):
    blocks = _blocks(tmp_path, job, ROWS, n_files)
    finished = list(_finish(job, blocks))
    parked = [block.sums for block in finished], [block.documents for block in finished]
    buckets = [finish_bucket(number, *parked, job) for number in range(N_BUCKETS)]
    users = pa.concat_tables(
        [pq.read_table(Path(job.out, bucket.users.path)) for bucket in buckets]
    ).sort_by("user_id")
    assert users["user_id"].to_pylist() == sorted({row[1] for row in ROWS})
    assert set(users["n_posts"].to_pylist()) == {5}
    assert set(users["emoticons"].to_pylist()) == {1.0}
    counts = functools.reduce(
        lambda total, bucket: {
            name: total.get(name, 0) + bucket.class_counts.get(name, 0)
            for name in {*total, *bucket.class_counts}
        },
        buckets,
        {},
    )
    assert counts == {"a": 6, "b": 6}
    words = pa.array(["sunni", "word"])
    parts = [encode_bucket(n, bucket.documents, words, job) for n, bucket in enumerate(buckets)]
    documents = pa.concat_tables([pq.read_table(Path(job.out, part.path)) for part in parts])
    assert documents.num_rows == 12
    assert set(map(tuple, documents["counts"].to_pylist())) == {(5, 5)}


def test_posts_that_are_decided_against_are_in_no_sum(job, tmp_path):
    (block,) = _blocks(tmp_path, job, ROWS, 1)
    (staged,) = stage_blocks([block], job)
    verdicts = np.array([1] * 30 + [0] * 30, np.uint8)
    finished = finish_block(staged, job, 7, verdicts, np.zeros(60, bool), True)
    posts = pq.read_table(Path(job.out, finished.part.path))
    assert posts.num_rows == finished.part.rows == 30
    assert posts["line"][0].as_py() == 30 + 1 + 7 + 1  # header, 30 rows, the offset
    sums = pa.concat_tables([batch(finished.sums, bucket) for bucket in range(N_BUCKETS)])
    assert sum(sums["n_posts"].to_pylist()) == 30
