"""What the expressions are held against: the best single words of a filter under the same classifier."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from whybox.expressions.corpus import Corpus
from whybox.expressions.distinct import distinct_rows
from whybox.expressions.filters import chi2
from whybox.expressions.heads import fit_head
from whybox.expressions.labels import code_labels
from whybox.expressions.select_terms import SelectTerms
from whybox.expressions.vectors import TermVectors

__all__ = ["TermsClassifier"]


class TermsClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify texts by whether a filter's best words occur in them.

    As many columns, as binary, under the same classifiers as those of
    :class:`~whybox.expressions.ExpressionsClassifier`: what is left is how they were chosen.

    Parameters
    ----------
    score_func : callable, default=whybox.expressions.chi2
    k : int, default=9
        Words to keep; stop words are left out.
    classifier : {"tree", "logistic", "forest", "knn"}, default="tree"
    language : str, default="english"
    random_state : int or None, default=0

    Attributes
    ----------
    classes_ : array (classes,)
    terms_ : list of str
        Stems, best first.

    Examples
    --------
    >>> model = TermsClassifier(k=1).fit(["so good", "good", "day", "so"], [1, 1, 0, 0])
    >>> model.terms_, model.predict(["good day"]).tolist()
    (['good'], [1])
    """

    def __init__(
        self,
        score_func: Callable[..., Any] = chi2,
        k: int = 9,
        classifier: str = "tree",
        language: str = "english",
        random_state: int | None = 0,
    ) -> None:
        self.score_func = score_func
        self.k = k
        self.classifier = classifier
        self.language = language
        self.random_state = random_state

    def fit(self, texts: Iterable[Any] | Corpus, y: ArrayLike) -> TermsClassifier:
        """Choose the words, and learn from them.

        Parameters
        ----------
        texts : iterable of str, or Corpus
        y : array_like (documents,)

        Returns
        -------
        TermsClassifier
            Itself.

        Raises
        ------
        InputError
            If the input is unfit, or no word is left.
        """
        self.vectors_ = TermVectors(language=self.language, stop_words="english")
        presence = self.vectors_.fit_transform(texts)
        classes, codes = code_labels(y, presence.shape[0])
        vocabulary = self.vectors_.vocabulary_
        chosen = SelectTerms(self.score_func, self.k, vocabulary).fit(presence, codes).ranking_
        rows, where = distinct_rows(presence[:, chosen])
        cells = np.bincount(where * len(classes) + codes, minlength=len(rows) * len(classes))
        counts = cells.reshape(len(rows), len(classes)).astype(np.int64)
        self.head_ = fit_head(self.classifier, rows, counts, seed=self.random_state)
        self.columns_, self.classes_ = chosen, classes
        self.terms_ = [vocabulary[column] for column in chosen.tolist()]
        return self

    def predict_proba(self, texts: Iterable[Any] | Corpus) -> NDArray[np.float64]:
        """Give the probability of each class, float64 (documents, classes)."""
        check_is_fitted(self)
        rows, where = distinct_rows(self.vectors_.transform(texts)[:, self.columns_])
        return self.head_.proba(rows)[where]

    def predict(self, texts: Iterable[Any] | Corpus) -> NDArray[Any]:
        """Name the most probable class, of equals the first."""
        answers: NDArray[Any] = self.classes_[self.predict_proba(texts).argmax(axis=1)]
        return answers
