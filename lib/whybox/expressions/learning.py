"""What is learnt from a labelled corpus: the chosen expressions and their figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from whybox.errors import InputError
from whybox.expressions.corpus import Corpus
from whybox.expressions.labels import code_labels, positive_code
from whybox.expressions.mining import Mined, Settings, WordCounts, count_limit, mine_class
from whybox.expressions.selection import (
    Expression,
    coverage,
    describe,
    greedy_cover,
    in_turn,
    rank,
)

__all__ = ["SELECTIONS", "Choice", "Learned", "learn"]

SELECTIONS = ("cficf", "cover", "balanced")
"""Ways to choose the columns among the expressions; the first is the paper's."""


@dataclass(frozen=True)
class Choice:
    """Which classes are searched, and how many of the expressions become columns.

    Parameters
    ----------
    classes : {"all", "positive"}
    pos_label : label or None
        The positive class, default the second in sorted order.
    selection : {"cficf", "cover", "balanced"}
    n_expressions : int or None
        None keeps all.

    Raises
    ------
    InputError
        If a value is out of its range.

    Examples
    --------
    >>> Choice(n_expressions=0)
    Traceback (most recent call last):
    whybox.errors.InputError: got n_expressions=0: use 1 or more, or None for all
    """

    classes: str = "all"
    pos_label: Any = None
    selection: str = "cficf"
    n_expressions: int | None = 9

    def __post_init__(self) -> None:
        for name, values in (("classes", ("all", "positive")), ("selection", SELECTIONS)):
            if getattr(self, name) not in values:
                raise InputError(
                    f"got {name}={getattr(self, name)!r}", remedy=f"use one of {values}"
                )
        k = self.n_expressions
        proper = isinstance(k, (int, np.integer)) and not isinstance(k, bool) and k >= 1
        if k is not None and not proper:
            raise InputError(f"got n_expressions={k!r}", remedy="use 1 or more, or None for all")


@dataclass(frozen=True, eq=False)
class Learned:
    """The chosen expressions with all that a model says about them.

    Parameters
    ----------
    classes : array (classes,)
    class_count : int64 (classes,)
        Training documents of each.
    expressions : tuple of Expression
        Best first.
    n_found : int
        Discriminatory expressions before the choice.
    n_uncovered : int
        Seed documents that yielded none, summed over the classes searched.
    targets : tuple of int
        The classes searched.
    coverage : float64 (targets,)
        Share of each searched class's documents with one of its chosen expressions.
    forms : dict of str to tuple of str
        The forms of each chosen word, the commonest first.

    Examples
    --------
    >>> Learned(np.array([0, 1]), np.array([5, 5]), (), 0, 5, (1,), np.array([0.0]), {}).n_uncovered
    5
    """

    classes: NDArray[Any]
    class_count: NDArray[np.int64]
    expressions: tuple[Expression, ...]
    n_found: int
    n_uncovered: int
    targets: tuple[int, ...]
    coverage: NDArray[np.float64]
    forms: dict[str, tuple[str, ...]]


def learn(
    corpus: Corpus, y: ArrayLike, stop_words: frozenset[str], settings: Settings, choice: Choice
) -> Learned:
    """Find the expressions of each class and choose the columns.

    Parameters
    ----------
    corpus : Corpus
    y : array_like (documents,)
    stop_words : frozenset of str
        As words of the corpus.
    settings : Settings
    choice : Choice

    Returns
    -------
    Learned

    Raises
    ------
    InputError
        If the labels are unfit, or no expression passes.

    Examples
    --------
    >>> from whybox.expressions.corpus import encode
    >>> corpus = encode(["so good", "good", "bad"])
    >>> learned = learn(corpus, ["+", "+", "-"], frozenset(), Settings(), Choice())
    >>> [(e.words, str(learned.classes[e.target])) for e in learned.expressions]
    [(('bad',), '-'), (('good',), '+')]
    """
    from whybox.kernels.subsequences import count_words

    classes, codes = code_labels(y, len(corpus))
    positive = positive_code(classes, choice.pos_label)
    targets = tuple(range(len(classes))) if choice.classes == "all" else (positive,)
    n_words = len(corpus.words)
    uses, documents = count_words(corpus.indptr, corpus.ids, codes, len(classes), n_words)
    is_stop = np.zeros(n_words, bool)
    is_stop[[corpus.numbers[word] for word in stop_words if word in corpus.numbers]] = True
    holders = documents.sum(axis=0)
    everything: list[Expression] = []
    class_count = np.bincount(codes, minlength=len(classes))
    n_uncovered = 0
    for target in targets:
        counts = WordCounts(uses[target], documents[target], holders - documents[target])
        mined: Mined = mine_class(corpus, codes == target, counts, is_stop, settings)
        n_positive = int(class_count[target])
        everything += describe(mined.found, corpus.words, target, n_positive, len(corpus))
        n_uncovered += mined.n_uncovered
    if not everything:
        raise _nothing_found(documents, class_count, is_stop, targets, settings)
    ranked = rank(everything)
    if choice.selection == "cover":
        chosen = greedy_cover(ranked, choice.n_expressions, corpus, codes, settings.max_gap)
    elif choice.selection == "balanced":
        chosen = in_turn(ranked, choice.n_expressions)
    else:
        chosen = ranked[: choice.n_expressions]
    return Learned(
        classes,
        class_count.astype(np.int64),
        tuple(chosen),
        len(ranked),
        n_uncovered,
        targets,
        coverage(chosen, corpus, codes, targets, settings.max_gap),
        _forms(corpus, {word for each in chosen for word in each.words}),
    )


def _forms(corpus: Corpus, words: set[str]) -> dict[str, tuple[str, ...]]:
    """List the forms of some words, the commonest first, ties by the form."""
    if corpus.forms is corpus.words:
        return {word: (word,) for word in sorted(words)}
    counts = np.bincount(corpus.tokens, minlength=len(corpus.forms)).tolist()
    wanted = np.fromiter(map(words.__contains__, corpus.words), bool, len(corpus.words))
    forms: dict[str, list[tuple[int, str]]] = {}
    for f in np.flatnonzero(wanted[corpus.word_of]).tolist():
        if counts[f]:  # a corpus may be a part of a larger one
            word = corpus.words[int(corpus.word_of[f])]
            forms.setdefault(word, []).append((-counts[f], corpus.forms[f]))
    return {word: tuple(form for _, form in sorted(forms[word])) for word in sorted(forms)}


def _nothing_found(
    documents: NDArray[np.int64],
    class_count: NDArray[np.int64],
    is_stop: NDArray[np.bool_],
    targets: tuple[int, ...],
    settings: Settings,
) -> InputError:
    """Say which threshold kept everything out."""
    inside = documents[list(targets)][:, ~is_stop]
    if not inside.any():
        return InputError(
            "no document of the classes searched has a word that is no stop word",
            where="texts",
            remedy="check the texts, or give other stop words",
        )
    recalls = inside / class_count[list(targets)][:, None]
    limits = [count_limit(settings.min_recall, int(class_count[t])) for t in targets]
    frequent = inside >= np.array(limits)[:, None]
    if not frequent.any():
        return InputError(
            f"no expression passes: no word reaches min_recall={settings.min_recall:g}",
            remedy=f"lower min_recall; the commonest word has a recall of {recalls.max():.3g}",
        )
    precision = (inside / np.maximum(documents.sum(axis=0)[~is_stop], 1))[frequent].max()
    return InputError(
        f"no expression passes: {int(frequent.sum()):,} words reach min_recall="
        f"{settings.min_recall:g}, none of them alone or with others reaches min_precision="
        f"{settings.min_precision:g}",
        remedy=f"lower min_precision (the most precise of these words has {precision:.3g}), or "
        "min_recall for rarer and more precise ones",
    )
