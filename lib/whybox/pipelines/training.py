"""What training has in common, whatever the family of models: figures, thresholds, card, lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from whybox.config import TrainConfig
from whybox.errors import InputError
from whybox.model_selection import FoldResult, Threshold, choose_threshold, feature_ranges, pool
from whybox.model_selection.drift import reference_distribution
from whybox.pipelines.dataset import Dataset
from whybox.pipelines.outcome import Table

__all__ = [
    "CLASS_FIGURES",
    "OUTCOME_FIGURES",
    "OWN",
    "card_figures",
    "card_threshold",
    "class_counts",
    "decision_threshold",
    "described_features",
    "figures_table",
    "out_of_fold",
    "suspects",
    "training_lines",
    "validation_of_classes",
]

#: ``--threshold`` that leaves it to the family: one half, or what the model itself decides by.
OWN = "auto"

#: Metrics of classes that are shown, and what tables call them.
CLASS_FIGURES = {
    "accuracy": "accuracy",
    "f1_macro": "F1 macro",
    "f1_positive": "F1 positive",
    "auc": "AUC",
    "brier": "Brier",
}

#: Metrics of real outcomes.
OUTCOME_FIGURES = {"r2": "R²", "mae": "MAE", "rmse": "RMSE"}


def figures_table(
    title: str, rows: Sequence[Mapping[str, Any]], shown: Mapping[str, str] = CLASS_FIGURES
) -> Table:
    """Show models side by side.

    Parameters
    ----------
    title : str
    rows : sequence of mapping
        From `whybox.model_selection.summarise`.
    shown : mapping of str to str
        The metrics, and their headings.

    Returns
    -------
    Table
        A row a model, a column a metric.

    Examples
    --------
    >>> figures_table("", [{"model": "m", "accuracy_mean": 0.9, "accuracy_sd": 0.01}]).rows[0][:2]
    ('m', '.900 ± .010')
    """
    body = tuple(
        (str(row["model"]), *(_cell(row.get(f"{m}_mean"), row.get(f"{m}_sd")) for m in shown))
        for row in rows
    )
    return Table(title, ("model", *shown.values()), body)


def _cell(mean: float | None, sd: float | None) -> str:
    """A figure with its spread, as in .884 ± .006."""
    if mean is None:
        return "–"
    return _short(mean) + (f" ± {_short(sd)}" if sd is not None else "")


def _short(value: float) -> str:
    """Three decimals, no zero before the point."""
    text = f"{round(value, 3) + 0.0:,.3f}"  # no minus before a zero
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def out_of_fold(
    results: Sequence[FoldResult], model: str, y: np.ndarray, positive: str
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pool what a model said of rows that it had not seen.

    Parameters
    ----------
    results : sequence of FoldResult
    model : str
        One of theirs, with probabilities.
    y : array of str of shape (n_rows,)
    positive : str

    Returns
    -------
    scores : float64 array of shape (n,)
        Probabilities of the positive class.
    truth : bool array of shape (n,)
        Whether a row is of it.
    votes : bool array of shape (n,)
        Whether the model's own decision is for it.
    """
    pooled = pool(results, model)
    assert pooled.proba is not None
    scores = pooled.proba[:, np.unique(y).tolist().index(positive)]
    return scores, y[pooled.rows] == positive, pooled.y_pred == positive


def decision_threshold(
    config: TrainConfig,
    results: Sequence[FoldResult],
    y: np.ndarray,
    positive: str | None,
    own: Threshold | None = None,
) -> Threshold | None:
    """Give the threshold of two classes, chosen on out-of-fold scores where it depends on scores.

    Parameters
    ----------
    config : TrainConfig
    results : sequence of FoldResult
        Empty without cross-validation.
    y : array of str of shape (n_rows,)
    positive : str or None
    own : Threshold, optional
        What ``auto`` means; by default one half.

    Returns
    -------
    Threshold or None
        None for more than two classes.

    Raises
    ------
    InputError
        A threshold is asked for that two classes, or scores, are needed for.
    """
    if positive is None or len(np.unique(y)) != 2:
        if config.threshold not in (OWN, "0.5"):
            raise InputError(
                "a threshold needs two classes", where=f"--threshold {config.threshold}"
            )
        return None
    if config.threshold == OWN and own is not None:
        return own
    scores, truth = np.zeros(0), np.zeros(0, dtype=bool)
    if results:
        scores, truth, _ = out_of_fold(results, config.model, y, positive)
    return choose_threshold("0.5" if config.threshold == OWN else config.threshold, scores, truth)


def validation_of_classes(
    results: Sequence[FoldResult], model: str, y: np.ndarray, positive: str | None
) -> dict[str, np.ndarray] | None:
    """Keep out-of-fold scores for the report's curves, sorted so that they tell of no one's row.

    Parameters
    ----------
    results : sequence of FoldResult
    model : str
    y : array of str of shape (n_rows,)
    positive : str or None

    Returns
    -------
    dict of str to array, or None
        ``scores``, ``positive`` and ``votes``; None where there is nothing to keep.
    """
    if not results or positive is None:
        return None
    scores, truth, votes = out_of_fold(results, model, y, positive)
    order = np.lexsort((truth, scores))
    return {"scores": scores[order], "positive": truth[order], "votes": votes[order]}


def card_figures(
    config: TrainConfig,
    grouped: bool,
    rows: Sequence[Mapping[str, Any]],
    search: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Write the card's part on cross-validation.

    Parameters
    ----------
    config : TrainConfig
    grouped : bool
        Whether rows of one group stayed in one fold.
    rows : sequence of mapping
        A row a model; seconds are left out, since they differ between two runs.
    search : mapping, optional
        How parameters were chosen.

    Returns
    -------
    dict
    """
    return {
        "folds": config.cv,
        "grouped_by": config.group or ("user" if grouped else None),
        "stratified": True,
        **({} if search is None else {"nested_search": dict(search)}),
        "models": [
            {name: value for name, value in row.items() if "seconds" not in name} for row in rows
        ],
    }


def card_threshold(
    threshold: Threshold | None, in_folds: Sequence[float] = ()
) -> dict[str, Any] | None:
    """Write the card's part on the threshold.

    Parameters
    ----------
    threshold : Threshold or None
    in_folds : sequence of float, optional
        What inner folds chose, fold by fold.

    Returns
    -------
    dict or None
    """
    if threshold is None:
        return None
    chosen = {
        "value": threshold.value,
        "rule": threshold.spec,
        "reason": _reason(threshold),
    }
    if in_folds:
        chosen["figures_at"] = "thresholds chosen in the inner folds: " + ", ".join(
            f"{value:.4g}" for value in in_folds
        )
    return chosen


def _reason(threshold: Threshold) -> str:
    """How the threshold came about."""
    if threshold.spec == OWN:
        return (
            f"the model's own: the blocks from this share on hold {threshold.n_flagged} training "
            "rows, at least as many as are positive"
        )
    if threshold.n_rows == 0 or (":" not in threshold.spec and threshold.spec != "youden"):
        return "given, not chosen on scores"
    return (
        f"chosen on {threshold.n_rows} out-of-fold scores, of which it flags {threshold.n_flagged}"
    )


def class_counts(labels: np.ndarray) -> dict[str, int]:
    """Count the rows of each class.

    Parameters
    ----------
    labels : array of shape (n_rows,)

    Returns
    -------
    dict of str to int
        Sorted by name.

    Examples
    --------
    >>> class_counts(np.array(["b", "a", "b"], dtype=object))
    {'a': 1, 'b': 2}
    """
    classes, counts = np.unique(labels.astype(str), return_counts=True)
    return dict(zip(classes.tolist(), counts.tolist(), strict=True))


def described_features(X: np.ndarray, n_categorical: int = 0) -> dict[str, Any]:
    """Write the card's part on how the training rows' features lie, which scores are held against.

    Parameters
    ----------
    X : float64 array of shape (n_rows, n_numbers)
        At least one row.
    n_categorical : int, default 0
        Features of words, which come after the numbers.

    Returns
    -------
    dict
        ``low`` and ``high``: a number a feature, None where there is none; ``distribution`` of the
        numbers, as `whybox.model_selection.drift.reference_distribution` gives it.

    Examples
    --------
    >>> found = described_features(np.array([[1.0, np.nan], [3.0, np.nan]]), 1)
    >>> found["low"], found["distribution"]["counts"]
    ([1.0, None, None], [[1, 1, 0, 0], [0, 2]])
    """
    ranges, words = feature_ranges(X), [None] * n_categorical
    return {
        "low": [*_finite_or_none(ranges.low), *words],
        "high": [*_finite_or_none(ranges.high), *words],
        "distribution": reference_distribution(X),
    }


def _finite_or_none(values: np.ndarray) -> list[float | None]:
    """Numbers for JSON, None for what is not finite."""
    return [float(value) if np.isfinite(value) else None for value in values]


def training_lines(
    table: Dataset, data: Dataset, what: str, unused: str = "since they hold no numbers"
) -> list[str]:
    """Tell a person what was learnt from, and what to look at.

    Parameters
    ----------
    table : Dataset
        As read.
    data : Dataset
        As learnt from.
    what : str
        The outcomes in a few words.
    unused : str
        Why columns were left out.

    Returns
    -------
    list of str
    """
    unlabelled = int((~table.has_label).sum())
    lines = [
        f"learnt from {len(data.labels)} rows ({what}) and {len(data.features)} features; "
        f"{unlabelled} rows without a label"
    ]
    if data.left_out:
        lines.append(f"not used, {unused}: {', '.join(data.left_out)}")
    return lines + [f"look at column {name}: {why}" for name, why in suspects(data)]


def suspects(data: Dataset) -> list[tuple[str, str]]:
    """Find columns that count the rows: such a number is no feature, and may give the class away.

    Parameters
    ----------
    data : Dataset

    Returns
    -------
    list of (name, why)
    """
    found = []
    for position, name in enumerate(data.names):
        column = data.X[:, position]
        if len(column) > 20 and np.all(np.diff(column) == 1):
            found.append((name, "it counts the rows; leave it out with --features"))
    return found
