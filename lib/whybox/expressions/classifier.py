"""ExpressionsClassifier: a few readable expressions, and a small classifier over them, as one model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.validation import check_is_fitted

from whybox._state import broken, require
from whybox.errors import InputError
from whybox.expressions.corpus import Corpus, encode
from whybox.expressions.distinct import distinct_rows
from whybox.expressions.estimator import DiscriminatoryExpressions
from whybox.expressions.head_state import read_head
from whybox.expressions.heads import Trees, fit_head
from whybox.expressions.labels import code_labels
from whybox.trees.tree import Tree

__all__ = ["ExpressionsClassifier"]

KIND = "ExpressionsClassifier"
_OWN = ("classifier", "n_neighbors", "n_estimators", "random_state")


class ExpressionsClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Classify short texts by the discriminatory expressions that occur in them.

    The columns say which expressions a text has, and nothing else; what has the same expressions
    gets the same answer. Prediction is over the distinct rows of the columns.

    Parameters
    ----------
    expressions : DiscriminatoryExpressions, optional
        How the columns are found; default ``DiscriminatoryExpressions()``.
    classifier : {"tree", "logistic", "forest", "knn"}, default="tree"
        scikit-learn's with its defaults; "knn" lets all equally near documents count in part,
        so that their order does not matter.
    n_neighbors : int, default=5
        Of "knn".
    n_estimators : int, default=100
        Trees of "forest".
    random_state : int or None, default=0
        Of "tree" and "forest".

    Attributes
    ----------
    classes_ : array (classes,)
    transformer_ : DiscriminatoryExpressions
        The fitted expressions.
    head_ : Head
        The fitted classifier of binary rows.

    References
    ----------
    Francisco and Castro, "Discriminatory Expressions to Improve Model Comprehensibility in Short
    Documents".

    Examples
    --------
    >>> texts = ["so good", "good day", "bad day", "so bad"]
    >>> model = ExpressionsClassifier().fit(texts, ["+", "+", "-", "-"])
    >>> model.predict(["a good one", "a bad one"]).tolist()
    ['+', '-']
    """

    def __init__(
        self,
        expressions: DiscriminatoryExpressions | None = None,
        classifier: str = "tree",
        n_neighbors: int = 5,
        n_estimators: int = 100,
        random_state: int | None = 0,
    ) -> None:
        self.expressions = expressions
        self.classifier = classifier
        self.n_neighbors = n_neighbors
        self.n_estimators = n_estimators
        self.random_state = random_state

    @property
    def estimators_(self) -> list[Tree]:
        """The trees of "tree" and "forest"."""
        head = getattr(self, "head_", None)
        if not isinstance(head, Trees):
            raise AttributeError(f"{self.classifier} has no trees")
        return list(head.trees)

    def fit(self, texts: Iterable[Any] | Corpus, y: ArrayLike) -> ExpressionsClassifier:
        """Find the expressions, and learn from them.

        Parameters
        ----------
        texts : iterable of str, or Corpus
        y : array_like (documents,)
            Labels of two classes or more.

        Returns
        -------
        ExpressionsClassifier
            Itself.

        Raises
        ------
        InputError
            If the input or a parameter is unfit, or no expression passes.
        """
        for name in ("n_neighbors", "n_estimators"):
            if getattr(self, name) < 1:
                raise InputError(f"got {name}={getattr(self, name)}", remedy="use 1 or more")
        transformer = clone(self.expressions or DiscriminatoryExpressions())
        corpus = texts if isinstance(texts, Corpus) else encode(texts, transformer._analyzer())
        rows, where = distinct_rows(transformer.fit_transform(corpus, y))
        classes, codes = code_labels(y, len(corpus))
        cells = np.bincount(where * len(classes) + codes, minlength=len(rows) * len(classes))
        self.head_ = fit_head(
            self.classifier,
            rows,
            cells.reshape(len(rows), len(classes)).astype(np.int64),
            n_neighbors=self.n_neighbors,
            n_estimators=self.n_estimators,
            seed=self.random_state,
        )
        self.transformer_, self.classes_ = transformer, classes
        return self

    def predict_proba(self, texts: Iterable[Any] | Corpus) -> NDArray[np.float64]:
        """Give the probability of each class.

        Parameters
        ----------
        texts : iterable of str, or Corpus

        Returns
        -------
        float64 (documents, classes)

        Raises
        ------
        InputError
            If the documents are none.
        """
        check_is_fitted(self)
        rows, where = distinct_rows(self.transformer_.transform(texts))
        return self.head_.proba(rows)[where]

    def predict(self, texts: Iterable[Any] | Corpus) -> NDArray[Any]:
        """Name the most probable class, of equals the first.

        Parameters
        ----------
        texts : iterable of str, or Corpus

        Returns
        -------
        array (documents,)

        Raises
        ------
        InputError
            If the documents are none.
        """
        proba = self.predict_proba(texts)
        answers: NDArray[Any] = self.classes_[proba.argmax(axis=1)]
        return answers

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Take the fitted model apart into what JSON and arrays can hold.

        Returns
        -------
        meta : dict
        arrays : dict of str to array

        Raises
        ------
        InputError
            If the analyzer is a callable, or the labels are neither numbers nor strings.
        """
        check_is_fitted(self)
        meta, arrays = self.transformer_.to_state()
        named = {f"expressions/{name}": array for name, array in arrays.items()}
        named |= {f"head/{name}": array for name, array in self.head_.arrays().items()}
        own = {name: getattr(self, name) for name in _OWN}
        own["random_state"] = None if self.random_state is None else int(self.random_state)
        return {"kind": KIND, "parameters": own, "expressions": meta}, named

    @classmethod
    def from_state(
        cls, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> ExpressionsClassifier:
        """Put a fitted model together again, checking everything.

        Parameters
        ----------
        meta, arrays
            What `to_state` gave.

        Returns
        -------
        ExpressionsClassifier
            With the same answers, to the last bit.

        Raises
        ------
        InputError
            If they are no state of this model.

        Examples
        --------
        >>> model = ExpressionsClassifier().fit(["good", "bad"], [1, 0])
        >>> ExpressionsClassifier.from_state(*model.to_state()).predict(["bad"]).tolist()
        [0]
        """
        try:
            require(meta["kind"] == KIND, f"it is a {meta['kind']}")
            own = dict(meta["parameters"])
            require(set(own) == set(_OWN), "its parameters are others")
            transformer = DiscriminatoryExpressions.from_state(
                meta["expressions"], _under("expressions/", arrays)
            )
            head = read_head(
                own["classifier"],
                _under("head/", arrays),
                len(transformer.expressions_),
                len(transformer.classes_),
            )
        except (KeyError, TypeError, AttributeError, ValueError, IndexError) as error:
            if isinstance(error, InputError):
                raise
            raise broken(f"it cannot be read: {type(error).__name__}: {error}") from error
        model = cls(DiscriminatoryExpressions(**transformer.get_params()), **own)
        model.transformer_, model.classes_, model.head_ = transformer, transformer.classes_, head
        return model

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags


def _under(prefix: str, arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays of one part, under their own names."""
    return {
        name.removeprefix(prefix): array
        for name, array in arrays.items()
        if name.startswith(prefix)
    }
