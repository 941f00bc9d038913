"""The paper's tables on the texts at hand: expressions and filters under four classifiers.

Run as ``python tests/bench/bench_expression_tables.py [FOLDER] [--out LEDGER]``; FOLDER, or
WHYBOX_REFERENCE, holds the reference texts. Tweets to airlines (positive against the rest), profiles
(male against female), sentences of films, and a slice of Sentiment140; TASS, the fourth in print, is
not at hand. Five stratified folds, nine columns, scikit-learn's defaults. Filters choose words by
presence; columns then say whether a word occurs, or hold its tf-idf. What a fold gave is kept in
LEDGER, so that a run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import NearestNeighbors
from sklearn.tree import DecisionTreeClassifier

from whybox.data.records import read_records
from whybox.errors import InputError
from whybox.expressions import DiscriminatoryExpressions, SelectTerms, TermVectors, encode
from whybox.expressions.comprehensibility import (
    clauses,
    complexity,
    comprehensibility_rate,
    neighbours_rate,
    rules,
)
from whybox.expressions.corpus import Corpus
from whybox.expressions.distinct import distinct_rows
from whybox.model_selection.generalisation import FILTERS
from whybox.model_selection.ledger import open_ledger
from whybox.model_selection.splitters import Splitter
from whybox.model_selection.tallies import FIGURES, RowCounts, judge

NEIGHBOURS = (5, 7, 9, 10, 25)
SHORT = {"knn": "kNN", "tree": "DT", "forest": "RF", "logistic": "LR"}
EXPRESSIONS = {
    f"DE {p} {r} {classes}": {"min_precision": p, "min_recall": r, "classes": classes}
    for p, r in ((0.6, 0.01), (0.75, 0.003), (0.9, 0.001))
    for classes in ("positive", "all")
}
# on presence f-ANOVA ranks as CHI2, and MI is IG
DISTINCT = {"CHI2, f-ANOVA": "chi2", "IG, MI": "ig", "ECE": "ece", "GSS": "gss", "OR": "or"}
PRINTED = {
    "DE": "DE",
    **{name: name for name in ("CHI2", "f-ANOVA", "IG", "MI", "ECE", "GSS", "OR")},
}


class Set(NamedTuple):
    """Where labelled texts are, and which are meant."""

    path: str
    format: str
    columns: Mapping[str, str] | None
    positive: str
    others: tuple[str, ...]
    printed: str | None


SETS = {
    "airline": Set(
        "us_airline/Tweets.csv",
        "csv",
        {"text": "text", "label": "airline_sentiment"},
        "positive",
        ("negative", "neutral"),
        "airlines",
    ),
    "gender": Set(
        "twitter_user_gender/gender-classifier-DFE-791531.csv.gz",
        "csv",
        {"text": "text", "label": "gender"},
        "male",
        ("female",),
        "gender",
    ),
    "IMDB": Set("sentence_labelled/imdb_labelled.txt", "lines", None, "1", ("0",), "imdb"),
    "Sentiment140": Set(
        "sentiment140/training.20000.processed.noemoticon.csv",
        "sentiment140",
        None,
        "",
        (),
        None,
    ),
}


def read_set(folder: Path, given: Set) -> tuple[Corpus, np.ndarray]:
    """Encode the texts, and tell which are positive."""
    path = folder / "data" / given.path
    if given.format == "lines":
        rows = [line.rsplit("\t", 1) for line in path.read_text("utf-8").split("\n") if line]
        texts, labels = zip(*rows, strict=True)
    else:
        tables = list(read_records(path, given.format, columns=given.columns))
        texts = [text for table in tables for text in table["text"].to_pylist()]
        labels = [label for table in tables for label in table["label"].to_pylist()]
    positive = given.positive or max(filter(None, labels))
    wanted = (positive, *given.others) if given.others else tuple(set(labels))
    kept = [at for at, label in enumerate(labels) if label in wanted]
    return encode([texts[at] for at in kept]), np.array([labels[at] == positive for at in kept])


class Columns(NamedTuple):
    """What one method makes of a fold."""

    method: str
    words: list[str]
    train: np.ndarray
    test: np.ndarray


def columns_of(known: Corpus, y: np.ndarray, unseen: Corpus) -> Iterator[Columns]:
    """Make the columns of every method, learnt from the training documents."""
    for method, given in EXPRESSIONS.items():
        try:
            model = DiscriminatoryExpressions(**given).fit(known, y)
        except InputError:  # nothing passes
            yield Columns(method, [], np.zeros((len(known), 1)), np.zeros((len(unseen), 1)))
            continue
        tables = (model.transform(part).toarray().astype(float) for part in (known, unseen))
        yield Columns(method, model.get_feature_names_out().tolist(), *tables)
    vectors = {e: TermVectors(e, stop_words="english").fit(known) for e in ("presence", "tfidf")}
    terms = vectors["presence"].vocabulary_
    both = {e: (v.transform(known), v.transform(unseen)) for e, v in vectors.items()}
    for name, filter_ in DISTINCT.items():
        chosen = SelectTerms(FILTERS[filter_], 9, terms).fit(both["presence"][0], y).ranking_
        words = [terms[column] for column in chosen.tolist()]
        for encoding, pair in both.items():
            yield Columns(f"{name}; {encoding}", words, *(X[:, chosen].toarray() for X in pair))


def judge_columns(columns: Columns, y: np.ndarray, truth: np.ndarray) -> dict[str, Any]:
    """Fit the four classifiers, and judge them on the test documents, distinct rows once each."""
    rows, where = columns.test, np.arange(len(truth))
    if np.isin(columns.test, (0.0, 1.0)).all():
        rows, where = distinct_rows(columns.test)
        rows = rows.astype(float)
    judge_rows = partial(judge, RowCounts.of(where, truth, len(rows)))
    found: dict[str, Any] = {"words": columns.words}
    near = NearestNeighbors(n_neighbors=max(NEIGHBOURS)).fit(columns.train)
    votes = y[near.kneighbors(rows, return_distance=False)]
    shares = {k: votes[:, :k].mean(axis=1) for k in NEIGHBOURS}
    found["knn"] = judge_rows(shares[5] > 0.5, shares[5])
    found["f1_by_k"] = {k: judge_rows(share > 0.5, share)["f1"] for k, share in shares.items()}
    for name, model in (
        ("tree", DecisionTreeClassifier(random_state=0)),
        ("forest", RandomForestClassifier(random_state=0)),
        ("logistic", LogisticRegression()),
    ):
        model.fit(columns.train, y)
        found[name] = judge_rows(model.predict(rows), model.predict_proba(rows)[:, 1])
        if name in ("tree", "forest"):
            found[f"{name}_size"] = [rules(model), clauses(model)]
    return found


def study(name: str, folder: Path, ledger: Any) -> dict[str, list[dict[str, Any]]]:
    """Give each method's figures, a fold after the other, from the ledger where they are known."""
    corpus, y = read_set(folder, SETS[name])
    found: dict[str, list[dict[str, Any]]] = {}
    for fold in Splitter(5).split(y):
        # of equally near neighbours the first ones count, and files may be sorted by class
        train = np.random.default_rng(fold.number).permutation(fold.train)
        key = json.dumps([name, fold.number, len(y)])
        if key not in ledger:
            made = columns_of(corpus.take(train), y[train], corpus.take(fold.test))
            ledger[key] = {c.method: judge_columns(c, y[train], y[fold.test]) for c in made}
            print(f"{name}: fold {fold.number + 1} of 5", file=sys.stderr)
        for method, figures in ledger[key].items():
            found.setdefault(method, []).append(figures)
    share = y.mean()
    always = judge(RowCounts.of(np.zeros(len(y), int), y, 1), [True], [1.0])
    print(f"\n#### {name}: {len(y):,} documents, {share:.1%} positive\n")
    found["always positive"] = [dict.fromkeys(SHORT, always) | {"words": []}]
    return found


def short(value: float | None, digits: int = 3) -> str:
    """Write a figure, or that there is none."""
    return "–" if value is None else f"{value:.{digits}f}".replace("0.", ".", value < 1)


def line(method: str, folds: list[dict[str, Any]]) -> str:
    """Write means over folds and classifiers, the spread of F1 among them, and the tree's size."""
    every = [fold[c] for fold in folds for c in SHORT]
    figures = [statistics.fmean(each[name] for each in every) for name in FIGURES]
    spread = statistics.stdev(each["f1"] for each in every)
    size: list[float | None] = [None] * 5
    jaccard = None
    if "tree_size" in folds[0]:
        n_rules, length = np.mean([fold["tree_size"] for fold in folds], axis=0).tolist()
        cost = complexity(n_rules, length)
        rate = comprehensibility_rate(statistics.fmean(f["tree"]["f1"] for f in folds), cost)
        f1 = {k: statistics.fmean(f["f1_by_k"][str(k)] for f in folds) for k in NEIGHBOURS}
        size = [n_rules, length, cost, rate, neighbours_rate(f1)]
        pairs = combinations([set(fold["words"]) for fold in folds], 2)
        jaccard = statistics.fmean(len(a & b) / max(len(a | b), 1) for a, b in pairs)
    sizes = [short(value, digits) for value, digits in zip(size, (1, 1, 1, 1, 3), strict=True)]
    cells = [method, *map(short, figures), short(spread), *sizes, short(jaccard, 2)]
    return "| " + " | ".join(cells) + " |"


def by_classifier(method: str, folds: list[dict[str, Any]]) -> str:
    """Write accuracy / F1 / AUC of each classifier, and the size of forests."""
    cells = [
        " / ".join(
            short(statistics.fmean(f[c][m] for f in folds)) for m in ("accuracy", "f1", "auc")
        )
        for c in SHORT
    ]
    size = ["–", "–"]
    if "forest_size" in folds[0]:
        n_rules, length = np.mean([fold["forest_size"] for fold in folds], axis=0).tolist()
        size = [f"{n_rules:.1f}", f"{complexity(n_rules, length, trees=5):.1f}"]
    return "| " + " | ".join([method, *cells, *size]) + " |"


def printed(folder: Path, name: str) -> Iterator[str]:
    """Write the published rows of a set, where there are any."""
    known = SETS[name].printed
    if known is None:
        return
    tables = json.loads((folder / "oracle/expressions/paper_tables.json").read_text("utf-8"))
    for method in PRINTED:
        mean, tree = tables["S12"][known][method], tables["S16"][known][method]
        figures = [short(mean[each]) for each in ("acc", "pre", "rec", "f1", "auc")]
        spread = short(tables["S13"][known][method]["std"])
        size = [f"{tree[each]:.1f}" for each in ("rules", "clauses", "complexity", "rate")]
        knn = short(tables["S15"][known][method]["sum_f1_over_k"])
        cells = [f"*in print: {method}*", *figures, "–", spread, *size, knn, "–"]
        yield "| " + " | ".join(cells) + " |"


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", default=os.environ.get("WHYBOX_REFERENCE"))
    parser.add_argument("--out", default="expression_tables.jsonl", type=Path)
    given = parser.parse_args()
    if not given.folder:
        print("skipped: give the reference folder, or set WHYBOX_REFERENCE")
        return 0
    warnings.simplefilter("ignore")  # advice on thresholds
    head = "accuracy | precision | recall | F1 | AUC of labels | AUC | sd of F1 | rules | clauses"
    with open_ledger(given.out) as ledger:
        for name in SETS:
            found = study(name, Path(given.folder), ledger)
            print(f"| columns by | {head} | complexity | rate | kNN's rate | Jaccard |")
            print("|---" * 14 + "|")
            print(*(line(method, folds) for method, folds in found.items()), sep="\n")
            print(*printed(Path(given.folder), name), sep="\n")
            cells = " | ".join(f"{each}: accuracy / F1 / AUC" for each in SHORT.values())
            print(f"\n| columns by | {cells} | rules a tree of the forest | its complexity |")
            print("|---" * 7 + "|")
            print(*(by_classifier(method, folds) for method, folds in found.items()), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
