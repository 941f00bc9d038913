"""The reversed cross-validation of short texts: learn from one fold, judge on all others.

Francisco and Castro, "Discriminatory Expressions to Improve Model Comprehensibility in Short
Documents", section 6.2. A `ReversedFolds` holds all that is large and is sent once; a `Design` says
in a few words how columns are made; figures come back small, and are JSON as they are.
"""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from whybox.errors import InputError
from whybox.expressions import filters
from whybox.expressions.advice import CoverageWarning, PrecisionWarning
from whybox.expressions.comprehensibility import clauses, rules
from whybox.expressions.corpus import Corpus
from whybox.expressions.distinct import distinct_rows
from whybox.expressions.estimator import DiscriminatoryExpressions
from whybox.expressions.matching import Matcher
from whybox.expressions.mining import Settings
from whybox.expressions.select_terms import SelectTerms
from whybox.expressions.vectors import TermVectors
from whybox.model_selection.nested import software_of
from whybox.model_selection.tallies import RowCounts, judge

__all__ = [
    "CLASSIFIERS",
    "FILTERS",
    "THRESHOLDS",
    "Design",
    "ReversedFolds",
    "deal_folds",
    "design_key",
    "run_design",
]

CLASSIFIERS = ("knn", "tree", "forest", "logistic")
"""The four of the paper, with scikit-learn's defaults, as there."""

THRESHOLDS = ("min_precision", "min_recall", "max_words")
"""p, r and alpha: what expressions have and filters have not."""

FILTERS: Mapping[str, Callable[..., NDArray[np.float64]]] = {
    "chi2": filters.chi2,
    "ece": filters.expected_cross_entropy,
    "f-anova": filters.f_anova,
    "gss": filters.gss,
    "ig": filters.information_gain,
    "mi": filters.mutual_information,
    "or": filters.odds_ratio,
}
"""What expressions compete with: the filters of the paper, on words that are no stop words."""


@dataclass(frozen=True)
class Design:
    """How columns are made of the texts of a training fold.

    Parameters
    ----------
    method : str, default "expressions"
        Or one of `FILTERS`.
    n_columns : int, default 9
    min_precision, min_recall, max_words : float, float, int
        Thresholds of expressions; filters have none.

    Raises
    ------
    InputError
        If the method is unknown, or a value is out of its range.

    Examples
    --------
    >>> Design("chi2").n_columns, Design("expressions", 9, 0.6, 0.01, 3).max_words
    (9, 3)
    """

    method: str = "expressions"
    n_columns: int = 9
    min_precision: float | None = None
    min_recall: float | None = None
    max_words: int | None = None

    def __post_init__(self) -> None:
        if self.method not in ("expressions", *FILTERS):
            raise InputError(
                f"got the method {self.method!r}",
                remedy=f"use expressions, or one of {', '.join(FILTERS)}",
            )
        if self.n_columns < 1:
            raise InputError(f"got n_columns={self.n_columns}", remedy="use 1 or more")
        given: dict[str, Any] = {name: getattr(self, name) for name in THRESHOLDS}
        if self.method == "expressions":
            Settings(**given)
        elif any(value is not None for value in given.values()):
            raise InputError(f"{self.method} has no thresholds", remedy="leave them out")


@dataclass(frozen=True, eq=False)
class ReversedFolds:
    """Encoded documents of two classes, dealt to folds.

    Parameters
    ----------
    corpus : Corpus
    positive : bool (documents,)
    fold_of : int32 (documents,)
    seed : int, default 0
        Of the classifiers.

    Examples
    --------
    >>> from whybox.expressions.corpus import encode
    >>> texts, positive = ["good", "bad"] * 4, np.array([True, False] * 4)
    >>> folds = ReversedFolds(encode(texts), positive, deal_folds(positive, 2))
    >>> folds.n_folds, len(folds.fingerprint())
    (2, 64)
    """

    corpus: Corpus
    positive: NDArray[np.bool_]
    fold_of: NDArray[np.int32]
    seed: int = 0

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return int(self.fold_of.max()) + 1

    def fingerprint(self) -> str:
        """Name documents, classes, folds and seed by one SHA-256, in hexadecimal."""
        corpus = self.corpus
        digest = hashlib.sha256(json.dumps([corpus.forms, corpus.words, self.seed]).encode())
        for array in (corpus.indptr, corpus.tokens, corpus.word_of, self.positive, self.fold_of):
            digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()


def deal_folds(positive: ArrayLike, n_folds: int, seed: int = 0) -> NDArray[np.int32]:
    """Deal documents to folds, each class evenly, shuffled by a seed.

    Parameters
    ----------
    positive : bool (documents,)
    n_folds : int
        2 or more.
    seed : int, default 0

    Returns
    -------
    int32 (documents,)
        The fold of each document, from 0.

    Raises
    ------
    InputError
        If there are fewer than two folds, or a class has fewer documents than there are folds.

    Examples
    --------
    >>> sorted(deal_folds([True, False] * 3, 3).tolist())
    [0, 0, 1, 1, 2, 2]
    """
    if n_folds < 2:
        raise InputError(f"got {n_folds} folds", where="--folds", remedy="use 2 or more")
    truth = np.asarray(positive, bool)
    rng = np.random.Generator(np.random.PCG64(seed))
    fold_of = np.zeros(len(truth), np.int32)
    dealt = 0
    for members in (np.flatnonzero(~truth), np.flatnonzero(truth)):
        if len(members) < n_folds:
            raise InputError(
                f"a class has {len(members)} documents for {n_folds} folds",
                where="--folds",
                remedy="use fewer folds, or more documents",
            )
        # the next class goes on where this one ends, so that sizes differ by one at most
        fold_of[rng.permutation(members)] = (dealt + np.arange(len(members))) % n_folds
        dealt += len(members)
    return fold_of


def design_key(design: Design, fold: int, fingerprint: str) -> str:
    """Name a task by all that its figures depend on.

    Parameters
    ----------
    design : Design
    fold : int
    fingerprint : str
        Of the `ReversedFolds`.

    Returns
    -------
    str
        SHA-256, in hexadecimal.

    Examples
    --------
    >>> design_key(Design("chi2"), 0, "") == design_key(Design("chi2"), 1, "")
    False
    """
    parts = [asdict(design), fold, fingerprint, software_of("majority")]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def run_design(design: Design, fold: int, folds: ReversedFolds) -> dict[str, Any]:
    """Learn columns and classifiers from one fold, and judge them on all others.

    Parameters
    ----------
    design : Design
    fold : int
    folds : ReversedFolds

    Returns
    -------
    dict
        JSON values: ``columns`` (words), ``n_train``, ``n_test``, and ``judged``: for each of
        `CLASSIFIERS` the `whybox.model_selection.tallies.FIGURES` on the other folds, and of trees
        ``rules`` and ``clauses``. Where no expression passes, columns are none and the commoner
        class of the fold is predicted.

    Notes
    -----
    The training documents are shuffled by the seed before classifiers see them: most rows are
    equal, so that the order decides which of them are the nearest neighbours.

    Examples
    --------
    >>> from whybox.expressions.corpus import encode
    >>> positive = np.array([True, False] * 20)
    >>> corpus = encode(["good", "bad"] * 20)
    >>> folds = ReversedFolds(corpus, positive, deal_folds(positive, 2))
    >>> figures = run_design(Design("chi2"), 0, folds)
    >>> figures["columns"], figures["judged"]["tree"]["accuracy"], figures["n_test"]
    (['bad', 'good'], 1.0, 20)
    """
    train = folds.fold_of == fold
    columns = _choose_columns(design, folds.corpus.take(train), folds.positive[train])
    drawn = np.random.SeedSequence((folds.seed, fold))
    # of equally near neighbours the first ones count, and files may be sorted by class
    shuffled = np.random.Generator(np.random.PCG64(drawn)).permutation(np.flatnonzero(train))
    rows, where = _rows_of(columns, folds.corpus)
    unseen = RowCounts.of(where[~train], folds.positive[~train], len(rows))
    judge_one = partial(
        _judge_classifier,
        seed=int(drawn.generate_state(1)[0]),
        rows=rows.astype(np.float64),
        known=where[shuffled],
        y=folds.positive[shuffled],
        unseen=unseen,
    )
    with threadpool_limits(1):  # sums in one order, wherever it runs
        judged = {name: judge_one(name) for name in CLASSIFIERS}
    return {
        "columns": [" ".join(words) for words in columns],
        "n_train": int(train.sum()),
        "n_test": int((~train).sum()),
        "judged": judged,
    }


def _choose_columns(
    design: Design, corpus: Corpus, y: NDArray[np.bool_]
) -> Sequence[tuple[str, ...]]:
    """The expressions, or the single words, that become columns."""
    if design.method == "expressions":
        given: dict[str, Any] = {name: getattr(design, name) for name in THRESHOLDS}
        model = DiscriminatoryExpressions(n_expressions=design.n_columns, **given)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", CoverageWarning)
            warnings.simplefilter("ignore", PrecisionWarning)
            try:
                return model.fit(corpus, y).expressions_
            except InputError:  # thresholds are checked before: nothing passes
                return []
    vectors = TermVectors(stop_words="english")
    presence = vectors.fit_transform(corpus)
    terms = vectors.vocabulary_
    chosen = SelectTerms(FILTERS[design.method], design.n_columns, terms).fit(presence, y)
    return [(terms[column],) for column in chosen.ranking_.tolist()]


def _rows_of(
    columns: Sequence[tuple[str, ...]], corpus: Corpus
) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
    """The distinct rows, and which each document has; without columns all have the same."""
    if not columns:
        return np.zeros((1, 0), bool), np.zeros(len(corpus), np.int64)
    return distinct_rows(Matcher(columns).in_corpus(corpus))


def _judge_classifier(
    name: str,
    *,
    seed: int,
    rows: NDArray[np.float64],
    known: NDArray[np.int64],
    y: NDArray[np.bool_],
    unseen: RowCounts,
) -> dict[str, Any]:
    """Fit one classifier on the training documents; ask it once for each distinct row."""
    if not rows.shape[1]:
        majority = np.full(len(rows), 2 * int(y.sum()) > len(y))
        return judge(unseen, majority, majority)
    model = _make_classifier(name, seed).fit(rows[known], y)
    figures: dict[str, Any] = judge(unseen, model.predict(rows), model.predict_proba(rows)[:, 1])
    if name in ("tree", "forest"):
        figures |= {"rules": rules(model), "clauses": clauses(model)}
    return figures


def _make_classifier(name: str, seed: int) -> Any:
    """One of the four."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.tree import DecisionTreeClassifier

    if name == "knn":
        return KNeighborsClassifier()
    if name == "tree":
        return DecisionTreeClassifier(random_state=seed)
    if name == "forest":
        return RandomForestClassifier(random_state=seed)
    return LogisticRegression()
