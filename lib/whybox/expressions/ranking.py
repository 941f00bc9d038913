"""CF-ICF, the ranking of words and expressions by how frequent in a class and how rare beside it.

Equations are those of Francisco and Castro, "Discriminatory Expressions to Improve Model
Comprehensibility in Short Documents".
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whybox.expressions.analysis import Analyzer
from whybox.expressions.corpus import Corpus, encode
from whybox.expressions.labels import code_labels, positive_code

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["cf_icf", "cf_icf_curves", "icf", "word_scores"]


def icf(others: NDArray[np.int64], n_documents: int) -> NDArray[np.float64]:
    """Compute the inverse class frequency, Eq. (18).

    Parameters
    ----------
    others : int64 (n,)
        Documents outside the class that hold each word or expression.
    n_documents : int
        All documents.

    Returns
    -------
    float64 (n,)
        log(n_documents / (others + 1)), natural.

    Examples
    --------
    >>> icf(np.array([0, 3]), 4).round(3).tolist()
    [1.386, 0.0]
    """
    # math.log of each distinct count: numpy's differs by the processor in the last bit
    distinct = np.flatnonzero(np.bincount(others))
    logs = np.zeros(int(distinct.max(initial=-1)) + 1)
    logs[distinct] = [math.log(n_documents / (count + 1)) for count in distinct.tolist()]
    return logs[others]


def word_scores(
    uses: NDArray[np.int64], others: NDArray[np.int64], n_documents: int
) -> NDArray[np.float64]:
    """Score words by CF-ICF, Eq. (19), with cf divided by its largest value in the class.

    Parameters
    ----------
    uses : int64 (words,)
        Uses of each word in the class.
    others : int64 (words,)
        Documents outside the class that hold it.
    n_documents : int
        All documents.

    Returns
    -------
    float64 (words,)
        From 0 to log(n_documents).

    Examples
    --------
    >>> word_scores(np.array([4, 2]), np.array([3, 0]), 4).round(3).tolist()
    [0.0, 0.693]
    """
    return uses / max(int(uses.max(initial=0)), 1) * icf(others, n_documents)


def cf_icf(
    texts: Iterable[Any] | Corpus,
    y: ArrayLike,
    *,
    pos_label: Any = None,
    analyzer: str | Callable[[Any], Sequence[str]] = "tweet",
    language: str = "english",
) -> pd.DataFrame:
    """Rank the words of a class by CF-ICF, Eqs. (16) to (19).

    cf is the number of a word's uses in the documents of the class, divided by that of the
    class's most used word; icf is log(n / (n_neg + 1)), n_neg being the documents outside the class
    that hold it. A word at log(n), the most there can be, is the most used one and never elsewhere.

    Parameters
    ----------
    texts : iterable of str, of lists of str, or Corpus
        Documents; lists of tokens with ``analyzer="tokens"``.
    y : array_like (documents,)
        Labels.
    pos_label : label, optional
        The class, default the second in sorted order; all others are the rest.
    analyzer, language
        As in :class:`~whybox.expressions.DiscriminatoryExpressions`.

    Returns
    -------
    DataFrame
        One row a word of the class, best first, ties by the word, which is the index. Columns:
        uses, cf, n_pos and n_neg (documents of the class and of the rest), icf, cf_icf.

    Raises
    ------
    InputError
        If there are not two classes, or `pos_label` is none of them.

    Examples
    --------
    >>> cf_icf(["so good", "good day", "bad day", "bad"], ["+", "+", "-", "-"], pos_label="+").round(2)
          uses   cf  n_pos  n_neg   icf  cf_icf
    word
    good     2  1.0      2      0  1.39    1.39
    so       1  0.5      1      0  1.39    0.69
    day      1  0.5      1      1  0.69    0.35
    """
    import pandas as pd

    from whybox.kernels.subsequences import count_words

    corpus = texts if isinstance(texts, Corpus) else encode(texts, Analyzer(analyzer, language))
    classes, codes = code_labels(y, len(corpus))
    target = positive_code(classes, pos_label)
    uses, documents = count_words(corpus.indptr, corpus.ids, codes, len(classes), len(corpus.words))
    others = documents.sum(axis=0) - documents[target]
    table = pd.DataFrame(
        {
            "uses": uses[target],
            "cf": uses[target] / max(int(uses[target].max(initial=0)), 1),
            "n_pos": documents[target],
            "n_neg": others,
            "icf": icf(others, len(corpus)),
            "cf_icf": word_scores(uses[target], others, len(corpus)),
        },
        index=pd.Index(corpus.words, name="word", dtype=object),
    )
    table = table[table["uses"] > 0].sort_index(kind="stable")
    return table.sort_values("cf_icf", ascending=False, kind="stable")


def cf_icf_curves(
    n_documents: int = 1000, levels: Sequence[float] = (0.25, 0.5, 1.0)
) -> pd.DataFrame:
    """Compute the curves of Figs. 1 and 2: CF-ICF with one of its factors kept.

    Parameters
    ----------
    n_documents : int, default 1000
        Documents in all.
    levels : sequence of float, default (0.25, 0.5, 1.0)
        Shares at which the other factor is kept: of cf in Fig. 1, of log(n) for icf in Fig. 2.

    Returns
    -------
    DataFrame
        Columns: figure (1 or 2), kept (the level), x (Fig. 1: n_neg from 0 to n - 1; Fig. 2: cf
        from 0 to 1 in steps of 0.01), cf_icf.

    Examples
    --------
    >>> curves = cf_icf_curves(10, levels=[1.0])
    >>> curves[curves.figure == 1].cf_icf.round(2).tolist()
    [2.3, 1.61, 1.2, 0.92, 0.69, 0.51, 0.36, 0.22, 0.11, 0.0]
    """
    import pandas as pd

    others = np.arange(n_documents)
    shares = np.linspace(0.0, 1.0, 101)
    parts = []
    for level in levels:
        falling = level * icf(others, n_documents)
        rising = shares * (level * math.log(n_documents))
        parts.append(pd.DataFrame({"figure": 1, "kept": level, "x": others, "cf_icf": falling}))
        parts.append(pd.DataFrame({"figure": 2, "kept": level, "x": shares, "cf_icf": rising}))
    return pd.concat(parts, ignore_index=True)
