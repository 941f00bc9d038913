"""Decompositions beside linear models, a forest, an EBM and a tree of as many leaves: nested CV.

Run it as ``python tests/bench/bench_s3d_peers.py OUT [--sets ...] [--models ...]``. Five outer folds,
the same for all models; what a model tunes it tunes on four folds inside. OUT gets a small file a
set and model, and those that are there already are not run again; then all tables are printed.
WHYBOX_REFERENCE names the folder with real sets (``data``); without it there are the sets of
scikit-learn and the synthetic one. One thread.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "NUMBA_NUM_THREADS"):
    os.environ.setdefault(name, "1")

import numpy as np  # noqa: E402  (the threads first)
import pandas as pd  # noqa: E402

N_OUTER, N_INNER, TOP = 5, 4, 3
WIDE = (0.1, 0.03, 0.01)  # penalties above the paper's
DEFAULT = "S3D, floor 6"
S3D: dict[str, dict[str, Any]] = {
    **{f"S3D, floor {floor}": {"floor": floor} for floor in (0, 1, 2, 4, 6, 8, 12)},
    "S3D, floor 0, min_samples 5": {"floor": 0, "min_samples": 5},
    "S3D, floor 0, more penalties": {"floor": 0, "wide": True},
    "S3D, floor 4, more penalties": {"floor": 4, "wide": True},
    "S3D, floor 6, more penalties": {"floor": 6, "wide": True},
}
PEERS = ("lasso", "elastic net", "linear SVM", "forest", "EBM", "tree")


class Rows(NamedTuple):
    """A set: features, outcomes, and groups of rows that stay together (or None)."""

    X: pd.DataFrame
    y: np.ndarray
    groups: np.ndarray | None = None


class Answer(NamedTuple):
    """A model on an outer fold: scores of the test rows, features' importance, and what else."""

    scores: np.ndarray
    importance: np.ndarray
    more: dict[str, Any]


# ---------------------------------------------------------------------------------------- sets


def table(path: str, target: str, sample: int | None = None, drop: tuple[str, ...] = ()) -> Rows:
    """Read a set of the reference folder; of large ones some rows, drawn by a fixed seed."""
    frame = pd.read_csv(Path(os.environ["WHYBOX_REFERENCE"]) / "data" / path)
    if sample is not None:
        frame = frame.sample(sample, random_state=0).reset_index(drop=True)
    groups = frame[drop[0]].to_numpy() if drop else None
    y = frame.pop(target).to_numpy()
    return Rows(frame.drop(columns=list(drop)).astype(float), y, groups)


def from_scikit_learn(name: str) -> Rows:
    """Load a set that scikit-learn brings."""
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True, as_frame=True)
    return Rows(X, y.to_numpy())


def synthetic() -> Rows:
    """Make 5,000 rows of the table whose cost is measured elsewhere."""
    from bench_s3d import make_table

    X, y = make_table(5000)
    return Rows(pd.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]), y)


LABELS: dict[str, Callable[[], Rows]] = {
    "breast cancer, original": lambda: table("tabular/breastcancer.csv", "target"),
    "breast cancer, diagnostic": lambda: from_scikit_learn("breast_cancer"),
    "answers: beer": lambda: table("stackexchange/beer_answers.csv", "target"),
    "answers: coffee": lambda: table("stackexchange/coffee_answers.csv", "target"),
    "answers: meta": lambda: table("stackexchange/datascience_meta_answers.csv", "target"),
    "LSVT": lambda: table("uci/lsvt.csv", "response", drop=("subject",)),
    "synthetic": synthetic,
    "glass, 6 classes": lambda: table("uci/glass.csv", "Type"),
    "satellite, 6 classes": lambda: table("uci/statlog_satellite.csv", "classes", 2000),
}
OUTCOMES: dict[str, Callable[[], Rows]] = {
    "bike": lambda: table("tabular/bike.csv", "target", 4000),
    "diabetes": lambda: from_scikit_learn("diabetes"),
}

# -------------------------------------------------------------------------------------- models


def s3d(rows: Rows, is_class: bool, floor: float, wide: bool = False, **given: Any):
    """Make what tunes a decomposition on the rows of a fold and answers its test rows."""
    from whybox.graph import connect
    from whybox.graph.s3d_tuning import tune
    from whybox.model_selection.s3d_tuning import PENALTIES
    from whybox.s3d import S3DClassifier, S3DRegressor

    kind = S3DClassifier if is_class else S3DRegressor
    penalties = (*WIDE, *PENALTIES) if wide else PENALTIES

    def answer(train: np.ndarray, test: np.ndarray) -> Answer:
        groups = None if rows.groups is None else rows.groups[train]
        blank = kind(noise_floor=floor, max_features=10, **given)
        with connect("sync") as session, warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="no feature is chosen")
            model = tune(
                session, blank, rows.X.iloc[train], rows.y[train],
                penalties=penalties, n_folds=N_INNER, groups=groups,
            )  # fmt: skip
        importance = np.zeros(rows.X.shape[1])
        for step, feature in enumerate(model.selected_features_):
            importance[feature] = model.r2_steps_[step, feature]
        surface = model.tuning_
        curves = {
            tuple(surface["mean"][surface["penalty"] == p].round(12)) for p in PENALTIES
        }  # penalties of the same curve are the same models, for all one can see
        there = rows.X.iloc[test]
        scores = model.predict_proba(there) if is_class else model.predict(there)
        leaves = len(model.grid_.weight[-1])
        return Answer(scores, importance, {"leaves": leaves, "curves": len(curves)})

    return answer


def searched(make: Any, grid: dict[str, list[Any]], rows: Rows, is_class: bool):
    """Make what searches a grid on the inner folds; ``make`` gives an estimator."""
    from sklearn.model_selection import GridSearchCV

    def answer(train: np.ndarray, test: np.ndarray) -> Answer:
        X, y = rows.X.iloc[train], rows.y[train]
        inner = [(fold.train, fold.test) for fold in folds(rows, train, N_INNER, is_class)]

        def score(model: Any, X: Any, y: np.ndarray) -> float:
            return quality(outputs(model, X), y, model.classes_ if is_class else None)

        found = GridSearchCV(make(), grid, scoring=score, cv=inner, error_score="raise").fit(X, y)
        model = found.best_estimator_
        return Answer(outputs(model, rows.X.iloc[test]), importance(model), {})

    return answer


def same_leaves(rows: Rows, is_class: bool, leaves: list[int]):
    """Make a tree with as many leaves as the decomposition has blocks in the same fold."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    kind, left = DecisionTreeClassifier if is_class else DecisionTreeRegressor, iter(leaves)

    def answer(train: np.ndarray, test: np.ndarray) -> Answer:
        model = kind(max_leaf_nodes=max(2, next(left)), random_state=0)
        model.fit(rows.X.iloc[train], rows.y[train])
        scores = outputs(model, rows.X.iloc[test])
        return Answer(scores, model.feature_importances_, {"leaves": int(model.get_n_leaves())})

    return answer


def scaled(estimator: Any, several: bool) -> Callable[[], Any]:
    """Put medians in place of missing values, standardise, and ask class by class if many."""
    from sklearn.impute import SimpleImputer
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    last = OneVsRestClassifier(estimator) if several else estimator
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    return lambda: make_pipeline(fill, StandardScaler(), last)


def peers(rows: Rows, is_class: bool) -> dict[str, Callable[[], Any]]:
    """Name what stands beside the decomposition; each is made when it is run."""
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    from sklearn.linear_model import ElasticNet, Lasso, LogisticRegression
    from sklearn.svm import LinearSVC, LinearSVR

    several = is_class and len(np.unique(rows.y)) > 2

    def linear(estimator: Any, **grid: list[Any]) -> Callable[[], Any]:
        name = type(estimator).__name__.lower()
        at = "onevsrestclassifier__estimator" if several else name
        named = {f"{at}__{key}": values for key, values in grid.items()}
        return lambda: searched(scaled(estimator, several), named, rows, is_class)

    strength = np.logspace(-3, 2, 11).tolist()
    shares, few = [0.2, 0.8], np.logspace(-3, 1, 5).tolist()
    if is_class:
        lasso = LogisticRegression(l1_ratio=1, solver="liblinear", max_iter=1000, random_state=0)
        net = LogisticRegression(l1_ratio=0.5, solver="saga", max_iter=200, random_state=0)
        forest, ebm = RandomForestClassifier, ExplainableBoostingClassifier
        models = {
            "lasso": linear(lasso, C=strength),
            "elastic net": linear(net, C=few, l1_ratio=shares),
            "linear SVM": linear(LinearSVC(max_iter=2000, random_state=0), C=few),
        }
    else:
        forest, ebm = RandomForestRegressor, ExplainableBoostingRegressor
        width = float(np.std(rows.y))
        alphas = (width * np.logspace(-4, 0, 11)).tolist()
        models = {
            "lasso": linear(Lasso(max_iter=5000), alpha=alphas),
            "elastic net": linear(ElasticNet(max_iter=5000), alpha=alphas, l1_ratio=shares),
            "linear SVM": linear(LinearSVR(max_iter=2000, random_state=0), C=few),
        }
    plain = forest(n_estimators=300, random_state=0, n_jobs=1)
    boosting = ebm(n_jobs=1, random_state=0, outer_bags=2)
    models["forest"] = lambda: fixed(plain, rows)
    models["EBM"] = lambda: fixed(boosting, rows)
    return models


def fixed(model: Any, rows: Rows):
    """Make what fits a model as it is."""
    from sklearn.base import clone

    def answer(train: np.ndarray, test: np.ndarray) -> Answer:
        fitted = clone(model).fit(rows.X.iloc[train], rows.y[train])
        return Answer(outputs(fitted, rows.X.iloc[test]), importance(fitted), {})

    return answer


def outputs(model: Any, X: Any) -> np.ndarray:
    """Give probabilities, decision values or outcomes."""
    for method in ("predict_proba", "decision_function"):
        if hasattr(model, method):
            return np.asarray(getattr(model, method)(X))
    return np.asarray(model.predict(X))


def importance(model: Any) -> np.ndarray:
    """Give what a model says of its features: 0 where one is not used."""
    if hasattr(model, "term_importances"):
        found = np.zeros(len(model.feature_names_in_))
        for term, value in zip(model.term_features_, model.term_importances(), strict=True):
            found[list(term)] += value / len(term)
        return found
    if hasattr(model, "feature_importances_"):
        return np.asarray(model.feature_importances_)
    last = model[-1]
    each = last.estimators_ if hasattr(last, "estimators_") else [last]
    return np.sum([np.abs(np.ravel(one.coef_)) for one in each], axis=0)


# ---------------------------------------------------------------------------------- measuring


def quality(found: np.ndarray, truth: np.ndarray, classes: np.ndarray | None) -> float:
    """AUC (of many classes the mean of one against the rest), or R2."""
    from sklearn.metrics import r2_score, roc_auc_score

    if classes is None:
        return float(r2_score(truth, found))
    if len(classes) == 2:
        positive = found[:, 1] if found.ndim == 2 else found
        return float(roc_auc_score(truth == classes[1], positive))
    there = [c for c, label in enumerate(classes) if 0 < np.sum(truth == label) < len(truth)]
    return float(np.mean([roc_auc_score(truth == classes[c], found[:, c]) for c in there]))


def folds(rows: Rows, at: np.ndarray, n_folds: int, is_class: bool) -> Any:
    """Split rows, alike for every model."""
    from whybox.model_selection.s3d_tuning import tuning_folds
    from whybox.s3d import S3DClassifier, S3DRegressor

    groups = None if rows.groups is None else rows.groups[at]
    kind = S3DClassifier if is_class else S3DRegressor
    return tuning_folds(kind(), rows.y[at], n_folds, 0, groups)


def overlap(sets: list[set[int]]) -> float:
    """Mean Jaccard index of all pairs; two empty sets are alike."""
    pairs = itertools.combinations(sets, 2)
    return float(np.mean([len(a & b) / len(a | b) if a | b else 1.0 for a, b in pairs]))


def measure(answer: Any, rows: Rows, is_class: bool) -> dict[str, Any]:
    """Run a model on the outer folds."""
    scores, used, top, more = [], [], [], []
    started = time.process_time()
    for fold in folds(rows, np.arange(len(rows.y)), N_OUTER, is_class):
        found = answer(fold.train, fold.test)
        classes = np.unique(rows.y[fold.train]) if is_class else None
        scores.append(quality(found.scores, rows.y[fold.test], classes))
        used.append(set(np.flatnonzero(found.importance > 0).tolist()))
        first = np.argsort(-found.importance, kind="stable")[:TOP].tolist()
        top.append({j for j in first if found.importance[j] > 0})
        more.append(found.more)
    return {
        "score": float(np.mean(scores)),
        "sd": float(np.std(scores, ddof=1)),
        "used": float(np.mean([len(each) for each in used])),
        "jaccard": overlap(used),
        "top": overlap(top),
        "seconds": time.process_time() - started,
        "folds": more,
    }


def run(out: Path, name: str, model: str) -> None:
    """Measure a model on a set unless its file is there."""
    path = out / f"{name}--{model}.json".replace(" ", "_")
    if path.exists():
        return
    is_class = name in LABELS
    rows = (LABELS | OUTCOMES)[name]()
    if model in S3D:
        answer = s3d(rows, is_class, **S3D[model])
    elif model == "tree":
        beside = json.loads((out / f"{name}--{DEFAULT}.json".replace(" ", "_")).read_text())
        answer = same_leaves(rows, is_class, [fold["leaves"] for fold in beside["folds"]])
    else:
        answer = peers(rows, is_class)[model]()
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Liblinear failed to converge")
        warnings.filterwarnings("ignore", message="The max_iter was reached")
        warnings.filterwarnings("ignore", message="Objective did not converge")
        warnings.filterwarnings("ignore", message="Missing values detected")
        found = measure(answer, rows, is_class)
    found |= {"set": name, "model": model, "rows": len(rows.y), "features": rows.X.shape[1]}
    path.write_text(json.dumps(found))
    print(f"{name}, {model}: {found['score']:.3f} ({found['seconds']:.0f} s)", flush=True)


# ----------------------------------------------------------------------------------- printing


def show(out: Path) -> None:
    """Print what there is, as Markdown."""
    found = pd.DataFrame([json.loads(path.read_text()) for path in sorted(out.glob("*.json"))])
    for key in ("leaves", "curves"):
        found[key] = [
            np.mean([fold[key] for fold in folds]) if key in folds[0] else np.nan
            for folds in found["folds"]
        ]
    beside = [DEFAULT, "S3D, floor 0", *PEERS]
    print("\n**AUC or R², mean and standard deviation of five outer folds**\n")
    grid(found, beside, lambda r: f"{r.score:.3f} ± {r.sd:.3f}")
    print("\n**Features used; their overlap between folds; that of the first three**\n")
    grid(found, beside, lambda r: f"{r.used:.1f}; {r.jaccard:.2f}; {r.top:.2f}")
    print("\n**Floors: AUC or R²**\n")
    grid(found, list(S3D), lambda r: f"{r.score:.3f}")
    print("\n**Floors: features / blocks / curves that differ among the paper's six penalties**\n")
    grid(found, list(S3D), lambda r: f"{r.used:.1f} / {r.leaves:.0f} / {r.curves:.1f}")
    print("\n**Processor seconds**\n")
    grid(found, beside, lambda r: f"{r.seconds:.0f}")


def grid(found: pd.DataFrame, models: list[str], cell: Callable[[Any], str]) -> None:
    """Print a row a set and a column a model."""
    cells = {(r.set, r.model): cell(r) for r in found.itertuples()}
    size = {r.set: f"{r.rows:,} x {r.features}" for r in found.itertuples()}
    print("| set | rows | " + " | ".join(models) + " |")
    print("|---|---|" + "---|" * len(models))
    for name in (*LABELS, *OUTCOMES):
        if name in size:
            row = (cells.get((name, model), "") for model in models)
            print(f"| {name} | {size[name]} | " + " | ".join(row) + " |")


def main() -> None:
    """Run what is missing, then print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--sets", nargs="*", default=[*LABELS, *OUTCOMES])
    parser.add_argument("--models", nargs="*", default=[*S3D, *PEERS])
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    for model in arguments.models:
        for name in arguments.sets:
            run(arguments.out, name, model)
    show(arguments.out)


if __name__ == "__main__":
    main()
