"""The columns of a fitted model as a table that a person reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from whybox.expressions.analysis import Analyzer, check_documents
from whybox.expressions.matching import Matcher
from whybox.expressions.spans import find_spans, masked

if TYPE_CHECKING:
    import pandas as pd

    from whybox.expressions.estimator import DiscriminatoryExpressions

__all__ = ["as_written", "example_of", "expression_table"]


def as_written(
    words: Sequence[str], forms: Mapping[str, Sequence[str]], max_gap: int | None = None
) -> str:
    """Write an expression in the commonest forms of its words.

    Examples
    --------
    >>> as_written(["not", "happi"], {"not": ["not"], "happi": ["happy", "happier"]})
    'not … happy'
    """
    return (" " if max_gap == 0 else " … ").join(forms[word][0] for word in words)


def expression_table(
    model: DiscriminatoryExpressions, texts: Iterable[Any] | None, *, show_text: bool
) -> pd.DataFrame:
    """Tabulate; see ``DiscriminatoryExpressions.expressions_frame``.

    Examples
    --------
    >>> from whybox.expressions import DiscriminatoryExpressions
    >>> texts = ["Not so good", "good", "bad"]
    >>> model = DiscriminatoryExpressions(stop_words=None, classes="positive", n_expressions=1)
    >>> table = expression_table(model.fit(texts, [1, 0, 0]), texts, show_text=False)
    >>> table[["expression", "tp", "fp", "example"]]
      expression  tp  fp example
    0        not   1   0     Not
    """
    import pandas as pd

    learned = model.learned_
    labels = learned.classes.tolist()
    rows = [
        {
            "expression": as_written(each.words, learned.forms, model.max_gap),
            "words": each.words,
            "class": labels[each.target],
            "tp": each.tp,
            "fp": each.fp,
            "precision": each.precision,
            "recall": each.recall,
            "score": each.score,
        }
        for each in learned.expressions
    ]
    if texts is not None:
        documents = check_documents(texts)
        analyzer = Analyzer(model.analyzer, model.language)
        matrix = Matcher(model.expressions_, model.max_gap).in_texts(documents, analyzer).tocsc()
        for column, row in enumerate(rows):
            holders = matrix.indices[matrix.indptr[column] : matrix.indptr[column + 1]]
            words = [model.expressions_[column]]
            row |= _example_columns(
                [documents[i] for i in holders], words, analyzer, model.max_gap, show_text
            )
    return pd.DataFrame(rows)


def _example_columns(
    texts: Sequence[Any],
    words: Sequence[tuple[str, ...]],
    analyzer: Analyzer,
    max_gap: int | None,
    show_text: bool,
) -> dict[str, Any]:
    """Make the columns of an example, empty if no text has the expression."""
    text = shortest(texts)
    if text is None:
        return {"example": None, "example_start": None, "example_stop": None}
    characters = find_spans(text, words, analyzer, max_gap)[0].characters
    return {
        "example": example_of(text, words, analyzer, max_gap, show_text=show_text),
        "example_start": characters[0][0] if characters else None,
        "example_stop": characters[-1][1] if characters else None,
    }


def shortest(texts: Sequence[Any]) -> Any:
    """Choose an example that does not depend on the order of texts.

    Examples
    --------
    >>> shortest(["ccc", "b", "a"])
    'a'
    """
    return min(texts, key=lambda text: (len(text), text), default=None)


def example_of(
    text: Any,
    expressions: Sequence[tuple[str, ...]],
    analyzer: Analyzer,
    max_gap: int | None = None,
    *,
    show_text: bool = False,
) -> str:
    """Show a text, or only those of its tokens that the expressions match.

    Examples
    --------
    >>> example_of("I am NOT so very Happy", [("not", "happi")], Analyzer())
    'NOT … Happy'
    >>> example_of("I am happy", [("sad",)], Analyzer())
    '…'
    """
    if show_text:
        return text if isinstance(text, str) else " ".join(text)
    spans = find_spans(text, expressions, analyzer, max_gap)
    tokens = sorted({at for span in spans for at in span.tokens})
    if not tokens:
        return "…"
    forms = list(analyzer.forms([text])[0])
    for span in spans:
        for at, (start, stop) in zip(span.tokens, span.characters, strict=False):
            forms[at] = text[start:stop]
    return masked(tokens, forms)
