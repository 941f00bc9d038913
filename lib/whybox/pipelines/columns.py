"""A table's columns: which are features, which of them hold numbers and which hold words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Columns", "as_labels", "choose_columns", "one_hot", "read_table"]

_FEW = 50  # different words that a column may always have
_ROWS_A_WORD = 10  # with more, this many rows a word on average: else they are names or texts


@dataclass(frozen=True)
class Columns:
    """What a table's columns are used for.

    Attributes
    ----------
    numbers, categories : tuple of str
        The features.
    left_out : tuple of str
        What could have been one, but is not.
    """

    numbers: tuple[str, ...]
    categories: tuple[str, ...]
    left_out: tuple[str, ...]


def read_table(path: Path, texts: Sequence[str] = ()) -> pd.DataFrame:
    """Read a CSV or a Parquet file.

    Parameters
    ----------
    path : pathlib.Path
    texts : sequence of str
        Columns whose values are kept as they are written, if a CSV has them.

    Returns
    -------
    DataFrame

    Raises
    ------
    InputError
        If it is neither.
    """
    import pandas as pd

    try:
        with path.open("rb") as stream:
            is_parquet = stream.read(4) == b"PAR1"
        if is_parquet:
            return pd.read_parquet(path)
        return pd.read_csv(path, dtype=dict.fromkeys(texts, str))
    except (OSError, ValueError) as error:
        first = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(
            f"neither a CSV nor a Parquet file: {first}",
            where=str(path),
            remedy="give a table with a header, or extract raw posts with `whybox extract`",
        ) from error


def choose_columns(
    frame: pd.DataFrame,
    where: str,
    features: Sequence[str],
    reserved: Sequence[str | None],
    categorical: Sequence[str] | None,
) -> Columns:
    """Decide what the columns are.

    Parameters
    ----------
    frame : DataFrame
    where : str
        The table's place, for messages.
    features : sequence of str
        The columns to use; empty for all that can be.
    reserved : sequence of str or None
        Columns that are something else: target, group, ids.
    categorical : sequence of str or None
        None: only numbers are used. Else columns of words are used too, and those named count as
        words whatever they hold. Columns of nearly as many words as rows are left out (they are
        names, dates or texts), unless they are named here or in ``features``.

    Returns
    -------
    Columns
        In the order of ``features``, or of the table.

    Raises
    ------
    InputError
        A column does not exist, holds no numbers where they are needed, or there are none.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"y": [1, 0], "age": [30, 40], "town": ["Bonn", "Bonn"]})
    >>> choose_columns(frame, "a table", (), ("y",), None)
    Columns(numbers=('age',), categories=(), left_out=('town',))
    >>> choose_columns(frame, "a table", (), ("y",), ()).categories
    ('town',)
    """
    known = [str(name) for name in frame.columns]
    for name in (*filter(None, reserved), *features, *(categorical or ())):
        if name not in known:
            raise InputError(
                f"there is no column {name!r}",
                where=where,
                remedy=f"choose among {', '.join(known[:40])}",
            )
    others = [name for name in known if name not in reserved]
    as_words = set(categorical or ())
    words = [n for n in features or others if n in as_words or not _is_numeric(frame[n])]
    numbers = tuple(name for name in features or others if name not in words)
    if categorical is None and features and words:
        raise InputError(
            f"columns {', '.join(words)} hold no numbers",
            where=where,
            remedy="leave them out, turn them into numbers, or use --model s3d",
        )
    named = as_words.union(features)
    categories = tuple(
        name for name in words
        if categorical is not None and (name in named or _is_category(frame[name]))
    )  # fmt: skip
    if not numbers and not categories:
        raise InputError("no column holds numbers", where=where)
    used = {*numbers, *categories}
    left_out = () if features else tuple(name for name in others if name not in used)
    return Columns(numbers, categories, left_out)


def as_labels(column: pd.Series) -> np.ndarray:
    """Write values as texts.

    Parameters
    ----------
    column : Series of shape (n_rows,)

    Returns
    -------
    object array of shape (n_rows,)
        None where there is none; whole floats as integers are written.

    Examples
    --------
    >>> import pandas as pd
    >>> as_labels(pd.Series([1.0, None])).tolist(), as_labels(pd.Series([" yes"])).tolist()
    (['1', None], ['yes'])
    """
    missing = column.isna()
    is_float = column.dtype.kind == "f"
    labels = [
        None if gone else _as_text(value, is_float)
        for value, gone in zip(column, missing, strict=True)
    ]
    return np.array(labels, dtype=object)


def _as_text(value: Any, is_float: bool) -> str:
    return str(int(value)) if is_float and float(value).is_integer() else str(value).strip()


def _is_numeric(column: pd.Series) -> bool:
    from pandas.api.types import is_bool_dtype, is_numeric_dtype

    return bool(is_numeric_dtype(column) or is_bool_dtype(column))


def _is_category(column: pd.Series) -> bool:
    """Whether rows share words, so that something can be learnt of a word."""
    n_words = int(column.nunique())
    return 0 < n_words <= max(_FEW, len(column) // _ROWS_A_WORD)


def one_hot(X: np.ndarray, categories: Mapping[str, np.ndarray]) -> np.ndarray:
    """Make numbers of words for models that know no categories.

    Parameters
    ----------
    X : float64 array of shape (n_rows, n_numbers)
    categories : mapping of str to object array of shape (n_rows,)

    Returns
    -------
    float64 array of shape (n_rows, n_numbers + n_words)
        Beside X a column of 0 and 1 for each of a feature's 50 most frequent words; outcomes take
        no part in it.

    Examples
    --------
    >>> one_hot(np.zeros((3, 1)), {"town": np.array(["Bonn", None, "Ulm"], dtype=object)})[:, 1:]
    array([[1., 0.],
           [0., 0.],
           [0., 1.]])
    """
    parts = [X]
    for column in categories.values():
        counts = Counter(word for word in column.tolist() if word is not None)
        words = sorted(counts, key=lambda word: (-counts[word], word))[:_FEW]
        parts.append(np.array([column == word for word in words], dtype=np.float64).T)
    return np.hstack([part for part in parts if part.size])
