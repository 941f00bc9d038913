"""What a model of expressions finds in texts: where each stands, what texts with the same are answered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from whybox.explain.expressions_context import Answer, Column, Form, Ranked
from whybox.expressions.analysis import Analyzer
from whybox.expressions.corpus import Corpus
from whybox.expressions.distinct import distinct_rows
from whybox.expressions.matching import Matcher
from whybox.expressions.ranking import cf_icf
from whybox.expressions.spans import Span, find_spans, masked
from whybox.pipelines.texts import HIDDEN_BELOW, units_with

__all__ = ["Shown", "answers_of", "columns_of", "ranked_words"]

_FORMS = 6
_EXAMPLES = 3
_ANSWERS = 15
_WORDS = 12
_CANDIDATES = 60  # words of a class of which holders are counted


@dataclass(frozen=True, eq=False)
class Shown:
    """The texts that a report is made from.

    Attributes
    ----------
    texts : sequence of str
    corpus : Corpus
        The same, encoded.
    labels : object array (texts,)
        None where there is no label.
    users : array (texts,) or None
    matrix : csr_matrix of bool (texts, expressions)
    """

    texts: Sequence[str]
    corpus: Corpus
    labels: NDArray[Any]
    users: NDArray[Any] | None
    matrix: Any

    @property
    def known(self) -> NDArray[np.bool_]:
        """Which texts have a label."""
        return np.array([label is not None for label in self.labels], bool)


def columns_of(
    model: Any,
    entries: Sequence[Mapping[str, Any]],
    names: Sequence[str],
    shown: Shown,
    *,
    at_most: int,
    show_text: bool,
) -> list[Column]:
    """Look each expression up in the texts.

    Parameters
    ----------
    model : ExpressionsClassifier
    entries : sequence of mapping
        From the card.
    names : sequence of str
        As they may be shown.
    shown : Shown
    at_most : int
        Texts to look at, of each.
    show_text : bool

    Returns
    -------
    list of Column
        Of an expression that is not to be shown, only counts.
    """
    found = []
    by_column = shown.matrix.tocsc()
    for at, (entry, name) in enumerate(zip(entries, names, strict=True)):
        rows = by_column.indices[by_column.indptr[at] : by_column.indptr[at + 1]]
        own = shown.labels[rows] == str(entry["class"])
        known = shown.known[rows]
        places: dict[str, Any] = {}
        if entry["expression"] is not None and len(rows):
            places = _places(model.transformer_, at, rows, shown, at_most, show_text)
        found.append(
            Column(
                name=name,
                label=str(entry["class"]),
                texts=entry["texts"][0],
                others=entry["texts"][1],
                precision=entry["precision"],
                recall=entry["recall"],
                score=entry["cf_icf"],
                holders=entry["holders"],
                here=len(rows),
                right_here=float(own[known].mean()) if known.any() else None,
                **places,
            )
        )
    return found


def _places(
    transformer: Any,
    at: int,
    rows: NDArray[np.int64],
    shown: Shown,
    at_most: int,
    show_text: bool,
) -> dict[str, Any]:
    """Where one expression stands in the texts that have it, evenly spread."""
    words = transformer.expressions_[at]
    analyzer = Analyzer(transformer.analyzer, transformer.language)
    some = rows[np.unique(np.linspace(0, len(rows) - 1, min(len(rows), at_most)).astype(int))]
    spans, forms = [], Counter[str]()
    for row in some.tolist():
        text = shown.texts[row]
        (span,) = find_spans(text, [words], analyzer, transformer.max_gap)
        spans.append((span, text))
        forms[_form(text, span)] += 1
    gaps = [span.tokens[-1] - span.tokens[0] - len(words) + 1 for span, _ in spans]
    ordered = sorted(forms.items(), key=lambda pair: (-pair[1], pair[0]))
    common = [Form(form, count) for form, count in ordered if count >= HIDDEN_BELOW]
    found: dict[str, Any] = {"forms": common[:_FORMS], "looked": len(spans)}
    if len(words) > 1:
        found |= {"adjacent": float(np.mean([g == 0 for g in gaps])), "gap": float(np.median(gaps))}
    if show_text:
        shortest = sorted({(len(text), text): span for span, text in spans}.items())
        middle = len(shortest) // 4  # neither a mere word nor a whole thread
        found["examples"] = [
            _pieces(text, span) for (_, text), span in shortest[middle : middle + _EXAMPLES]
        ]
    return found


def _form(text: str, span: Span) -> str:
    """The matched words as they stand in a text, in lower case."""
    tokens = [""] * (span.tokens[-1] + 1)
    for at, (start, stop) in zip(span.tokens, span.characters, strict=True):
        tokens[at] = text[start:stop].lower()
    return masked(span.tokens, tokens)


def _pieces(text: str, span: Span) -> list[tuple[str, bool]]:
    """Cut a text at its matches."""
    pieces, done = [], 0
    for start, stop in span.characters:
        pieces += [(text[done:start], False), (text[start:stop], True)]
        done = stop
    return [piece for piece in [*pieces, (text[done:], False)] if piece[0]]


def answers_of(model: Any, names: Sequence[str], shown: Shown) -> list[Answer]:
    """List what the commonest sets of expressions are answered.

    Parameters
    ----------
    model : ExpressionsClassifier
    names : sequence of str
    shown : Shown

    Returns
    -------
    list of Answer
        Of ten users or more, or texts where users are not known; the commonest first.
    """
    rows, where = distinct_rows(shown.matrix)
    counts = np.bincount(where, minlength=len(rows))
    proba = model.head_.proba(rows)
    units = np.arange(len(where)) if shown.users is None else shown.users
    found = []
    for row in np.argsort(-counts, kind="stable")[:_ANSWERS].tolist():
        here = where == row
        if len(np.unique(units[here])) < HIDDEN_BELOW:
            continue
        label = str(model.classes_[int(proba[row].argmax())])
        known = here & shown.known
        found.append(
            Answer(
                [names[column] for column in np.flatnonzero(rows[row]).tolist()],
                int(counts[row]),
                label,
                float(proba[row].max()),
                float((shown.labels[known] == label).mean()) if known.any() else None,
            )
        )
    return found


def ranked_words(model: Any, shown: Shown) -> list[Ranked]:
    """Rank the words of each class by CF-ICF, stop words and signs left out.

    Parameters
    ----------
    model : ExpressionsClassifier
        Its stop words are meant.
    shown : Shown

    Returns
    -------
    list of Ranked
        Words of ten users or more, or texts where users are not known, in their commonest form;
        empty if fewer than two classes are known.
    """
    rows = np.flatnonzero(shown.known)
    labels = shown.labels[rows].astype(str)
    classes = np.unique(labels).tolist()
    if len(classes) < 2:
        return []
    corpus = shown.corpus.take(rows)
    users = None if shown.users is None else shown.users[rows]
    forms = _commonest(corpus)
    transformer = model.transformer_
    stop = Analyzer(transformer.analyzer, transformer.language).stop_words(transformer.stop_words)
    found = []
    for label in classes:
        table = cf_icf(corpus, labels, pos_label=label)
        telling = [word not in stop and any(map(str.isalnum, word)) for word in table.index]
        table = table[telling].head(_CANDIDATES)
        words = table.index.tolist()
        held = units_with(Matcher([(word,) for word in words]).in_corpus(corpus), users)
        figures = (table[name].tolist() for name in ("n_pos", "n_neg", "cf_icf"))
        lines = [
            (forms[word], f"{inside:,}", f"{outside:,}", f"{score:.3f}")
            for word, inside, outside, score, holders in zip(
                words, *figures, held.tolist(), strict=True
            )
            if holders >= HIDDEN_BELOW
        ]
        found.append(Ranked(label, lines[:_WORDS]))
    return found


def _commonest(corpus: Corpus) -> dict[str, str]:
    """The commonest form of each word, ties by the form."""
    counts = np.bincount(corpus.tokens, minlength=len(corpus.forms)).tolist()
    best: dict[str, tuple[int, str]] = {}
    for form, word, count in zip(corpus.forms, corpus.word_of.tolist(), counts, strict=True):
        name = corpus.words[word]
        best[name] = min(best.get(name, (1, "")), (-count, form))
    return {word: form for word, (_, form) in best.items()}
