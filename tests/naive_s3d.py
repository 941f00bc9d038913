"""The slow twin of the feature-space decomposition: the equations in fractions, written to be read."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass
class NaiveFit:
    """What the equations give: chosen columns, their cuts, and every step's gains."""

    features: list[int] = field(default_factory=list)
    cuts: list[list[float]] = field(default_factory=list)
    steps: list[list[Fraction]] = field(default_factory=list)
    ties: list[list[int]] = field(default_factory=list)
    blocks: list[tuple] = field(default_factory=list)


def is_missing(x):
    return isinstance(x, float) and math.isnan(x)


def outcome_vectors(y, n_classes):
    """One number a row, or an indicator of each class if there are more than two."""
    if n_classes > 2:
        return [tuple(Fraction(int(label == c)) for c in range(n_classes)) for label in y]
    return [(Fraction(value),) for value in y]


def scatter(rows, outcomes, w):
    """Sum of S^2 / n over the channels, for a set of rows."""
    n = sum(w[i] for i in rows)
    if n == 0:
        return Fraction(0)
    sums = [
        sum((w[i] * outcomes[i][c] for i in rows), Fraction(0)) for c in range(len(outcomes[0]))
    ]
    return sum((s * s for s in sums), Fraction(0)) / n


def total_squares(outcomes, w):
    rows = range(len(outcomes))
    squares = sum((w[i] * v * v for i in rows for v in outcomes[i]), Fraction(0))
    return squares - scatter(rows, outcomes, w)


def gain_of_cut(parts, goes_left, outcomes, w):
    """Sum over the blocks of S_L^2/n_L + S_R^2/n_R - S^2/n, and how many blocks are cut."""
    gain, cut = Fraction(0), 0
    for rows in parts:
        left = [i for i in rows if goes_left(i)]
        right = [i for i in rows if not goes_left(i)]
        if left and right:
            cut += 1
            gain += scatter(left, outcomes, w) + scatter(right, outcomes, w)
            gain -= scatter(rows, outcomes, w)
    return gain, cut


def bin_column(x, blocks, outcomes, w, sst, remaining, *, penalty, patience, noise_floor, stopping):
    """Cut one column greedily; the lowest value wins a tie."""
    total = sum(w)
    groups = defaultdict(list)
    for i, block in enumerate(blocks):
        groups[block].append(i)
    apart, apart_cut = gain_of_cut(groups.values(), lambda i: is_missing(x[i]), outcomes, w)
    known = [[i for i in rows if not is_missing(x[i])] for rows in groups.values()]
    values = sorted({value for value in x if not is_missing(value)})
    if not values:
        return Fraction(0), []

    def price(cut):
        return max(Fraction(penalty), Fraction(noise_floor) * cut / total)

    def pays(gain, cut):
        return gain / sst / remaining >= price(cut)

    bins, found = [values], []
    while True:
        best = (Fraction(0), None, None, None)
        for number, inside in enumerate(bins):
            parts = [[i for i in rows if inside[0] <= x[i] <= inside[-1]] for rows in known]
            for s in inside[:-1]:
                gain, cut = gain_of_cut(parts, lambda i, s=s: x[i] <= s, outcomes, w)
                if gain > best[0]:
                    best = (gain, s, cut, number)
        gain, s, cut, number = best
        if gain == 0:
            break
        found.append((gain, s, cut))
        inside = bins[number]
        bins[number : number + 1] = [[v for v in inside if v <= s], [v for v in inside if v > s]]
        if len(found) >= patience and not any(pays(g, c) for g, _, c in found[-patience:]):
            break
    kept = 0
    if stopping == "patience":
        for k, (gain, _, cut) in enumerate(found, start=1):
            kept = k if pays(gain, cut) else kept
    else:
        loss = lowest = Fraction(0)
        for k, (gain, _, cut) in enumerate(found, start=1):
            loss += price(cut) - gain / sst / remaining
            if loss < lowest:
                lowest, kept = loss, k
    gain = sum((g for g, _, _ in found[:kept]), Fraction(0)) / sst
    if kept or (apart > 0 and pays(apart, apart_cut)):
        gain += apart / sst
    return gain, sorted(s for _, s, _ in found[:kept])


def bin_number(value, cuts):
    return len(cuts) + 1 if is_missing(value) else sum(value > s for s in cuts)


def fit(
    columns,
    y,
    w,
    *,
    n_classes=0,
    penalty=0.001,
    patience=5,
    noise_floor=0,
    stopping="patience",
    max_features=None,
):
    """Decompose: the first of the columns that gain most is taken at each step."""
    outcomes = outcome_vectors(y, n_classes)
    w = [Fraction(v) for v in w]
    blocks = [()] * len(y)
    sst, gained, result = total_squares(outcomes, w), Fraction(0), NaiveFit()
    rules = {
        "penalty": penalty,
        "patience": patience,
        "noise_floor": noise_floor,
        "stopping": stopping,
    }
    limit = len(columns) if max_features is None else max_features
    while True:
        binned = [(Fraction(0), [])] * len(columns)
        if sst > 0 and gained < 1:
            for j in set(range(len(columns))) - set(result.features):
                binned[j] = bin_column(columns[j], blocks, outcomes, w, sst, 1 - gained, **rules)
        result.steps.append([gain for gain, _ in binned])
        best = max(result.steps[-1])
        if best == 0 or len(result.features) >= limit:
            break
        result.ties.append([j for j, gain in enumerate(result.steps[-1]) if gain == best])
        chosen = result.ties[-1][0]
        cuts = binned[chosen][1]
        gained += best
        result.features.append(chosen)
        result.cuts.append(cuts)
        blocks = [(*block, bin_number(columns[chosen][i], cuts)) for i, block in enumerate(blocks)]
    result.blocks = blocks
    return result


def block_means(blocks, y, w):
    """The mean of each block, as fractions."""
    n, s = defaultdict(Fraction), defaultdict(Fraction)
    for block, value, weight in zip(blocks, y, w, strict=True):
        n[block] += Fraction(weight)
        s[block] += Fraction(weight) * Fraction(value)
    return {block: s[block] / n[block] for block in n}
