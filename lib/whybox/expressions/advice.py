"""Warnings about a fit that worked, and is likely not what was wanted."""

from __future__ import annotations

import warnings

from whybox.expressions.learning import Learned

__all__ = ["CoverageWarning", "PrecisionWarning", "advise"]

_LEAST_COVERAGE = 0.5


class CoverageWarning(UserWarning):
    """The chosen expressions leave most documents of a class without any.

    Examples
    --------
    >>> issubclass(CoverageWarning, UserWarning)
    True
    """


class PrecisionWarning(UserWarning):
    """A class is so large that a word which tells nothing passes for one of its expressions.

    Examples
    --------
    >>> issubclass(PrecisionWarning, UserWarning)
    True
    """


def advise(learned: Learned, min_precision: float, stacklevel: int) -> None:
    """Warn of thresholds and columns that do not fit the classes.

    Parameters
    ----------
    learned : Learned
    min_precision : float
    stacklevel : int
        Frames up to the code that is warned, this one being 1.

    Warns
    -----
    PrecisionWarning
        If the share of a searched class among all documents reaches `min_precision`.
    CoverageWarning
        If more than half of a searched class has none of its expressions.

    Examples
    --------
    >>> from whybox.expressions.corpus import encode
    >>> from whybox.expressions.learning import Choice, learn
    >>> from whybox.expressions.mining import Settings
    >>> learned = learn(encode(["a", "b"]), [0, 1], frozenset(), Settings(), Choice())
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     advise(learned, 0.5, 1)
    >>> len(caught)
    2
    """
    labels = learned.classes.tolist()
    total = int(learned.class_count.sum())
    for target, covered in zip(learned.targets, learned.coverage.tolist(), strict=True):
        share = int(learned.class_count[target]) / total
        if share >= min_precision:
            warnings.warn(
                f"class {labels[target]!r} has {share:.0%} of the documents: a word that tells "
                f"nothing reaches min_precision={min_precision:g}; raise it above this share, or "
                "search the other class",
                PrecisionWarning,
                stacklevel=stacklevel + 1,
            )
        if covered < _LEAST_COVERAGE:
            warnings.warn(
                f"{covered:.0%} of the documents of class {labels[target]!r} have one of its "
                "columns: raise n_expressions, or lower min_precision",
                CoverageWarning,
                stacklevel=stacklevel + 1,
            )
