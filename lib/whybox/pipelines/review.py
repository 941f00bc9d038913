"""The users that a model does not answer for, one by one, with why: a list for people to review."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whybox.data.pseudonym import Key, pseudonym
from whybox.data.versions import fetched
from whybox.errors import InputError
from whybox.explain.blocks import TableBlock
from whybox.explain.svg import Table
from whybox.explain.wording import number, percent, signed
from whybox.model_selection.abstention import (
    NEAR_THRESHOLD,
    NO_EXPRESSION,
    OUT_OF_RANGE,
    TOO_FEW_POSTS,
    Ranges,
    out_of_range,
)
from whybox.model_selection.leaf_support import THIN_LEAVES
from whybox.pipelines.dataset import Dataset

__all__ = ["MEANINGS", "review_tables", "strongest"]

_MOST = 200
MEANINGS = {
    NEAR_THRESHOLD: "the probability is too close to the threshold to call",
    NO_EXPRESSION: "the text has none of the expressions that the model knows",
    THIN_LEAVES: "few training rows stand behind the answer",
    OUT_OF_RANGE: "a feature lies outside what the training rows had",
    TOO_FEW_POSTS: "the features themselves are not to be trusted",
}
"""Why a user has no answer; those that a person can decide first."""


def review_tables(
    scores: str | None, card: Mapping[str, Any], table: Dataset, key: Key
) -> list[TableBlock]:
    """List the users without an answer.

    Parameters
    ----------
    scores : str or None
        A folder that ``whybox score`` wrote.
    card : mapping
        The model's.
    table : Dataset
        Rows, some of them perhaps of the same users: what is outside is told of these.
    key : Key
        That made the pseudonyms.

    Returns
    -------
    list of TableBlock
        At most 200 users, grouped by reason, the likeliest positive first. Empty without a folder
        or without such users.

    Raises
    ------
    InputError
        If it is no such folder.
    """
    rows = [] if scores is None else _silent(scores)
    if not rows:
        return []
    outside = _outside(card, table, key, {row["user"] for row in rows})
    order = list(MEANINGS)
    rows.sort(
        key=lambda row: (
            order.index(row["abstention"]) if row["abstention"] in order else len(order),
            -(row["probability"] or 0.0),
            row["user"],
        )
    )
    listed = [
        (
            f"u-{row['user'][:8]}",
            row["abstention"],
            percent(row["probability"]),
            outside.get(row["user"]) or strongest(row["reasons"] or ()),
        )
        for row in rows[:_MOST]
    ]
    found = {row["abstention"] for row in rows}
    said = "; ".join(f"{name}: {text}" for name, text in MEANINGS.items() if name in found)
    more = f" {number(_MOST)} of {number(len(rows))} are listed." if len(rows) > _MOST else ""
    title, columns = "Review list", ("user", "why no answer", "probability", "what to look at")
    return [TableBlock(title, f"{said}.{more}", Table(columns, listed), prose=True)]


def _silent(scores: str) -> list[dict[str, Any]]:
    """Read the users without an answer."""
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    wanted = ["user", "probability", "abstention", "reasons"]
    try:
        with fetched(scores, lambda _: ("scores",)) as folder:
            found: list[dict[str, Any]] = []
            parts = sorted((folder / "scores").glob("part-*.parquet"))
            if not parts:
                raise FileNotFoundError("scores")
            for part in parts:
                read = pq.read_table(part, columns=wanted)
                found += read.filter(pc.is_valid(read["abstention"])).to_pylist()
            return found
    except (OSError, ValueError, KeyError) as error:
        raise InputError("no folder of scores", where=str(scores)) from error


def _outside(card: Mapping[str, Any], table: Dataset, key: Key, users: set[str]) -> dict[str, str]:
    """Say which features of a user lie outside the training rows' range."""
    n = len(table.names)
    low, high = (np.array(card["data"][end][:n], dtype=np.float64) for end in ("low", "high"))
    if len(low) != n:
        return {}
    names = {pseudonym(key, user): row for row, user in enumerate(table.ids.tolist())}
    told = {}
    for user in users & names.keys():
        row = table.X[names[user]]
        columns = np.flatnonzero(out_of_range(row[None], Ranges(low, high))[0])
        told[user] = ", ".join(
            f"{table.names[at]} = {number(float(row[at]))} (training: {number(float(low[at]))} to "
            f"{number(float(high[at]))})"
            for at in columns
        )
    return told


def strongest(reasons: Sequence[Mapping[str, Any]]) -> str:
    """Write the top reasons of an answer.

    Parameters
    ----------
    reasons : sequence of mapping
        ``feature``, ``value`` and ``shap``, as parts of scores have them.

    Returns
    -------
    str

    Examples
    --------
    >>> strongest([{"feature": "friends", "value": 12.0, "shap": -0.25}])
    'friends = 12 (−25.0)'
    """
    return ", ".join(
        each["feature"]
        if each["shap"] is None
        else f"{each['feature']} = {number(each['value'])} ({signed(each['shap'])})"
        for each in reasons
    )
