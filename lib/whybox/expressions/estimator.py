"""DiscriminatoryExpressions, the transformer from texts to a few readable columns."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from whybox.expressions.advice import advise
from whybox.expressions.analysis import Analyzer
from whybox.expressions.corpus import Corpus, encode
from whybox.expressions.learning import Choice, Learned, learn
from whybox.expressions.matching import Matcher
from whybox.expressions.mining import Settings
from whybox.expressions.patterns import to_pattern
from whybox.expressions.spans import Span, find_spans
from whybox.expressions.state import pack, unpack
from whybox.expressions.table import expression_table

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_matrix

__all__ = ["PUBLISHED", "DiscriminatoryExpressions"]

PUBLISHED: Mapping[str, Any] = {"min_precision": 0.9, "min_recall": 0.001, "max_words": 3}
"""Thresholds near those with which the published figures can be had; the paper does not print its own."""


class DiscriminatoryExpressions(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Few, readable features of short texts: expressions that tell one class from the others.

    An expression is one or more words that occur in a document in this order, with others between
    them, and are not all stop words. It is discriminatory for a class if it occurs in enough of
    its documents and in few others, Eqs. (8) and (9). Of each document the shortest is taken,
    and of equally short ones that of the best words by CF-ICF (Algorithm 3). The columns are those
    of the highest CF-ICF.

    Parameters
    ----------
    min_precision : float, default=0.6
        Least share of documents of the class among those with the expression.
    min_recall : float, default=0.01
        Least share of the class's documents that have the expression.
    max_words : int, default=3
        Words in an expression.
    n_expressions : int or None, default=9
        Columns; None keeps all.
    classes : {"all", "positive"}, default="all"
        "all" finds expressions of each class against the rest and ranks them together.
    pos_label : label, optional
        The class of ``classes="positive"``, default the second in sorted order.
    selection : {"cficf", "cover", "balanced"}, default="cficf"
        The paper's "cficf" ranks the expressions of all classes together, so that one class may
        take all columns. "balanced" takes the classes in turn, each time the next best of each.
        "cover" chooses, again and again, the expression that covers most documents of its class
        that no chosen one covers.
    search : {"bfs", "dfs"}, default="bfs"
        "dfs" searches depth first, the other reading of Algorithm 3: slow.
    seed_documents : {"class", "all"}, default="class"
        "all" takes an expression of every document, as printed, not only of those of the class.
    allow_repeats : bool, default=False
        True lets a word occur twice in an expression, as Eq. (8) does: slow.
    max_gap : int or None, default=None
        Tokens allowed between two words; 0 makes n-grams.
    stop_words : {"english", "spanish"}, collection of str or None, default="english"
        Words of which alone no expression is made; they may be part of one. "english" is
        scikit-learn's list, and in another `language` that language's: there is one for Spanish,
        others have none.
    analyzer : {"tweet", "tokens"} or callable, default="tweet"
        "tweet": NLTK's TweetTokenizer, lower case, Snowball stems. "tokens": a text is a list of
        tokens, taken as they are; a callable makes such a list of a text. Stop words are then
        compared as given.
    language : str, default="english"
        Any language of NLTK's Snowball stemmer.

    Attributes
    ----------
    classes_ : array (classes,)
    expressions_ : list of tuple of str
        The columns, best first.
    n_uncovered_ : int
        Documents that yielded no expression.
    n_found_ : int
        Expressions before the choice of columns.
    coverage_ : dict
        For each class searched, the share of its documents with one of its columns.

    Warns
    -----
    CoverageWarning
        If the columns leave more than half of a searched class without any.
    PrecisionWarning
        If a searched class is so large that any word reaches `min_precision`.

    Notes
    -----
    Results depend neither on the order of documents nor on how a corpus was cut into parts. `fit`
    and `transform` take a :class:`~whybox.expressions.Corpus` as well, so that folds and
    grids share what was tokenised once, and parts encoded elsewhere can be merged.

    References
    ----------
    Francisco and Castro, "Discriminatory Expressions to Improve Model Comprehensibility in Short
    Documents".

    Examples
    --------
    >>> texts = ["not good", "not so good", "good", "very good", "bad"]
    >>> model = DiscriminatoryExpressions(0.7, stop_words=None, n_expressions=2)
    >>> model.fit_transform(texts, ["-", "-", "+", "+", "-"]).toarray().astype(int).tolist()
    [[1, 0], [1, 0], [0, 0], [0, 1], [0, 0]]
    >>> model.get_feature_names_out().tolist()
    ['not', 'veri']
    """

    def __init__(
        self,
        min_precision: float = 0.6,
        min_recall: float = 0.01,
        max_words: int = 3,
        n_expressions: int | None = 9,
        classes: str = "all",
        pos_label: Any = None,
        selection: str = "cficf",
        search: str = "bfs",
        seed_documents: str = "class",
        allow_repeats: bool = False,
        max_gap: int | None = None,
        stop_words: str | Collection[str] | None = "english",
        analyzer: str | Callable[[Any], Sequence[str]] = "tweet",
        language: str = "english",
    ) -> None:
        self.min_precision = min_precision
        self.min_recall = min_recall
        self.max_words = max_words
        self.n_expressions = n_expressions
        self.classes = classes
        self.pos_label = pos_label
        self.selection = selection
        self.search = search
        self.seed_documents = seed_documents
        self.allow_repeats = allow_repeats
        self.max_gap = max_gap
        self.stop_words = stop_words
        self.analyzer = analyzer
        self.language = language

    def fit(self, texts: Iterable[Any] | Corpus, y: ArrayLike) -> DiscriminatoryExpressions:
        """Find the expressions.

        Parameters
        ----------
        texts : iterable of str, of lists of str, or Corpus
            Documents.
        y : array_like (documents,)
            Labels of two classes or more.

        Returns
        -------
        DiscriminatoryExpressions
            Itself.

        Raises
        ------
        InputError
            If the input or a parameter is unfit, or no expression passes: the message says
            which threshold to lower.
        RunError
            If the documents are so long that the search would take minutes.
        """
        self._fit(texts, y)
        return self

    def fit_transform(self, texts: Iterable[Any] | Corpus, y: ArrayLike) -> csr_matrix:
        """Find the expressions and match them, tokenising once.

        Parameters
        ----------
        texts, y
            As for `fit`.

        Returns
        -------
        csr_matrix of bool (documents, expressions)
        """
        corpus = self._fit(texts, y)
        return self._matcher().in_corpus(corpus)

    def transform(self, texts: Iterable[Any] | Corpus) -> csr_matrix:
        """Tell which expressions occur in which documents.

        Parameters
        ----------
        texts : iterable of str, of lists of str, or Corpus

        Returns
        -------
        csr_matrix of bool (documents, expressions)

        Raises
        ------
        InputError
            If the documents are none.
        """
        check_is_fitted(self)
        if isinstance(texts, Corpus):
            return self._matcher().in_corpus(texts)
        return self._matcher().in_texts(texts, self._analyzer())

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """Name the columns by their words.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        array of str objects (expressions,)
        """
        check_is_fitted(self)
        return np.array([" ".join(words) for words in self.expressions_], dtype=object)

    def expressions_frame(
        self, texts: Iterable[Any] | None = None, *, show_text: bool = False
    ) -> pd.DataFrame:
        """Tabulate the columns with their figures on the training documents.

        Parameters
        ----------
        texts : iterable, optional
            Documents from which to take an example of each expression: the shortest with it.
        show_text : bool, default False
            True shows the example's whole text, False only the matched tokens.

        Returns
        -------
        DataFrame
            One row a column, best first: expression (its words in their commonest forms, three
            dots where others may stand between), words, class, tp, fp, precision, recall, score
            (CF-ICF), and example and example_start and example_stop (characters) if there are
            texts.
        """
        check_is_fitted(self)
        return expression_table(self, texts, show_text=show_text)

    def spans(self, text: Any) -> list[Span]:
        """Find the columns' expressions in a text, as positions of tokens and characters.

        Parameters
        ----------
        text : str or list of str

        Returns
        -------
        list of Span
            One for each expression that occurs, in the order of the columns.

        Examples
        --------
        >>> model = DiscriminatoryExpressions().fit(["good", "bad"], [1, 0])
        >>> [(span.words, span.characters) for span in model.spans("So GOOD!")]
        [(('good',), ((3, 7),))]
        """
        check_is_fitted(self)
        return find_spans(text, self.expressions_, self._analyzer(), self.max_gap)

    def to_patterns(self) -> list[str]:
        r"""Write the columns as regular expressions over tokens that stand one a line.

        Returns
        -------
        list of str
            For ``re.search`` in :func:`whybox.expressions.patterns.token_lines`. Forms that were
            not met in training are not matched.

        Examples
        --------
        >>> DiscriminatoryExpressions().fit(["good", "bad"], [1, 0]).to_patterns()
        ['(?m:^)(?:bad)\\n', '(?m:^)(?:good)\\n']
        """
        check_is_fitted(self)
        return [to_pattern(words, self.learned_.forms, self.max_gap) for words in self.expressions_]

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
        return pack(self)

    @classmethod
    def from_state(
        cls, meta: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]
    ) -> DiscriminatoryExpressions:
        """Put a fitted model together again, checking everything.

        Parameters
        ----------
        meta, arrays
            What `to_state` gave.

        Returns
        -------
        DiscriminatoryExpressions

        Raises
        ------
        InputError
            If they are no state of this model.

        Examples
        --------
        >>> state = DiscriminatoryExpressions().fit(["good", "bad"], [1, 0]).to_state()
        >>> DiscriminatoryExpressions.from_state(*state).expressions_
        [('bad',), ('good',)]
        """
        model = cls()
        parameters, learned = unpack(meta, arrays)
        model.set_params(**parameters)
        model._set(learned)
        return model

    def _fit(self, texts: Iterable[Any] | Corpus, y: ArrayLike) -> Corpus:
        """Fit, and give back the corpus."""
        settings = Settings(
            self.min_precision,
            self.min_recall,
            self.max_words,
            self.search,
            self.seed_documents,
            self.allow_repeats,
            self.max_gap,
        )
        choice = Choice(self.classes, self.pos_label, self.selection, self.n_expressions)
        analyzer = self._analyzer()
        stop_words = analyzer.stop_words(self.stop_words)
        corpus = texts if isinstance(texts, Corpus) else encode(texts, analyzer)
        self._set(learn(corpus, y, stop_words, settings, choice))
        advise(self.learned_, self.min_precision, stacklevel=3)
        return corpus

    def _set(self, learned: Learned) -> None:
        """Make attributes of what was learnt."""
        self.learned_ = learned
        self.classes_ = learned.classes
        self.expressions_ = [each.words for each in learned.expressions]
        self.n_uncovered_, self.n_found_ = learned.n_uncovered, learned.n_found
        labels = [learned.classes.tolist()[target] for target in learned.targets]
        self.coverage_ = dict(zip(labels, learned.coverage.tolist(), strict=True))

    def _analyzer(self) -> Analyzer:
        return Analyzer(self.analyzer, self.language)

    def _matcher(self) -> Matcher:
        return Matcher(self.expressions_, self.max_gap)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.target_tags.required = True
        return tags
