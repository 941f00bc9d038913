"""What can only be told with all posts at hand: repeated ids, contradictions, deletions, anchors.

Pure functions on the keys and labels of all posts in input order.  Of posts with one id, the first
stays and the others are the non-record ``duplicate``; if two of them have different labels, all
are quarantined (``conflicting_labels``); if a notice takes the id back, all are the non-record
``deleted``, wherever the notice stands.  A post without an id is never any of these.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

__all__ = [
    "CONFLICTING",
    "DELETED",
    "DUPLICATE",
    "KEPT",
    "PostKeys",
    "mark_anchors",
    "post_keys",
    "resolve",
    "verdict_counts",
]

KEPT, DUPLICATE, CONFLICTING, DELETED = range(4)
_EXACT_BELOW = 10**19


@dataclass(frozen=True)
class PostKeys:
    """What decides about posts: one entry a row.

    Parameters
    ----------
    keys : numpy.ndarray of uint64, shape (n,)
        The ids (see `post_keys`); 0 where there is none.
    has_id : numpy.ndarray of bool, shape (n,)
    labels : numpy.ndarray of int64, shape (n,)
        A code for each label, the same in every block; -1 for none.

    Examples
    --------
    >>> table = pa.table({"post_id": ["7", None], "label": ["a", None]})
    >>> PostKeys.of(table).has_id.tolist()
    [True, False]
    """

    keys: NDArray[np.uint64]
    has_id: NDArray[np.bool_]
    labels: NDArray[np.int64]

    @classmethod
    def of(cls, table: pa.Table) -> PostKeys:
        """Take the keys of a table of posts."""
        ids = table.column("post_id").combine_chunks()
        return cls(post_keys(ids), pc.is_valid(ids).to_numpy(zero_copy_only=False), _codes(table))

    @classmethod
    def concatenate(cls, parts: Sequence[PostKeys]) -> PostKeys:
        """Put parts together in input order."""
        if not parts:
            return cls(np.zeros(0, np.uint64), np.zeros(0, bool), np.zeros(0, np.int64))
        return cls(
            np.concatenate([part.keys for part in parts]),
            np.concatenate([part.has_id for part in parts]),
            np.concatenate([part.labels for part in parts]),
        )


def _hash63(value: str) -> int:
    """Hash a string to 63 bits."""
    digest = hashlib.blake2b(value.encode("utf-8"), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1


def _codes(table: pa.Table) -> NDArray[np.int64]:
    """Give each label a code that is the same wherever the label is met."""
    encoded = table.column("label").combine_chunks().dictionary_encode()
    codes = np.array([*map(_hash63, encoded.dictionary.to_pylist()), -1], np.int64)
    found: NDArray[np.int64] = codes[
        encoded.indices.fill_null(len(codes) - 1).to_numpy(zero_copy_only=False)
    ]
    return found


def post_keys(ids: pa.Array) -> NDArray[np.uint64]:
    """Turn ids into 64-bit keys.

    Parameters
    ----------
    ids : pyarrow.StringArray, shape (n,)

    Returns
    -------
    numpy.ndarray of uint64, shape (n,)
        The number itself if the id is a decimal number of at most 19 digits without leading
        zeros; else a hash in the range above all of these; 0 for null.

    Examples
    --------
    >>> post_keys(pa.array(["1234567890123456789", "0", None])).tolist()
    [1234567890123456789, 0, 0]
    >>> bool(post_keys(pa.array(["007"]))[0] >= 10**19)
    True
    """
    keys = np.zeros(len(ids), np.uint64)
    exact = pc.and_(pc.ascii_is_decimal(ids), pc.less_equal(pc.utf8_length(ids), 19))
    leading_zero = pc.and_(pc.starts_with(ids, "0"), pc.greater(pc.utf8_length(ids), 1))
    exact = pc.and_not(exact, leading_zero).fill_null(False)
    where = exact.to_numpy(zero_copy_only=False)
    keys[where] = ids.filter(exact).cast(pa.uint64()).to_numpy(zero_copy_only=False)
    room = 2**64 - _EXACT_BELOW
    for i in np.flatnonzero(~where & pc.is_valid(ids).to_numpy(zero_copy_only=False)):
        digest = hashlib.blake2b(ids[i].as_py().encode("utf-8"), digest_size=8).digest()
        keys[i] = _EXACT_BELOW + int.from_bytes(digest, "big") % room
    return keys


def resolve(posts: PostKeys, deleted: NDArray[np.uint64]) -> NDArray[np.uint8]:
    """Decide about every post.

    Parameters
    ----------
    posts : PostKeys
        Of all posts, in input order.
    deleted : numpy.ndarray of uint64, shape (m,)
        Keys of posts that are taken back, in any order.

    Returns
    -------
    numpy.ndarray of uint8, shape (n,)
        `KEPT`, `DUPLICATE`, `CONFLICTING` or `DELETED`.  Deletion goes before contradiction, and
        that before repetition; a missing label contradicts none.

    Examples
    --------
    >>> keys = np.array([5, 6, 5, 7, 7], np.uint64)
    >>> posts = PostKeys(keys, np.ones(5, bool), np.array([1, 1, 1, 1, 2]))
    >>> resolve(posts, np.array([6], np.uint64)).tolist()
    [0, 3, 1, 2, 2]
    """
    verdict = np.zeros(len(posts.keys), np.uint8)
    rows = np.flatnonzero(posts.has_id)
    if rows.size == 0:
        return verdict
    rows = rows[np.argsort(posts.keys[rows], kind="stable")]  # equal ids stay in input order
    keys, labels = posts.keys[rows], posts.labels[rows]
    is_first = np.r_[True, keys[1:] != keys[:-1]]
    starts = np.flatnonzero(is_first)
    sizes = np.diff(np.r_[starts, len(keys)])
    greatest = np.maximum.reduceat(labels, starts)
    least = np.minimum.reduceat(np.where(labels < 0, np.iinfo(np.int64).max, labels), starts)
    contradicts = np.repeat((greatest >= 0) & (least != greatest), sizes)
    taken_back = np.repeat(_among(deleted, keys[starts]), sizes)
    verdict[rows] = np.select(
        [taken_back, contradicts, ~is_first], [DELETED, CONFLICTING, DUPLICATE], KEPT
    )
    return verdict


def _among(wanted: NDArray[np.uint64], groups: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Tell which of the sorted, distinct keys are wanted; looks up the few among the many."""
    found = np.zeros(len(groups), bool)
    at = np.minimum(np.searchsorted(groups, wanted), len(groups) - 1)
    found[at[groups[at] == wanted]] = True
    return found


def mark_anchors(posts: PostKeys, anchors: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Tell which posts are anchors.

    Parameters
    ----------
    posts : PostKeys
    anchors : numpy.ndarray of uint64, shape (m,)
        Keys of the anchors.

    Returns
    -------
    numpy.ndarray of bool, shape (n,)

    Examples
    --------
    >>> posts = PostKeys(np.array([5, 6], np.uint64), np.ones(2, bool), np.array([-1, -1]))
    >>> mark_anchors(posts, np.array([6], np.uint64)).tolist()
    [False, True]
    """
    return posts.has_id & np.isin(posts.keys, anchors)


def verdict_counts(
    verdicts: NDArray[np.uint8], inputs: NDArray[np.int32], n_inputs: int
) -> list[tuple[dict[str, int], dict[str, int]]]:
    """Count, for each input, the records that leave it (for `Counts.without_records`).

    Parameters
    ----------
    verdicts : numpy.ndarray of uint8, shape (n,)
    inputs : numpy.ndarray of int32, shape (n,)
        The input of each row.
    n_inputs : int

    Returns
    -------
    list of tuple of two dict
        Non-records by kind and quarantined by reason, one pair an input.

    Examples
    --------
    >>> verdict_counts(np.array([0, 1], np.uint8), np.array([0, 0], np.int32), 1)
    [({'duplicate': 1}, {})]
    """
    table = np.bincount(inputs.astype(np.int64) * 4 + verdicts, minlength=4 * n_inputs)
    counts = []
    for row in table.reshape(n_inputs, 4).tolist():
        leaving = {"deleted": row[DELETED], "duplicate": row[DUPLICATE]}
        against = {"conflicting_labels": row[CONFLICTING]}
        counts.append(
            ({k: n for k, n in leaving.items() if n}, {k: n for k, n in against.items() if n})
        )
    return counts
