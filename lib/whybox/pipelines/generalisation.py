"""How readable columns generalise: learnt from one fold of short texts, judged on all others.

The reversed k-fold study of Francisco and Castro, section 6.2, on raw posts of two classes: a grid of
thresholds of expressions beside the filters they compete with, four classifiers, resumable, on any
session. There is no verb for it: ``jobs/sentiment140_generalisation.py`` is its command.
"""

from __future__ import annotations

import hashlib
import json
import math
import shutil
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whybox.config import RunConfig
from whybox.data.csvcells import csv_text
from whybox.data.publish import publishing
from whybox.errors import InputError
from whybox.explain.card import software_versions
from whybox.expressions.comprehensibility import complexity
from whybox.graph.expressions import encode_posts, run_designs
from whybox.graph.posts import posts_bag
from whybox.graph.session import Session, using
from whybox.model_selection.generalisation import (
    CLASSIFIERS,
    FILTERS,
    THRESHOLDS,
    Design,
    ReversedFolds,
    deal_folds,
)
from whybox.model_selection.ledger import open_ledger
from whybox.model_selection.tallies import FIGURES, RowCounts, judge
from whybox.pipelines.outcome import Outcome, Table
from whybox.progress import SILENT, Progress

__all__ = ["GeneralisationConfig", "run"]

TASKS = "tasks.jsonl"
_ALL = "all"
_SETTING = ("method", *THRESHOLDS)
_OF_COLUMNS = ("n_columns", "folds_without_columns", "jaccard")
_OF_TREES = ("rules", "clauses", "complexity")

Found = Mapping[tuple[Design, int], Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class GeneralisationConfig(RunConfig):
    """What to study.

    Parameters
    ----------
    source : str
        Posts with labels of two classes; of these the second in sorted order is the positive one.
    out : path
        Folder to write.
    format : str, default "sentiment140"
    n_folds : int, default 100
        As many models a design; each learns from a fold.
    n_columns : int, default 9
        Columns of each model.
    min_precision, min_recall, max_words : tuples
        The grid of thresholds of expressions.
    filters : tuple of str
        Beside them; default all.

    Examples
    --------
    >>> config = GeneralisationConfig(source="posts.csv", out=Path("study"), max_words=(1, 3))
    >>> len(config.designs())
    25
    """

    source: str
    out: Path
    format: str = "sentiment140"
    n_folds: int = 100
    n_columns: int = 9
    min_precision: tuple[float, ...] = (0.6, 0.75, 0.9)
    min_recall: tuple[float, ...] = (0.001, 0.003, 0.01)
    max_words: tuple[int, ...] = (1, 3)
    filters: tuple[str, ...] = tuple(FILTERS)

    def designs(self) -> list[Design]:
        """List all ways in which columns are made.

        Raises
        ------
        InputError
            If a threshold is out of its range or a filter unknown.
        """
        grid = product(self.min_precision, self.min_recall, self.max_words)
        expressions = [Design("expressions", self.n_columns, *given) for given in grid]
        return expressions + [Design(name, self.n_columns) for name in self.filters]


def run(
    config: GeneralisationConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Run the study.

    Parameters
    ----------
    config : GeneralisationConfig
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome
        OUT/generalisation.csv has a row for each design and classifier, and ``all`` for the mean
        over classifiers; OUT/folds.csv a row for each fold, too; OUT/columns.csv what was chosen.
        Posts are taken as they stand, duplicates included.

    Raises
    ------
    InputError
        The posts have not two classes, or fewer of one than there are folds; an option is out of
        its range.
    RunError
        Another run is at work on OUT, or a worker died; what was done is kept.
    """
    designs = config.designs()
    tasks = [(design, fold) for design in designs for fold in range(config.n_folds)]
    beside = config.out.absolute().with_name(f".{config.out.name}.{TASKS}")
    with open_ledger(beside) as ledger, using(session, config, progress) as opened:
        if (config.out / TASKS).exists():
            ledger.take_over(config.out / TASKS)
        known = len(ledger)
        posts = posts_bag(config.source, config.format, npartitions=config.partitions)
        corpus, labels = encode_posts(opened, posts)
        positive = _positive(labels.to_pylist(), config.source)
        fold_of = deal_folds(positive, config.n_folds, config.seed)
        folds = ReversedFolds(corpus, positive, fold_of, config.seed)
        label = f"learning from each of {config.n_folds} folds"
        found = {tasks[at]: done for at, done in run_designs(opened, folds, tasks, ledger, label)}
        found = {task: found[task] for task in tasks}  # in one order, however they arrived
        rows = [row for design in designs for row in _summary(design, found)]
        rows.append(_always_true(folds))
        with publishing(config.out) as staging:
            _write(staging, config, folds, found, rows)
            shutil.copyfile(beside, staging / TASKS)
        computed = len(ledger) - known
        beside.unlink()
    return _outcome(config, folds, rows, computed)


def _positive(labels: Sequence[str | None], source: str) -> NDArray[np.bool_]:
    """Which posts are of the positive class."""
    missing = labels.count(None)
    classes = sorted({label for label in labels if label is not None})
    if missing or len(classes) != 2:
        raise InputError(
            f"{len(labels)} posts of {len(classes)} classes, {missing} of them without a label",
            where=source,
            remedy="give posts of two classes, each with its label",
        )
    return np.array([label == classes[1] for label in labels], bool)


def _summary(design: Design, found: Found) -> list[dict[str, Any]]:
    """Means and standard deviations of one design: over all classifiers, and of each."""
    done = [figures for (some, _), figures in found.items() if some == design]
    chosen = [set(figures["columns"]) for figures in done]
    columns = {
        "n_columns": design.n_columns,
        "folds_without_columns": sum(not some for some in chosen),
        "jaccard": _mean([_jaccard(*pair) for pair in combinations(chosen, 2)]),
    }
    rows = []
    for name in (_ALL, *CLASSIFIERS):
        taken = CLASSIFIERS if name == _ALL else (name,)
        judged = [figures["judged"][each] for figures in done for each in taken]
        shown = {"classifier": name, **_spread(judged), **columns, **_size(judged)}
        rows.append({**_setting(design), **shown})
    return rows


def _spread(judged: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Mean and standard deviation of each figure."""
    return {
        f"{figure}_{kind}": work([some[figure] for some in judged])
        for figure in FIGURES
        for kind, work in (("mean", _mean), ("sd", _sd))
    }


def _size(judged: Sequence[Mapping[str, Any]]) -> dict[str, float | None]:
    """How large trees are: means over folds, and the complexity of these, as published."""
    if not all("rules" in some for some in judged):
        return dict.fromkeys(_OF_TREES)
    n_rules, length = (_mean([some[name] for some in judged]) for name in ("rules", "clauses"))
    return {"rules": n_rules, "clauses": length, "complexity": complexity(n_rules, length)}


def _always_true(folds: ReversedFolds) -> dict[str, Any]:
    """The row of whoever calls everything positive."""
    found = []
    for fold in range(folds.n_folds):
        positive = folds.positive[folds.fold_of != fold]
        counts = RowCounts.of(np.zeros(len(positive), int), positive, 1)
        found.append(judge(counts, [True], [1.0]))
    nothing = dict.fromkeys((*_SETTING, *_OF_COLUMNS, *_OF_TREES))
    return {**nothing, "method": "always positive", "classifier": _ALL, **_spread(found)}


def _setting(design: Design) -> dict[str, Any]:
    """What tells one design from another, beside the number of columns."""
    given = asdict(design)
    return {name: given[name] for name in _SETTING}


def _cell(mean: float, sd: float) -> str:
    """A figure with its spread, as in .574 ± .039."""
    return f"{mean:.3f} ± {sd:.3f}".replace("0.", ".")


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _sd(values: Sequence[float]) -> float:
    """With n - 1, as published."""
    mean = _mean(values)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (len(values) - 1))


def _jaccard(one: set[str], other: set[str]) -> float:
    """Share of columns that both folds chose among those that one of them did."""
    return len(one & other) / len(one | other) if one | other else 1.0


def _write(
    staging: Path,
    config: GeneralisationConfig,
    folds: ReversedFolds,
    found: Found,
    rows: Sequence[Mapping[str, Any]],
) -> None:
    """All files of a study."""
    header = [name for name in rows[0] if name != "n_columns"]
    listed = [[row[name] for name in header] for row in rows]
    (staging / "generalisation.csv").write_text(csv_text(header, listed), encoding="utf-8")
    (staging / "folds.csv").write_text(_fold_table(found), encoding="utf-8")
    columns = csv_text([*_SETTING, "fold", "rank", "words"], _column_rows(found))
    (staging / "columns.csv").write_text(columns, encoding="utf-8")
    identity = [folds.fingerprint(), [asdict(design) for design in config.designs()]]
    manifest = {
        "version": 1,
        "kind": "generalisation",
        "identity": hashlib.sha256(json.dumps(identity).encode()).hexdigest(),
        "software": software_versions(),
    }
    (staging / "manifest.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")


def _fold_table(found: Found) -> str:
    """Each classifier on each fold of each design."""
    header = [*_SETTING, "fold", "n_train", "n_test", "classifier", *FIGURES, "rules", "clauses"]
    rows = (
        [*_setting(design).values(), fold + 1, done["n_train"], done["n_test"], name]
        + [figures.get(each) for each in header[-len(FIGURES) - 2 :]]
        for (design, fold), done in found.items()
        for name, figures in done["judged"].items()
    )
    return csv_text(header, rows)


def _column_rows(found: Found) -> Iterable[list[Any]]:
    """Each column of each fold of each design, best first."""
    for (design, fold), done in found.items():
        for rank, words in enumerate(done["columns"], 1):
            yield [*_setting(design).values(), fold + 1, rank, words]


def _outcome(
    config: GeneralisationConfig,
    folds: ReversedFolds,
    rows: Sequence[Mapping[str, Any]],
    computed: int,
) -> Outcome:
    """The means over classifiers as a table, and where the rest is."""
    shown = ("accuracy", "precision", "recall", "f1", "auc_of_labels", "auc")
    body = tuple(
        (
            *("–" if row[name] is None else str(row[name]) for name in _SETTING),
            *(_cell(row[f"{name}_mean"], row[f"{name}_sd"]) for name in shown),
            "–" if row["jaccard"] is None else f"{row['jaccard']:.2f}",
        )
        for row in rows
        if row["classifier"] == _ALL
    )
    n, k = len(folds.corpus), config.n_folds
    table = Table(
        f"{n} documents, trained on one of {k} folds, tested on the others: mean and sd over folds "
        "and classifiers",
        ("method", "p", "r", "words", *shown, "Jaccard"),
        body,
    )
    lines = (f"{computed} of {k * len(config.designs())} tasks were computed", f"out: {config.out}")
    values = {"out": str(config.out), "documents": n, "folds": k, "tasks_computed": computed}
    return Outcome("generalisation", {**values, "figures": list(rows)}, lines, (table,))
