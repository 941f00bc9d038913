"""Expressions beside filters on tweets to airlines: performance, and what the encoding does to trees.

Run as ``python tests/bench/bench_filters.py [FOLDER]``; FOLDER, or WHYBOX_REFERENCE, holds the
reference texts. Five stratified folds, positive against the rest, nine columns, the four classifiers
with scikit-learn's defaults. Filters choose the same words for both encodings: columns say whether a
word occurs, or hold its tf-idf.
"""

from __future__ import annotations

import csv
import os
import sys
import warnings
from collections.abc import Iterator
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import accuracy_score, f1_score, roc_auc_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from whybox.expressions import DiscriminatoryExpressions, SelectTerms, TermVectors, encode
from whybox.expressions.comprehensibility import (
    clauses,
    complexity,
    comprehensibility_rate,
    rules,
)
from whybox.expressions.corpus import Corpus
from whybox.model_selection.generalisation import FILTERS
from whybox.model_selection.splitters import Splitter

CLASSIFIERS = {
    "knn": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(random_state=0),
    "forest": RandomForestClassifier(random_state=0),
    "logistic": LogisticRegression(),
}
SHOWN = ("chi2", "ig", "gss", "or")
Columns = tuple[str, list[str], np.ndarray, np.ndarray]


def airline(folder: Path) -> tuple[Corpus, np.ndarray]:
    """The 14,640 airline tweets, encoded, and which are positive."""
    with (folder / "data/us_airline/Tweets.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    positive = np.array([row["airline_sentiment"] == "positive" for row in rows])
    return encode([row["text"] for row in rows]), positive


def columns_of(known: Corpus, y: np.ndarray, unseen: Corpus) -> Iterator[Columns]:
    """Each method's name, its columns' names, and both tables."""
    for (p, r), classes in product(((0.6, 0.01), (0.9, 0.001)), ("all", "positive")):
        model = DiscriminatoryExpressions(p, r, classes=classes).fit(known, y)
        yield (
            f"expressions, {p}, {r}, {classes}",
            model.get_feature_names_out().tolist(),
            model.transform(known).toarray().astype(float),
            model.transform(unseen).toarray().astype(float),
        )
    vectors = {e: TermVectors(e, stop_words="english").fit(known) for e in ("presence", "tfidf")}
    terms = vectors["presence"].vocabulary_
    tables = {e: (v.transform(known), v.transform(unseen)) for e, v in vectors.items()}
    for name in SHOWN:
        chosen = SelectTerms(FILTERS[name], 9, terms).fit(tables["presence"][0], y).ranking_
        for encoding, (X, rest) in tables.items():
            words = [terms[column] for column in chosen.tolist()]
            yield f"{name}, {encoding}", words, X[:, chosen].toarray(), rest[:, chosen].toarray()


def judge(model: Any, X: np.ndarray, truth: np.ndarray) -> tuple[float, float, float]:
    """Accuracy, F1 of the positive class, and the area under the curve of probabilities."""
    labels, proba = model.predict(X), model.predict_proba(X)[:, 1]
    f1 = f1_score(truth, labels, zero_division=0)
    return accuracy_score(truth, labels), f1, roc_auc_score(truth, proba)


def study(corpus: Corpus, y: np.ndarray) -> dict[str, dict[str, list[Any]]]:
    """Figures of each method, a fold after the other."""
    found: dict[str, dict[str, list[Any]]] = {}
    for fold in Splitter(5).split(y):
        train = np.random.default_rng(fold.number).permutation(fold.train)
        known, unseen = corpus.take(train), corpus.take(fold.test)
        for method, words, X, rest in columns_of(known, y[train], unseen):
            kept = found.setdefault(method, {"columns": [], "size": []})
            kept["columns"].append(set(words))
            for name, classifier in CLASSIFIERS.items():
                model = classifier.fit(X, y[train])
                kept.setdefault(name, []).append(judge(model, rest, y[fold.test]))
                if name == "tree":
                    kept["size"].append((rules(model), clauses(model)))
    return found


def line(method: str, kept: dict[str, list[Any]]) -> str:
    """A row of the table: means over folds, and over classifiers where none is named."""
    every = np.array([kept[name] for name in CLASSIFIERS])
    size = np.mean(kept["size"], axis=0)
    cost = complexity(*size)
    rate = comprehensibility_rate(float(every[1, :, 1].mean()), cost)
    jaccard = np.mean([len(a & b) / len(a | b) for a, b in combinations(kept["columns"], 2)])
    figures = [*every.mean(axis=(0, 1)), *every[:, :, 1].mean(axis=1)]
    cells = [f"{value:.3f}".removeprefix("0") for value in figures]
    sizes = [f"{size[0]:.1f}", f"{size[1]:.1f}", f"{cost:.1f}", f"{rate:.1f}", f"{jaccard:.2f}"]
    return "| " + " | ".join([method, *cells, *sizes]) + " |"


def main() -> int:
    """Print the table."""
    folder = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("WHYBOX_REFERENCE")
    if not folder:
        print("skipped: give the reference folder, or set WHYBOX_REFERENCE")
        return 0
    warnings.simplefilter("ignore")  # advice on thresholds
    corpus, y = airline(Path(folder))
    print(
        "| columns by | accuracy | F1 | AUC | F1 of kNN | tree | forest | logistic | rules", end=""
    )
    print(" | clauses | complexity | rate | Jaccard |")
    print("|---" * 13 + "|")
    for method, kept in study(corpus, y).items():
        print(line(method, kept))
    share = y.mean()
    print(
        f"always positive: accuracy {share:.3f}, F1 {2 * share / (1 + share):.3f}, AUC .500;",
        end=" ",
    )
    print(f"never: accuracy {1 - share:.3f}, F1 .000")
    return 0


if __name__ == "__main__":
    sys.exit(main())
