"""Repeated, contradicting and deleted posts: against a plain twin, and on real sizes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.data import POSTS, PostKeys, mark_anchors, post_keys, verdict_counts
from whybox.data.resolve import CONFLICTING, DELETED, DUPLICATE, KEPT, resolve

IDS = st.sampled_from([None, "1", "01", "x", "9999999999999999999", "10000000000000000000"])
LABELS = st.sampled_from([None, "a", "b"])


def naive_resolve(posts, deleted):
    """Decide post by post."""
    labels = {}
    for post_id, label in posts:
        labels.setdefault(post_id, set()).update({label} - {None})
    verdicts, seen = [], set()
    for post_id, _ in posts:
        if post_id is None:
            verdicts.append(KEPT)
        elif post_id in deleted:
            verdicts.append(DELETED)
        elif len(labels[post_id]) > 1:
            verdicts.append(CONFLICTING)
        else:
            verdicts.append(DUPLICATE if post_id in seen else KEPT)
            seen.add(post_id)
    return verdicts


def keys_of(posts):
    """Keys of posts given as (id, label)."""
    ids, labels = zip(*posts, strict=True) if posts else ((), ())
    return PostKeys.of(
        pa.table({"post_id": pa.array(ids, pa.string()), "label": pa.array(labels, pa.string())})
    )


@given(st.lists(st.tuples(IDS, LABELS)), st.sets(IDS.filter(bool)), st.integers(0, 20))
def test_verdicts_are_those_of_the_plain_twin(posts, deleted, cut):
    parts = PostKeys.concatenate([keys_of(posts[:cut]), keys_of(posts[cut:])])
    found = resolve(parts, post_keys(pa.array(sorted(deleted), pa.string())))
    assert found.tolist() == naive_resolve(posts, deleted)


@given(st.lists(st.text(max_size=22) | st.integers(0, 10**21).map(str), unique=True))
def test_different_ids_have_different_keys(ids):
    assert len(set(post_keys(pa.array(ids, pa.string())).tolist())) == len(ids)


def test_numbers_are_their_own_keys():
    values = ["0", "42", str(2**63), str(10**19 - 1)]
    assert post_keys(pa.array(values)).tolist() == [int(value) for value in values]
    assert (post_keys(pa.array(["00", "٣", str(10**19), "-1", ""])) >= 10**19).all()


def test_anchors_are_marked_and_a_row_without_id_is_none():
    posts = keys_of([("0", None), (None, None), ("5", None)])
    assert mark_anchors(posts, post_keys(pa.array(["0", "7"]))).tolist() == [True, False, False]


def test_leavers_are_counted_by_input():
    verdicts = np.array([KEPT, DUPLICATE, DELETED, CONFLICTING, CONFLICTING], np.uint8)
    inputs = np.array([0, 0, 2, 2, 2], np.int32)
    assert verdict_counts(verdicts, inputs, 3) == [
        ({"duplicate": 1}, {}),
        ({}, {}),
        ({"deleted": 1}, {"conflicting_labels": 2}),
    ]


def test_no_posts_give_no_verdicts():
    nothing = PostKeys.concatenate([])
    assert resolve(nothing, np.zeros(0, np.uint64)).tolist() == []
    assert PostKeys.of(POSTS.empty_table()).keys.size == 0


@pytest.mark.slow
def test_millions_of_posts_are_decided_about():
    rng = np.random.default_rng(0)
    keys = rng.integers(0, 2**60, 4_000_000).astype(np.uint64)
    keys[2_000_000:2_400_000] = keys[:400_000]
    posts = PostKeys(keys, np.ones(len(keys), bool), np.full(len(keys), -1))
    verdicts = resolve(posts, keys[-1000:])
    assert (verdicts[2_000_000:2_400_000] == DUPLICATE).all() and (
        verdicts[-1000:] == DELETED
    ).all()
    assert np.count_nonzero(verdicts) == 401_000
