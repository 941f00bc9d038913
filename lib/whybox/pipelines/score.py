"""``whybox score``: a probability and a decision for every user, or an abstention with its reason."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from whybox.config import ScoreConfig
from whybox.data.parquet import write_parquet
from whybox.data.pseudonym import Key, load_key, pseudonym
from whybox.data.publish import publishing, write_manifest
from whybox.data.versions import fetched
from whybox.errors import InputError, WhyboxError
from whybox.explain.card import software_versions
from whybox.graph.scoring import predict_in_blocks
from whybox.graph.session import Session, using
from whybox.model_io import load_card, load_model, load_topics, model_hash
from whybox.model_selection import Abstention, Ranges, abstain, out_of_range
from whybox.pipelines.dataset import Dataset, load_dataset
from whybox.pipelines.outcome import Outcome, Table
from whybox.pipelines.topic_columns import features_without_topics, infer_columns
from whybox.progress import SILENT, Progress

__all__ = ["SCORES", "run"]

SCORES = pa.schema(
    [
        pa.field("user", pa.string(), nullable=False),
        ("probability", pa.float64()),
        ("decision", pa.string()),
        ("abstention", pa.string()),
    ]
)
"""One row a user: its pseudonym, the probability of the positive class, the class decided, or why
none is. A user with too few posts has no probability."""

_TOO_FEW = "too few posts"


def run(
    config: ScoreConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Score users.

    Parameters
    ----------
    config : ScoreConfig
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome
        ``already done`` if OUT holds the scores of the same model, input and options.

    Raises
    ------
    InputError
        The model has no card or more than two classes, or the features or their recipe are not
        those it was trained on.
    RunError
        OUT cannot be written, or is in a store where another run published meanwhile.
    """
    model, card, topics = load_model(config.model), _card(config.model), load_topics(config.model)
    features = features_without_topics(card, topics, str(config.model))
    # labels matter only where they tell which rows have none
    target = card["data"]["target"] if config.rows == "unlabelled" else None
    table = load_dataset(
        config.source, target=target, features=features, documents=topics is not None
    )
    _check_recipe(card, table, config)
    if config.rows == "unlabelled":
        table = table.unlabelled()
    threshold = card["threshold"]["value"] if config.threshold is None else config.threshold
    key = load_key(config.key_file)
    identity = _identity(config, table, threshold, key)
    if _is_done(config.out, identity):
        return Outcome(
            "score", {"out": str(config.out), **identity}, (f"already done: {config.out}",),
            status="already done",
        )  # fmt: skip
    column = _positive_column(model, card)
    with using(session, config, progress) as opened:
        table = infer_columns(opened, table, topics, partitions=config.partitions)
        proba = predict_in_blocks(opened, model, table.X, config.partitions)[:, column]
    reasons = abstain(
        proba,
        threshold,
        Abstention(band=config.band),
        outside=out_of_range(table.X, _ranges(card)),
    )
    names = (_other(model, column), str(model.classes_[column]))
    decisions = np.where(proba >= threshold, names[1], names[0]).astype(object)
    decisions[reasons != None] = None  # noqa: E711  (elementwise)
    scores = _rows(table, key, proba, decisions, reasons)
    counts = _counts(scores)
    with publishing(config.out) as staging:
        part = write_parquet(scores, staging / "scores.parquet", SCORES, root=staging)
        manifest = {
            "version": 1,
            "kind": "scores",
            **identity,
            "counts": counts,
            "parts": [part.as_dict()],
            "software": software_versions(),
        }
        write_manifest(staging, manifest)
    return _outcome(config, identity, counts)


def _card(path: Path) -> dict[str, Any]:
    """The card, without which nobody should be scored."""
    card = load_card(path)
    if card is None:
        raise InputError(
            "the model has no card",
            where=str(path),
            remedy="train it with `whybox train`, which writes one",
        )
    return card


def _check_recipe(card: dict[str, Any], table: Dataset, config: ScoreConfig) -> None:
    """Features made in another way are other features."""
    from whybox.features.recipe import recipe_differences

    if not card["recipe"] or table.recipe is None:
        return
    differences = recipe_differences(card["recipe"], table.recipe)
    if differences:
        raise InputError(
            f"recipe_mismatch: the model was trained with another {', '.join(differences)}",
            where=config.source,
            remedy="extract the posts with the model's recipe (whybox inspect MODEL)",
        )


def _identity(config: ScoreConfig, table: Dataset, threshold: float, key: Key) -> dict[str, Any]:
    """What makes two runs the same run."""
    parts = {
        "model_sha256": model_hash(config.model),
        "features_sha256": table.fingerprint,
        "rows": config.rows,
        "threshold": threshold,
        "band": config.band,
        "key": key.id,
    }
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return {"run": digest[:16], **parts}


def _is_done(out: str, identity: dict[str, Any]) -> bool:
    """Whether the folder holds just these scores."""
    try:
        with fetched(out) as folder:
            manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
            digest = hashlib.sha256((folder / "scores.parquet").read_bytes()).hexdigest()
        is_whole = manifest["parts"][0]["sha256"] == digest
    except (OSError, ValueError, KeyError, IndexError, TypeError, WhyboxError):
        return False
    return bool(is_whole and manifest.get("run") == identity["run"])


def _positive_column(model: Any, card: dict[str, Any]) -> int:
    """The column of the positive class's probability."""
    classes = model.classes_.tolist()
    positive = card["data"].get("positive")
    if len(classes) != 2 or positive not in classes:
        raise InputError(
            f"the model knows {len(classes)} classes, scores are of a positive one of two",
            remedy="train it with --classes a,b",
        )
    return int(classes.index(positive))


def _other(model: Any, column: int) -> str:
    return str(model.classes_[1 - column])


def _ranges(card: dict[str, Any]) -> Ranges:
    """The training rows' range of each feature."""
    low, high = (np.array(card["data"][name], dtype=np.float64) for name in ("low", "high"))
    return Ranges(low, high)


def _rows(
    table: Dataset, key: Key, proba: np.ndarray, decisions: np.ndarray, reasons: np.ndarray
) -> pa.Table:
    """Scored users, then those with too few posts, each sorted by pseudonym."""
    scored = [
        (pseudonym(key, name), float(p), decision, reason)
        for name, p, decision, reason in zip(table.ids, proba, decisions, reasons, strict=True)
    ]
    listed = [(pseudonym(key, name), None, None, _TOO_FEW) for name, _, _ in table.dropped]
    columns = list(zip(*(sorted(scored, key=_by_user) + sorted(listed, key=_by_user)), strict=True))
    arrays = [
        pa.array(column, f.type) for column, f in zip(columns or [()] * 4, SCORES, strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=SCORES)


def _by_user(row: tuple[Any, ...]) -> Any:
    return row[0]


def _counts(scores: pa.Table) -> dict[str, Any]:
    """Users by what became of them."""
    reasons = Counter(reason for reason in scores["abstention"].to_pylist() if reason)
    decisions = Counter(name for name in scores["decision"].to_pylist() if name)
    return {
        "users": scores.num_rows,
        "scored": sum(decisions.values()),
        "abstained": sum(reasons.values()),
        "decisions": dict(sorted(decisions.items())),
        "abstentions": dict(sorted(reasons.items())),
    }


def _outcome(config: ScoreConfig, identity: dict[str, Any], counts: dict[str, Any]) -> Outcome:
    """Counts for a person and for a machine."""
    rows = [(name, counts[name]) for name in ("users", "scored", "abstained")]
    rows += [(f"decided: {name}", number) for name, number in counts["decisions"].items()]
    rows += [(f"abstained: {name}", number) for name, number in counts["abstentions"].items()]
    table = Table(
        f"Scores at threshold {identity['threshold']:.3f}", ("what", "users"), tuple(rows)
    )
    values = {"out": str(config.out), **identity, **counts}
    return Outcome("score", values, (f"scores: {config.out}",), (table,))
