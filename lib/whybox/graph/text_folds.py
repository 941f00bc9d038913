"""Cross-validation of models of texts on a session: the encoded corpus is sent once to all folds.

Expressions, words and weights are learnt from a fold's training documents and nothing else.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from whybox.errors import InputError
from whybox.expressions.advice import CoverageWarning, PrecisionWarning
from whybox.expressions.analysis import Analyzer
from whybox.expressions.corpus import Corpus, encode
from whybox.graph.session import Session
from whybox.model_selection.folds import FoldResult
from whybox.model_selection.metrics import evaluate
from whybox.model_selection.splitters import Fold

__all__ = [
    "FAMILY",
    "TextProblem",
    "TextTask",
    "encode_files",
    "fit_text_model",
    "make_text_model",
    "run_text_fold",
    "score_text_folds",
    "text_folds",
]

FAMILY = "expressions-"
"""What the names of models of expressions begin with; the classifier's name follows."""


@dataclass(frozen=True, eq=False)
class TextProblem:
    """Encoded documents with their classes.

    Parameters
    ----------
    corpus : Corpus
    y : array of str (documents,)
    positive : str or None
    language : str, default "english"
    seed : int, default 0
        Of trees and forests.
    """

    corpus: Corpus
    y: NDArray[Any]
    positive: str | None
    language: str = "english"
    seed: int = 0

    @property
    def classes(self) -> tuple[str, ...]:
        """All labels, sorted."""
        return tuple(np.unique(self.y).tolist())


@dataclass(frozen=True, eq=False)
class TextTask:
    """A model to be learnt from one side of a fold and judged on the other.

    Parameters
    ----------
    model : str
        As `make_text_model` knows it.
    fold : Fold
    params : mapping
        Of ``DiscriminatoryExpressions``; of the peers only ``n_expressions`` counts.
    threshold : float, default 0.5
        Of the decisions that sensitivity, specificity and precision judge.
    """

    model: str
    fold: Fold
    params: Mapping[str, Any] = field(default_factory=dict)
    threshold: float = 0.5


def make_text_model(name: str, problem: TextProblem, params: Mapping[str, Any]) -> Any:
    """Make a classifier of an encoded corpus that is not fitted yet.

    Parameters
    ----------
    name : str
        ``expressions-`` or ``chi2-`` and one of tree, logistic, forest, knn; ``tfidf-logistic``.
    problem : TextProblem
    params : mapping
        Of ``DiscriminatoryExpressions``.

    Returns
    -------
    classifier

    Raises
    ------
    InputError
        If the name is not known.

    Examples
    --------
    >>> problem = TextProblem(encode(["a", "b"]), np.array(["x", "y"]), "y")
    >>> make_text_model("expressions-knn", problem, {"max_words": 2}).classifier
    'knn'
    """
    from whybox.expressions.classifier import ExpressionsClassifier
    from whybox.expressions.estimator import DiscriminatoryExpressions
    from whybox.expressions.peers import TermsClassifier
    from whybox.expressions.vectors import TermVectors

    kind, _, head = name.partition("-")
    seeded: dict[str, Any] = {"classifier": head, "random_state": problem.seed}
    if f"{kind}-" == FAMILY:
        found = DiscriminatoryExpressions(**{"language": problem.language, **params})
        return ExpressionsClassifier(found, **seeded)
    if kind == "chi2":
        k = params.get("n_expressions") or len(problem.corpus.words)
        return TermsClassifier(k=k, language=problem.language, **seeded)
    if name == "tfidf-logistic":
        from sklearn.linear_model import LogisticRegression
        from sklearn.pipeline import make_pipeline

        vectors = TermVectors("tfidf", language=problem.language)
        return make_pipeline(vectors, LogisticRegression(max_iter=1000))
    raise InputError(f"there is no model {name!r} of texts", where="--model")


def run_text_fold(task: TextTask, problem: TextProblem) -> FoldResult:
    """Learn from the training documents, and judge on the others.

    Parameters
    ----------
    task : TextTask
    problem : TextProblem

    Returns
    -------
    FoldResult

    Raises
    ------
    InputError
        If no expression passes among the training documents.

    Examples
    --------
    >>> problem = TextProblem(encode(["good", "bad"] * 4), np.array(["+", "-"] * 4), "+")
    >>> fold = Fold(0, np.arange(4), np.arange(4, 8))
    >>> run_text_fold(TextTask("expressions-tree", fold), problem).metrics["accuracy"]
    1.0
    """
    fold, y = task.fold, problem.y
    with threadpool_limits(1), quiet():
        started = time.perf_counter()
        if task.model == "majority":
            from whybox.baselines.majority import MajorityClassifier

            model = MajorityClassifier().fit(np.zeros((len(fold.train), 1)), y[fold.train])
            unseen: Any = np.zeros((len(fold.test), 1))
        else:
            model = make_text_model(task.model, problem, task.params)
            model.fit(problem.corpus.take(fold.train), y[fold.train])
            unseen = problem.corpus.take(fold.test)
        fitted = time.perf_counter()
        proba = np.asarray(model.predict_proba(unseen), np.float64)
        y_pred = np.asarray(model.classes_)[proba.argmax(axis=1)]
        done = time.perf_counter()
    metrics = evaluate(
        y[fold.test], y_pred, proba, problem.classes, problem.positive, threshold=task.threshold
    )
    return FoldResult(
        model=task.model,
        fold=fold.number,
        test=fold.test,
        n_train=len(fold.train),
        y_pred=y_pred,
        proba=proba,
        metrics=metrics,
        fit_seconds=fitted - started,
        predict_seconds=done - fitted,
    )


def text_folds(
    session: Session, problem: TextProblem, tasks: Sequence[TextTask], label: str
) -> list[FoldResult]:
    """Run tasks over one shared corpus.

    Parameters
    ----------
    session : Session
    problem : TextProblem
    tasks : sequence of TextTask
    label : str
        What the work is, for whoever watches.

    Returns
    -------
    list of FoldResult
        In the order of the tasks.

    Raises
    ------
    InputError
        As `run_text_fold`.
    """
    from dask.delayed import delayed

    run, shared = delayed(run_text_fold, pure=False), session.share(problem)
    return session.compute([run(task, shared) for task in tasks], label)


def score_text_folds(
    session: Session, problem: TextProblem, tasks: Sequence[TextTask], label: str
) -> list[float | None]:
    """Run tasks of which only the accuracy is wanted, to choose parameters by.

    Parameters
    ----------
    session, problem, tasks, label
        As for `text_folds`.

    Returns
    -------
    list of float or None
        None where no expression passes.
    """
    from dask.delayed import delayed

    run, shared = delayed(_accuracy, pure=False), session.share(problem)
    return session.compute([run(task, shared) for task in tasks], label)


def fit_text_model(
    session: Session, problem: TextProblem, name: str, params: Mapping[str, Any]
) -> tuple[Any, list[str]]:
    """Fit a model to all documents, as a task.

    Parameters
    ----------
    session : Session
    problem : TextProblem
    name : str
    params : mapping

    Returns
    -------
    fitted model
    list of str
        Advice on its thresholds.

    Raises
    ------
    InputError
        If no expression passes.
    """
    from dask.delayed import delayed

    fit = delayed(_fit, pure=False)
    task = fit(name, session.share(problem), dict(params))
    fitted: tuple[Any, list[str]] = session.compute([task], f"fitting {name} on all texts")[0]
    return fitted


def encode_files(
    session: Session, paths: Sequence[Path], analyzer: Analyzer | None = None
) -> Corpus:
    """Encode the texts of Parquet files of posts, a task a file.

    Parameters
    ----------
    session : Session
        Its workers see the files under the same paths.
    paths : sequence of Path
        Each with a column ``text``.
    analyzer : Analyzer, optional

    Returns
    -------
    Corpus
        In the order of the files and of their rows.

    Raises
    ------
    InputError
        If there is no file.
    """
    from dask.delayed import delayed

    work = delayed(_encode_file, pure=False)
    return Corpus.merge(
        session.compute([work(str(path), analyzer) for path in paths], "encoding texts")
    )


@contextmanager
def quiet() -> Iterator[None]:
    """Without advice on thresholds: of many fits it would be the same."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", CoverageWarning)
        warnings.simplefilter("ignore", PrecisionWarning)
        yield


def _accuracy(task: TextTask, problem: TextProblem) -> float | None:
    """Module-level, so that a worker finds it."""
    try:
        accuracy: float | None = run_text_fold(task, problem).metrics["accuracy"]
    except InputError:  # nothing passes these thresholds here
        return None
    return accuracy


def _fit(name: str, problem: TextProblem, params: Mapping[str, Any]) -> tuple[Any, list[str]]:
    """Module-level, so that a worker finds it."""
    with threadpool_limits(1), warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", CoverageWarning)
        warnings.simplefilter("always", PrecisionWarning)
        model = make_text_model(name, problem, params).fit(problem.corpus, problem.y)
    kinds = (CoverageWarning, PrecisionWarning)
    return model, [str(each.message) for each in caught if issubclass(each.category, kinds)]


def _encode_file(path: str, analyzer: Analyzer | None) -> Corpus:
    """Module-level, so that a worker finds it."""
    import pyarrow.parquet as pq

    return encode(pq.read_table(path, columns=["text"])["text"].to_pylist(), analyzer)
