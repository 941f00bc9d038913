"""Rows of a comparison, against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, roc_auc_score
from sklearn.tree import DecisionTreeClassifier

from whybox.model_selection.comparison import compare_models, staged_errors
from whybox.model_selection.nested import Trial, make_problem, run_trial
from whybox.model_selection.splitters import Splitter


def test_figures_are_those_of_scikit_learn():
    rng = np.random.default_rng(1)
    y = np.repeat(["no", "yes"], [50, 40])
    X = rng.normal(size=(90, 3)) + (y == "yes")[:, None]
    problem = make_problem(X, y, Splitter(3).split(y), positive="yes", n_inner=0)
    figures = {
        (name, outer): run_trial(Trial(name, params, outer), problem)
        for name, params in {"tree": {"max_depth": 3}, "majority": {}}.items()
        for outer in range(3)
    }
    found: dict[str, list[float]] = {"accuracy": [], "f1_macro": [], "f1_positive": [], "auc": []}
    for fold, seed in zip(problem.outer, problem.seeds, strict=True):
        tree = DecisionTreeClassifier(max_depth=3, random_state=seed)
        tree.fit(X[fold.train], y[fold.train])
        truth, said = y[fold.test], tree.predict(X[fold.test])
        found["accuracy"].append(accuracy_score(truth, said))
        found["f1_macro"].append(f1_score(truth, said, average="macro"))
        found["f1_positive"].append(f1_score(truth, said, pos_label="yes"))
        found["auc"].append(roc_auc_score(truth, tree.predict_proba(X[fold.test])[:, 1]))
        confusion = figures["tree", fold.number]["confusion"]
        assert confusion == confusion_matrix(truth, said).tolist()
    row, other = compare_models(problem, figures)
    for name, values in found.items():
        assert row[f"{name}_mean"] == pytest.approx(np.mean(values))
        assert row[f"{name}_sd"] == pytest.approx(np.std(values, ddof=1))
        assert row[f"{name}_p"] is None
    assert other["accuracy_difference"] == pytest.approx(
        other["accuracy_mean"] - row["accuracy_mean"]
    )


def test_a_fold_that_stopped_early_keeps_its_last_error():
    folds = [{"stages": [[1, 0.5], [2, 0.25]]}, {"stages": [[1, 0.5], [2, 0.5], [4, 0.0]]}]
    assert staged_errors(folds) == [(1, 0.5), (2, 0.375), (4, 0.125)]
    assert staged_errors([{"stages": []}, folds[0]]) == []
    assert staged_errors([]) == []
