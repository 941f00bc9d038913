"""Testing a factor inside the blocks, where what explains the outcome best is held constant.

The rows of a block are alike in the features that matter most, so a difference between those with
and those without the factor is not theirs (the last paragraph of Fennell et al.).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from whybox.errors import InputError
from whybox.trees.tree import Array

if TYPE_CHECKING:
    from whybox.s3d.base import FeatureSpaceDecomposition

__all__ = ["BlockTest", "Strata", "block_test", "holm", "mantel_haenszel"]


@dataclass(frozen=True)
class BlockTest:
    """What a factor does to the outcome within blocks.

    Parameters
    ----------
    effect : float
        Mean outcome with the factor less without it, within blocks: the mean over blocks weighted
        by n0 n1 / (n0 + n1) (Mantel and Haenszel's weights).
    p_value : float
        Two-sided, of permutations of the factor within blocks.
    n_permutations : int
    odds_ratio : float or None
        Mantel and Haenszel's common one; None for real outcomes, infinite if no row with the
        factor failed (or none without it succeeded).
    statistic, mh_p_value : float or None
        Mantel and Haenszel's chi-square of 1 degree of freedom with continuity correction.
    blocks : DataFrame
        A row a block with both kinds of rows: block, n0, n1, mean0, mean1, effect, p_value (Fisher's
        exact test, or Welch's t for real outcomes) and p_adjusted (Holm, over these blocks). NaN
        where a block is too small for a test.
    n_left_out : int
        Rows in no block, or in one where all rows have the factor or none has.

    Examples
    --------
    >>> BlockTest(0.1, 0.5, 99, None, None, None, None, 0).effect
    0.1
    """

    effect: float
    p_value: float
    n_permutations: int
    odds_ratio: float | None
    statistic: float | None
    mh_p_value: float | None
    blocks: Any
    n_left_out: int


@dataclass(frozen=True)
class Strata:
    """Rows by stratum, in order, all strata having rows with and without the factor.

    Parameters
    ----------
    stratum : int64 (rows,)
        Ascending from 0.
    factor : bool (rows,)
    y : float64 (rows,)

    Examples
    --------
    >>> Strata(np.array([0, 0]), np.array([True, False]), np.array([1.0, 0.0])).effect()
    1.0
    """

    stratum: Array
    factor: Array
    y: Array

    def counts(self) -> tuple[Array, Array]:
        """Give rows without and with the factor: int64 (strata,)."""
        n1 = np.bincount(self.stratum, self.factor).astype(np.int64)
        return np.bincount(self.stratum) - n1, n1

    def sums(self, y: Array) -> tuple[Array, Array]:
        """Add up numbers without and with the factor: float64 (strata,)."""
        s1 = np.bincount(self.stratum, y * self.factor)
        return np.bincount(self.stratum, y * ~self.factor), s1

    def effect(self) -> float:
        """Give the weighted mean difference within strata."""
        (n0, n1), (s0, s1) = self.counts(), self.sums(self.y)
        weight = n0 * n1 / (n0 + n1)
        return float((weight * (s1 / n1 - s0 / n0)).sum() / weight.sum())

    def permuted(self, random: np.random.Generator) -> Strata:
        """Deal the factor anew within each stratum."""
        order = np.lexsort((random.random(len(self.y)), self.stratum))
        return Strata(self.stratum, self.factor[order], self.y)


def block_test(
    model: FeatureSpaceDecomposition,
    X: object,
    y: object,
    factor: object,
    *,
    n_permutations: int = 999,
    random_state: int = 0,
) -> BlockTest:
    """Test whether a factor matters within the blocks of a model.

    Parameters
    ----------
    model : fitted S3DClassifier (of two classes) or S3DRegressor
    X : array-like or DataFrame (rows, features)
    y : array-like (rows,)
        Outcomes; the second class counts as 1.
    factor : array-like (rows,)
        Two values; the larger one means that the row has the factor. It should be no function of
        the chosen features.
    n_permutations : int, default=999
    random_state : int, default=0
        Seeds the permutations.

    Returns
    -------
    BlockTest

    Raises
    ------
    InputError
        If the factor has not two values, an argument another length, y unknown classes, or no
        block has rows with and without the factor.

    Examples
    --------
    >>> from whybox.s3d import S3DRegressor
    >>> rng = np.random.default_rng(0)
    >>> X, factor = rng.integers(0, 2, (400, 1)).astype(float), rng.integers(0, 2, 400)
    >>> y = 5 * X[:, 0] + factor + rng.normal(0, 0.1, 400)
    >>> test = block_test(S3DRegressor().fit(X, y), X, y, factor)
    >>> round(test.effect, 1), test.p_value, len(test.blocks)
    (1.0, 0.001, 2)
    """
    outcome, binary = _outcome(model, y)
    has = _factor(factor)
    block = model.transform(X)[:, -1]
    if not len(block) == len(outcome) == len(has):
        raise InputError(
            f"X has {len(block)} rows, y {len(outcome)} values, the factor {len(has)}",
            remedy="give one of each a row",
        )
    strata, numbers = _strata(block, has, outcome)
    effect = strata.effect()
    random = np.random.default_rng(random_state)
    least = abs(effect) * (1 - 1e-12)
    extreme = sum(abs(strata.permuted(random).effect()) >= least for _ in range(n_permutations))
    odds_ratio, statistic, mh_p = mantel_haenszel(*_tables(strata)) if binary else (None,) * 3
    return BlockTest(
        effect,
        (1 + extreme) / (1 + n_permutations),
        n_permutations,
        odds_ratio,
        statistic,
        mh_p,
        _by_block(strata, numbers, binary=binary),
        len(block) - len(strata.y),
    )


def mantel_haenszel(a: Array, b: Array, c: Array, d: Array) -> tuple[float, float, float]:
    """Test tables (with the factor: a successes, b failures; without: c, d), one a stratum.

    Parameters
    ----------
    a, b, c, d : array (strata,)

    Returns
    -------
    odds_ratio, statistic, p_value : float
        The common odds ratio; chi-square of 1 degree of freedom with continuity correction, 0 if
        nothing can vary.

    References
    ----------
    Mantel and Haenszel, "Statistical aspects of the analysis of data from retrospective studies
    of disease", 1959.

    Examples
    --------
    >>> odds, chi2, p = mantel_haenszel(*(np.array([n]) for n in (10, 10, 5, 15)))
    >>> round(odds, 6), round(chi2, 4), round(p, 4)
    (3.0, 1.664, 0.1971)
    """
    a, b, c, d = (np.asarray(cell, np.float64) for cell in (a, b, c, d))
    n = a + b + c + d
    for_, against = float((a * d / n).sum()), float((b * c / n).sum())
    expected = float(((a + b) * (a + c) / n).sum())
    spread = (a + b) * (c + d) * (a + c) * (b + d) / (n * n * np.maximum(n - 1, 1))
    variance = float(spread.sum())
    excess = max(abs(float(a.sum()) - expected) - 0.5, 0.0)
    statistic = excess**2 / variance if variance > 0 else 0.0
    ratio = for_ / against if against > 0 else (math.inf if for_ > 0 else math.nan)
    return ratio, statistic, math.erfc(math.sqrt(statistic / 2))


def holm(p_values: Array) -> Array:
    """Adjust p-values for their number (Holm, 1979); NaN stays and does not count.

    Parameters
    ----------
    p_values : float64 (tests,)

    Returns
    -------
    float64 (tests,)

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, np.nan, 0.03])).tolist()
    [0.03, 0.06, nan, 0.06]
    """
    adjusted = np.full(len(p_values), np.nan)
    order = np.argsort(p_values, kind="stable")[: np.count_nonzero(~np.isnan(p_values))]
    factors = len(order) - np.arange(len(order))
    adjusted[order] = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    return adjusted


def _outcome(model: FeatureSpaceDecomposition, y: object) -> tuple[Array, bool]:
    """Give outcomes as numbers, and whether they are two classes."""
    values = np.asarray(y)
    classes = getattr(model, "classes_", None)
    if classes is None:
        return values.astype(np.float64), False
    if len(classes) != 2:
        raise InputError(
            f"the model has {len(classes)} classes, expected two",
            remedy="fit one class against the others",
        )
    if not np.isin(values, classes).all():
        raise InputError("y holds a class that the model does not know", where="y")
    return (values == classes[1]).astype(np.float64), True


def _factor(factor: object) -> Array:
    """Give which rows have the factor."""
    values = np.asarray(factor)
    levels = np.unique(values)
    if values.ndim != 1 or len(levels) != 2:
        raise InputError(
            f"the factor has {len(levels)} values, expected two",
            where="factor",
            remedy="compare it with a limit, or keep the rows of two of its values",
        )
    return np.asarray(values == levels[1])


def _strata(block: Array, has: Array, outcome: Array) -> tuple[Strata, Array]:
    """Keep blocks with both kinds of rows; give their numbers too."""
    inside = block >= 0
    size = int(block.max()) + 1 if inside.any() else 0
    n = np.bincount(block[inside], minlength=size)
    n1 = np.bincount(block[inside], has[inside], minlength=size)
    mixed = (n1 > 0) & (n1 < n)
    if not mixed.any():
        raise InputError(
            "no block has rows with and without the factor",
            where="factor",
            remedy="use a model of fewer features, or a factor that they do not determine",
        )
    numbers = np.flatnonzero(mixed)
    rows = np.flatnonzero(inside)[mixed[block[inside]]]
    rows = rows[np.argsort(block[rows], kind="stable")]
    return Strata(np.searchsorted(numbers, block[rows]), has[rows], outcome[rows]), numbers


def _tables(strata: Strata) -> tuple[Array, Array, Array, Array]:
    """Give the two-by-two tables of binary outcomes."""
    (n0, n1), (s0, s1) = strata.counts(), strata.sums(strata.y)
    return s1, n1 - s1, s0, n0 - s0


def _by_block(strata: Strata, numbers: Array, *, binary: bool) -> Any:
    """Give the effect in each block, tested by itself."""
    import pandas as pd

    (n0, n1), (s0, s1) = strata.counts(), strata.sums(strata.y)
    p_values = _fisher(*_tables(strata)) if binary else _welch(strata)
    columns = {
        "block": numbers, "n0": n0, "n1": n1, "mean0": s0 / n0, "mean1": s1 / n1,
        "effect": s1 / n1 - s0 / n0, "p_value": p_values, "p_adjusted": holm(p_values),
    }  # fmt: skip
    return pd.DataFrame(columns)


def _fisher(a: Array, b: Array, c: Array, d: Array) -> Array:
    """Fisher's exact test of each table."""
    from scipy.stats import fisher_exact

    tables = np.stack([a, b, c, d], axis=1).astype(np.int64).reshape(-1, 2, 2)
    return np.array([fisher_exact(table)[1] for table in tables])


def _welch(strata: Strata) -> Array:
    """Welch's t test in each stratum; NaN where a side has one row, or nothing varies."""
    from scipy.stats import ttest_ind_from_stats

    (n0, n1), (s0, s1) = strata.counts(), strata.sums(strata.y)
    mean0, mean1 = s0 / n0, s1 / n1
    off = strata.y - np.where(strata.factor, mean1[strata.stratum], mean0[strata.stratum])
    q0, q1 = strata.sums(np.square(off))
    p_values = np.full(len(n0), np.nan)
    able = (n0 > 1) & (n1 > 1) & (q0 + q1 > 0)
    sd0, sd1 = (np.sqrt(q[able] / (n[able] - 1)) for q, n in ((q0, n0), (q1, n1)))
    p_values[able] = ttest_ind_from_stats(
        mean1[able], sd1, n1[able], mean0[able], sd0, n0[able], equal_var=False
    ).pvalue
    return p_values
