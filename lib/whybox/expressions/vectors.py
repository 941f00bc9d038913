"""Words as columns in the three usual encodings, from the same words as the expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from whybox.errors import InputError
from whybox.expressions.analysis import Analyzer
from whybox.expressions.corpus import Corpus, encode

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

__all__ = ["TermVectors"]

_ENCODINGS = ("presence", "counts", "tfidf")


class TermVectors(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Texts as vectors of words, cut and stemmed as for DiscriminatoryExpressions.

    Binary expressions and tf-idf words differ in two ways at once. With this, filters can be
    compared with expressions on the encoding that both have.

    Parameters
    ----------
    encoding : {"presence", "counts", "tfidf"}, default="presence"
        tf-idf as in scikit-learn: smoothed, rows of length 1.
    analyzer, language
        As in :class:`~whybox.expressions.DiscriminatoryExpressions`.
    stop_words : {"english", "spanish"}, collection of str or None, default=None
        Words left out.
    min_documents : int, default=1
        Documents in which a word must occur.

    Attributes
    ----------
    vocabulary_ : list of str
        The columns, sorted.
    idf_ : float64 (words,)
        log((1 + n) / (1 + documents with the word)) + 1.

    Examples
    --------
    >>> vectors = TermVectors("counts").fit(["good good day", "bad day"])
    >>> vectors.vocabulary_, vectors.transform(["good good"]).toarray().tolist()
    (['bad', 'day', 'good'], [[0.0, 0.0, 2.0]])
    """

    def __init__(
        self,
        encoding: str = "presence",
        analyzer: str | Callable[[Any], Sequence[str]] = "tweet",
        language: str = "english",
        stop_words: Any = None,
        min_documents: int = 1,
    ) -> None:
        self.encoding = encoding
        self.analyzer = analyzer
        self.language = language
        self.stop_words = stop_words
        self.min_documents = min_documents

    def fit(self, texts: Iterable[Any] | Corpus, y: ArrayLike | None = None) -> TermVectors:
        """Learn the vocabulary and the document frequencies.

        Parameters
        ----------
        texts : iterable of str, of lists of str, or Corpus
        y : ignored

        Returns
        -------
        TermVectors
            Itself.

        Raises
        ------
        InputError
            If a parameter is unfit, or no word is left.
        """
        self._fit(texts)
        return self

    def fit_transform(
        self, texts: Iterable[Any] | Corpus, y: ArrayLike | None = None
    ) -> csr_matrix:
        """Learn and encode, tokenising once.

        Parameters
        ----------
        texts, y
            As for `fit`.

        Returns
        -------
        csr_matrix of float64 (documents, words)
        """
        return self.transform(self._fit(texts))

    def transform(self, texts: Iterable[Any] | Corpus) -> csr_matrix:
        """Encode documents; words that were not met in `fit` are left out.

        Parameters
        ----------
        texts : iterable of str, of lists of str, or Corpus

        Returns
        -------
        csr_matrix of float64 (documents, words)
        """
        from scipy.sparse import diags
        from sklearn.preprocessing import normalize

        check_is_fitted(self)
        counts = _count(self._corpus(texts), self.vocabulary_)
        if self.encoding == "presence":
            counts.data[:] = 1.0
        if self.encoding == "tfidf":
            counts = normalize(counts @ diags(self.idf_), copy=False).tocsr()
        return counts

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Name the columns by their words.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        array of str objects (words,)
        """
        check_is_fitted(self)
        return np.array(self.vocabulary_, dtype=object)

    def _fit(self, texts: Iterable[Any] | Corpus) -> Corpus:
        """Fit, and give back the corpus."""
        if self.encoding not in _ENCODINGS:
            raise InputError(f"got encoding={self.encoding!r}", remedy=f"use one of {_ENCODINGS}")
        corpus = self._corpus(texts)
        stop_words = Analyzer(self.analyzer, self.language).stop_words(self.stop_words)
        every = sorted(set(corpus.words) - stop_words)
        frequency = np.diff(_count(corpus, every).tocsc().indptr)
        kept = np.flatnonzero(frequency >= max(self.min_documents, 1))
        if not len(kept):
            raise InputError(
                f"no word occurs in {self.min_documents} documents or more",
                remedy="lower min_documents, or check the texts and stop words",
            )
        self.vocabulary_ = [every[w] for w in kept.tolist()]
        self.idf_ = np.log((1 + len(corpus)) / (1 + frequency[kept])) + 1
        return corpus

    def _corpus(self, texts: Iterable[Any] | Corpus) -> Corpus:
        """Encode what is not encoded."""
        if isinstance(texts, Corpus):
            return texts
        return encode(texts, Analyzer(self.analyzer, self.language))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        return tags


def _count(corpus: Corpus, vocabulary: Sequence[str]) -> csr_matrix:
    """Count words document by document."""
    from scipy.sparse import csr_matrix

    columns = {word: column for column, word in enumerate(vocabulary)}
    column_of = np.array([columns.get(word, -1) for word in corpus.words], np.int64)
    places = column_of[corpus.ids] if len(column_of) else np.empty(0, np.int64)
    rows = np.repeat(np.arange(len(corpus)), np.diff(corpus.indptr))
    known = places >= 0
    ones = np.ones(int(known.sum()))
    shape = (len(corpus), len(vocabulary))
    counts = csr_matrix((ones, (rows[known], places[known])), shape=shape)
    counts.sum_duplicates()
    return counts
