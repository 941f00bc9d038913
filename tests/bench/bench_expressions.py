"""How fast expressions are found and matched, beside the printed algorithm and beside scikit-learn.

Run as ``python tests/bench/bench_expressions.py [FOLDER] [N]``; FOLDER, or WHYBOX_REFERENCE, holds
the reference texts, N (1,000) is how many documents the printed algorithm sees: its time grows with
the square. Times are CPU times of one process, the best of a few runs, after the kernels are
compiled; "tokens" starts from token lists, "texts" from raw texts with no memory of earlier ones.
"""

from __future__ import annotations

import csv
import os
import sys
import warnings
from collections import deque
from collections.abc import Callable
from pathlib import Path
from time import process_time

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import SelectKBest, mutual_info_classif
from sklearn.feature_selection import chi2 as sklearn_chi2
from sklearn.pipeline import make_pipeline

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import naive_expressions as naive
from whybox.expressions import CoverageWarning, DiscriminatoryExpressions, encode, information_gain
from whybox.expressions.analysis import Analyzer
from whybox.text.stemming import stem
from whybox.text.tokens import _unit_tokens

Labelled = tuple[list[str], np.ndarray]


class Printed(naive.Search):
    """Algorithm 3 with a plain scan for each count, and nothing remembered."""

    def count(self, expression):
        tp = fp = 0
        for doc, positive in zip(self.docs, self.positive, strict=True):
            rest = iter(doc)
            if all(word in rest for word in expression):
                tp, fp = tp + positive, fp + (not positive)
        return tp, fp

    def first_accepted(self, doc):
        ranked = self.ranked(doc)
        queue = deque((i,) for i in ranked)
        generated = set(queue)
        while queue:
            positions = queue.popleft()
            expression = tuple(doc[i] for i in positions)
            tp, fp = self.count(expression)
            if tp < self.need:
                continue
            if tp >= self.p * (tp + fp) - 1e-9 and not set(expression) <= self.stop:
                return expression
            if len(positions) < self.alpha:
                for i in ranked:
                    longer = tuple(sorted({*positions, i}))
                    if len(longer) > len(positions) and longer not in generated:
                        generated.add(longer)
                        queue.append(longer)
        return None


def sentiment140(folder: Path) -> Labelled:
    """The 20,000 texts of the slice, and which are positive."""
    path = folder / "data/sentiment140/training.20000.processed.noemoticon.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    return [row[5] for row in rows], np.array([row[0] == "4" for row in rows])


def airline(folder: Path) -> Labelled:
    """The 14,640 airline tweets, and which are positive."""
    with (folder / "data/us_airline/Tweets.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [r["text"] for r in rows], np.array([r["airline_sentiment"] == "positive" for r in rows])


def best(work: Callable[[], object], runs: int = 3) -> float:
    """Least of the CPU seconds that a few runs take."""
    seconds = []
    for _ in range(runs):
        start = process_time()
        work()
        seconds.append(process_time() - start)
    return min(seconds)


def report(name: str, seconds: float, n: int) -> float:
    """Print a line; return the documents per second."""
    print(f"  {name:48}{seconds:9.3f} s{n / seconds:14,.0f} documents/s")
    return n / seconds


def as_words(texts: list[str]) -> list[list[str]]:
    """The stems of each text."""
    analyzer = Analyzer()
    return [[analyzer.word(form) for form in doc] for doc in analyzer.forms(texts)]


def cold(work: Callable[[], object]) -> Callable[[], object]:
    """Forget tokens and stems first."""

    def forgetful() -> object:
        stem.cache_clear()
        _unit_tokens.cache_clear()
        return work()

    return forgetful


def bench_set(name: str, labelled: Labelled) -> None:
    """Fit and transform at two settings, beside CountVectorizer and chi2."""
    texts, y = labelled
    n, docs, stop = len(texts), as_words(texts), Analyzer().stop_words("english")
    print(f"{name}: {n:,} documents")
    params = {"classes": "positive", "analyzer": "tokens", "stop_words": stop}
    for p, r in ((0.6, 0.01), (0.9, 0.001)):
        model = DiscriminatoryExpressions(p, r, **params).fit(docs, y)
        corpus = encode(docs, Analyzer("tokens"))
        report(f"fit p={p} r={r}, tokens", best(lambda m=model: m.fit(docs, y)), n)
        report("  encoded corpus", best(lambda m=model, c=corpus: m.fit(c, y)), n)
        report("transform, 9 columns, tokens", best(lambda m=model: m.transform(docs)), n)
        report("  encoded corpus", best(lambda m=model, c=corpus: m.transform(c)), n)
        every = DiscriminatoryExpressions(p, r, n_expressions=None, **params).fit(docs, y)
        k = len(every.expressions_)
        report(f"transform, {k} columns, tokens", best(lambda m=every: m.transform(docs)), n)
    bench_peers(texts, docs, y)


def bench_peers(texts: list[str], docs: list[list[str]], y: np.ndarray) -> None:
    """What one gets for the same nine columns from scikit-learn."""
    n = len(texts)
    theirs = make_pipeline(
        CountVectorizer(analyzer=list, binary=True), SelectKBest(sklearn_chi2, k=9)
    )
    report("CountVectorizer + chi2, fit, tokens", best(lambda: theirs.fit(docs, y)), n)
    report("CountVectorizer + chi2, transform, tokens", best(lambda: theirs.transform(docs)), n)
    ours = DiscriminatoryExpressions(classes="positive")
    report("fit_transform, texts", best(cold(lambda: ours.fit_transform(texts, y)), 2), n)
    theirs = make_pipeline(CountVectorizer(binary=True), SelectKBest(sklearn_chi2, k=9))
    report(
        "CountVectorizer + chi2, texts, no stems",
        best(lambda: theirs.fit_transform(texts, y), 2),
        n,
    )


def bench_printed(labelled: Labelled, n: int) -> None:
    """The printed algorithm on few documents, and this one on the same."""
    docs, y = as_words(labelled[0])[:n], labelled[1][:n]
    stop = Analyzer().stop_words("english")
    print(f"the first {n} documents, p=0.6, r=0.01, 3 words")
    found: list[Printed] = []
    seconds = best(lambda: found.append(Printed(docs, y.tolist(), 0.6, 0.01, 3, stop)), 1)
    slow = report("the printed algorithm", seconds, n)
    model = DiscriminatoryExpressions(
        n_expressions=None, classes="positive", analyzer="tokens", stop_words=stop
    )
    fast = report("fit", best(lambda: model.fit(docs, y), 7), n)
    same = set(model.expressions_) == set(found[0].found)
    print(f"  {fast / slow:,.0f} times faster; the same {len(found[0].found)} expressions: {same}")


def bench_filters(labelled: Labelled, n_terms: int = 300) -> None:
    """Information gain beside mutual_info_classif, which loops over terms."""
    X = CountVectorizer(binary=True, max_features=n_terms).fit_transform(labelled[0])
    y = labelled[1]
    ours = best(lambda: information_gain(X, y))
    theirs = best(lambda: mutual_info_classif(X, y, discrete_features=True), 1)
    print(f"information gain of {n_terms} terms: {ours:.4f} s; scikit-learn {theirs:.3f} s")


def main() -> int:
    """Time everything on the reference texts."""
    folder = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WHYBOX_REFERENCE")
    if not folder:
        print("skipped: give the reference folder, or set WHYBOX_REFERENCE")
        return 0
    warnings.simplefilter("ignore", CoverageWarning)
    sets = {"airline": airline(Path(folder)), "sentiment140": sentiment140(Path(folder))}
    for name, labelled in sets.items():
        bench_set(name, labelled)
    bench_printed(sets["airline"], int(sys.argv[2]) if len(sys.argv) > 2 else 1000)
    bench_filters(sets["sentiment140"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
