"""What a comparison is about: its tasks, its models, and what each of them may choose from."""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from whybox.config import CompareConfig
from whybox.errors import InputError
from whybox.features.lda import TopicSettings
from whybox.graph.session import Session
from whybox.graph.topics import fold_topics
from whybox.model_selection.grids import expand, read_grid
from whybox.model_selection.metrics import METRICS
from whybox.model_selection.nested import Problem, make_problem
from whybox.model_selection.registry import known_models, make_model
from whybox.model_selection.splitters import make_splitter
from whybox.pipelines.appraisal import trivial_rows
from whybox.pipelines.dataset import Dataset
from whybox.pipelines.labelling import positive_class

__all__ = ["ALL_PAIRS", "Task", "candidates_of", "make_tasks", "with_topics"]

ALL_PAIRS = "all-pairs"


@dataclass(frozen=True, eq=False)
class Task:
    """One question that all models are asked.

    Attributes
    ----------
    name : str
    problem : Problem
    data : Dataset
        Its rows.
    """

    name: str
    problem: Problem
    data: Dataset


def make_tasks(config: CompareConfig, data: Dataset, *, searched: bool) -> list[Task]:
    """Make one task, or one for each pair of classes.

    Parameters
    ----------
    config : CompareConfig
    data : Dataset
        Labelled rows.
    searched : bool
        Whether inner folds are needed.

    Returns
    -------
    list of Task

    Raises
    ------
    InputError
        If the folds do not go with the classes or groups, or there would be none.
    """
    splitter = make_splitter(config.cv, seed=config.seed)
    if splitter.n_folds == 0:
        raise InputError(
            "nothing can be compared without folds", where="--cv 0", remedy="ask for 2 or more"
        )
    labels = data.labels.astype(str)
    classes = np.unique(labels).tolist()
    pairs = config.classes == (ALL_PAIRS,)
    chosen = list(itertools.combinations(classes, 2)) if pairs else [tuple(classes)]
    tasks = []
    for some in chosen:
        part = data.take(np.isin(labels, some))
        y = part.labels.astype(str)
        asked = config.positive if config.positive in some or not pairs else None
        problem = make_problem(
            part.X,
            y,
            splitter.split(y, part.groups),
            groups=part.groups,
            positive=positive_class(list(some), asked),
            n_inner=config.inner if searched else 0,
            seed=config.seed,
        )
        tasks.append(Task(" vs ".join(some) if pairs else "all rows", problem, part))
    return tasks


def with_topics(session: Session, config: CompareConfig, task: Task) -> Task:
    """Add topics to a task, fitted for each outer fold on its train rows alone.

    Parameters
    ----------
    session : Session
    config : CompareConfig
    task : Task
        Whose data have documents, if topics are asked for.

    Returns
    -------
    Task
        The same if no topics are asked for.

    Raises
    ------
    InputError
        If the documents have too few words.
    """
    if not config.topics:
        return task
    data, plain = task.data, task.problem
    assert data.documents is not None
    settings = TopicSettings(config.topics, config.seed)
    problem = make_problem(
        data.X,
        plain.y,
        plain.outer,
        groups=data.groups,
        positive=plain.positive,
        n_inner=len(plain.inner[0]),
        seed=config.seed,
        columns=fold_topics(session, data.documents, plain.outer, settings),
    )
    return Task(task.name, problem, data)


def candidates_of(config: CompareConfig, names: Sequence[str]) -> dict[str, list[dict[str, Any]]]:
    """List what each model may choose from; one entry is no choice.

    Parameters
    ----------
    config : CompareConfig
    names : sequence of str
        The features, in the order of the columns.

    Returns
    -------
    dict of str to list of dict
        The models in their order, each once, the majority last unless it is asked for elsewhere.
        metadata-only and keyword-only are models too, where there are such features.

    Raises
    ------
    InputError
        If a model is unknown, not installed, or has no such parameter, or a figure is unknown.
    """
    if config.select_by not in METRICS:
        raise InputError(
            f"{config.select_by!r} is no figure",
            where="--select-by",
            remedy=f"choose one of {', '.join(METRICS)}",
        )
    trivial = trivial_rows(names)
    known = (*known_models(), *trivial)
    unknown = [name for name in config.models if name not in known]
    if unknown or not config.models:
        raise InputError(
            f"there is no model {', '.join(map(repr, unknown)) or 'given'}",
            where="--models",
            remedy=f"choose among {', '.join(known)}",
        )
    grids = read_grid(config.grid)
    found = {}
    for name in dict.fromkeys((*config.models, "majority")):
        given = [_by_column(params, names) for params in expand(grids.get(name, {}))]
        if name in trivial:
            given = trivial[name]
        elif config.n_estimators is not None and _has_trees(name):
            given = [{**params, "n_estimators": config.n_estimators} for params in given]
        # two that only differed in their number of trees are one now
        distinct = {json.dumps(params, sort_keys=True): params for params in given}
        for params in distinct.values():
            make_model(name, 0, **params)  # refuse now what would be refused after hours
        found[name] = list(distinct.values())
    return found


def _has_trees(name: str) -> bool:
    """Whether a model is an ensemble of as many trees as it is told."""
    parameters = make_model(name, 0).get_params()
    return "n_estimators" in parameters or "estimator__n_estimators" in parameters


def _by_column(params: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Name features by their columns, as models that get a bare matrix know them."""
    signs = params.get("signs")
    if not isinstance(signs, Mapping):
        return dict(params)
    columns = {name: column for column, name in enumerate(names)}
    missing = [name for name in signs if name not in columns]
    if missing:
        raise InputError(
            f"there is no feature {', '.join(map(repr, missing))}",
            where="--grid, signs",
            remedy=f"choose among {', '.join(list(names)[:40])}",
        )
    return {**params, "signs": {columns[name]: sign for name, sign in signs.items()}}
