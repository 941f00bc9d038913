"""The two tasks about a part of the people: say what its input is, and write its scores.

Both are plain functions of values that travel with them, and may run twice: a part's file has the
name of its input's hash and appears by one rename.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from whybox._faults import fault_point
from whybox.data.dealing import part_name
from whybox.data.parquet import write_parquet
from whybox.data.pseudonym import Key, pseudonym
from whybox.data.workplace import replace
from whybox.graph.people import People
from whybox.model_selection.abstention import TOO_FEW_POSTS
from whybox.model_selection.answers import Answers, Rule, answer
from whybox.model_selection.drift import SCORE_EDGES, count_bins

__all__ = ["SCORES", "Scored", "Scoring", "look_at_part", "score_part"]

SCORES = pa.schema(
    [
        pa.field("user", pa.string(), nullable=False),
        ("probability", pa.float64()),
        ("decision", pa.string()),
        ("abstention", pa.string()),
        (
            "reasons",
            pa.list_(
                pa.struct(
                    [("feature", pa.string()), ("value", pa.float64()), ("shap", pa.float64())]
                )
            ),
        ),
        pa.field("model", pa.string(), nullable=False),
        pa.field("input", pa.string(), nullable=False),
    ]
)
"""One row a user: its pseudonym, the probability of the positive class, the class decided, or why
none is, the top reasons, the SHA-256 of the model, and the version of the user's part of the input.
A user with too few posts has no probability and no reasons. With a model of expressions a row is a
post, and ``user`` the pseudonym of its id."""


@dataclass(frozen=True, eq=False)
class Scoring:
    """How people are scored; small, since it travels with each task.

    Parameters
    ----------
    model : str
        The model's file, which every worker sees.
    model_sha256 : str
        What it must be.
    rule : Rule
    key : Key
        Of the pseudonyms.
    edges : sequence of sequence of float
        By which the numbers are counted, a feature of the card each.
    numbers : tuple of str
        Those features.
    """

    model: str
    model_sha256: str
    rule: Rule
    key: Key
    edges: Sequence[Sequence[float]]
    numbers: tuple[str, ...]

    def digest(self) -> str:
        """Hash all of it that shapes a part."""
        rule = self.rule
        parts = (self.model_sha256, rule.positive, rule.threshold, rule.band, rule.n_reasons)
        return hashlib.sha256(repr((1, *parts, self.key.id)).encode()).hexdigest()


@dataclass(frozen=True)
class Scored:
    """A part whose file is written.

    Parameters
    ----------
    output : str
        SHA-256 of the file.
    facts : dict
        ``rows``; ``decisions`` and ``abstentions`` by name; ``bins`` of the features and
        ``scores`` of the probabilities, counted for the drift.
    """

    output: str
    facts: dict[str, Any]


def look_at_part(crowd: Any, part: int, scoring_digest: str) -> tuple[str, str, int]:
    """Say what a part's input is.

    Parameters
    ----------
    crowd : object
        With ``people(part)``.
    part : int
    scoring_digest : str
        Of `Scoring.digest`.

    Returns
    -------
    tuple of str, str and int
        The hash of what would be computed; the version of the people alone; how many they are.
    """
    people = crowd.people(part)
    version = people.digest()
    whole = hashlib.sha256(f"{version} {scoring_digest}".encode()).hexdigest()
    return whole, version, len(people)


def score_part(
    crowd: Any, part: int, version: str, scoring: Scoring, name: str, folder: str
) -> Scored:
    """Score the people of a part, and write them.

    Parameters
    ----------
    crowd, part
        As for `look_at_part`.
    version : str
        Of the people, as it was found there.
    scoring : Scoring
    name : str
        Hash of the whole input, which names the file.
    folder : str

    Returns
    -------
    Scored
    """
    fault_point(part_name(part))
    people = _with_topics(crowd.people(part), scoring)
    frame = people.frame()
    answers = answer(_model(scoring.model, scoring.model_sha256), frame, scoring.rule)
    table = _table(people, answers, scoring, version[:16])
    path = Path(folder) / f"{name}.parquet"
    partial = path.with_name(f"{path.name}.partial.{os.getpid()}.{threading.get_ident()}")
    written = write_parquet(table, partial, SCORES)
    replace(partial, path, "part")
    numbers = frame[list(scoring.numbers)].to_numpy(dtype=np.float64)
    facts = {
        "rows": written.rows,
        "decisions": _counted(table["decision"]),
        "abstentions": _counted(table["abstention"]),
        "bins": count_bins(numbers, scoring.edges),
        "scores": count_bins(answers.probability[:, None], [SCORE_EDGES.tolist()]),
    }
    return Scored(written.sha256, facts)


@lru_cache(maxsize=2)
def _model(path: str, sha256: str) -> Any:
    """The model, read once a process; another file than the run began with is refused."""
    from whybox.errors import RunError
    from whybox.model_io import load_model, model_hash

    model = load_model(path)
    if model_hash(path) != sha256:
        raise RunError("the model's file changed during the run", where=path, remedy="run again")
    return model


@lru_cache(maxsize=2)
def _topics(path: str, sha256: str) -> Any:
    from whybox.model_io import load_topics

    return load_topics(path)


def _with_topics(people: People, scoring: Scoring) -> People:
    """Infer the topics that the model knows from each person's own document."""
    from dataclasses import replace as with_fields

    if people.documents is None:
        return people
    topics = _topics(scoring.model, scoring.model_sha256)
    shares = topics.transform(people.documents)
    return with_fields(
        people,
        numbers=np.hstack([people.numbers, shares]),
        names=(*people.names, *topics.columns),
        documents=None,
    )


def _table(people: People, answers: Answers, scoring: Scoring, version: str) -> pa.Table:
    """All people of the part, sorted by pseudonym."""
    names = [pseudonym(scoring.key, name) for name in (*people.ids, *people.dropped)]
    n_dropped = len(people.dropped)
    nothing = [None] * n_dropped
    reasons = [[vars(reason) for reason in row] for row in answers.reasons]
    columns = {
        "user": names,
        "probability": [*answers.probability.tolist(), *nothing],
        "decision": [*answers.decision.tolist(), *nothing],
        "abstention": [*answers.abstention.tolist(), *([TOO_FEW_POSTS] * n_dropped)],
        "reasons": [*reasons, *nothing],
        "model": [scoring.model_sha256] * len(names),
        "input": [version] * len(names),
    }
    return pa.table(columns, schema=SCORES).sort_by("user").combine_chunks()


def _counted(column: pa.ChunkedArray) -> dict[str, int]:
    """How often each text is there."""
    counts = Counter(name for name in column.to_pylist() if name is not None)
    return dict(sorted(counts.items()))
