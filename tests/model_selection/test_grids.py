"""Grids and the nested choice among them."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import ParameterGrid

from whybox.errors import InputError
from whybox.model_selection.folds import FoldTask, run_fold
from whybox.model_selection.grids import PAPER, best_candidate, expand, inner_folds, read_grid
from whybox.model_selection.registry import library_of, make_model
from whybox.model_selection.splitters import make_splitter


@pytest.mark.parametrize("model", sorted(PAPER))
def test_every_parameter_of_the_papers_grids_is_one_of_its_model(model):
    if library_of(model):
        pytest.importorskip(library_of(model))
    for params in (expand(PAPER[model])[0], expand(PAPER[model])[-1]):
        made = make_model(model, 0, **params)
        known = (made.estimator if model == "xgboost" else made).get_params()
        assert params.items() <= known.items()


def test_the_papers_grids_have_the_sizes_of_its_tables():
    sizes = {model: len(expand(grid)) for model, grid in PAPER.items()}
    assert sizes == {
        "lightgbm": 108, "xgboost": 108, "kigb": 54, "adaboost": 3, "real-adaboost": 3, "logitboost": 243,
        "adaboost-pt": 3, "cbpt": 3,
    }  # fmt: skip


def test_all_combinations_are_there_once():
    grid = {"b": [1, 2], "a": ["x", "y", "z"]}
    combinations = [frozenset(params.items()) for params in expand(grid)]
    assert len(combinations) == 6
    assert set(combinations) == {frozenset(params.items()) for params in ParameterGrid(grid)}


def test_a_file_has_a_table_a_model(tmp_path):
    path = tmp_path / "grid.toml"
    path.write_text("[cbpt]\nlearning_rate = [0.1, 0.5]\n[tree]\nmax_depth = [3]\n")
    assert read_grid(path) == {"cbpt": {"learning_rate": [0.1, 0.5]}, "tree": {"max_depth": [3]}}
    assert read_grid(None) == read_grid("none") == {}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[cpbt]\na = [1]", "'cpbt' is no table of a model"),
        ("cbpt = 3", "'cbpt' is no table"),
        ("[cbpt]\nlearning_rate = 0.1", "cbpt.learning_rate is no list"),
        ("[cbpt]\nlearning_rate = []", "cbpt.learning_rate is no list"),
        ("[cbpt", "no TOML"),
        (b"\xff\xfe", "no TOML"),
    ],
)
def test_a_file_that_is_no_grid_is_refused(tmp_path, text, message):
    path = tmp_path / "grid.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(InputError, match=message) as caught:
        read_grid(path)
    assert "grid.toml" in str(caught.value)


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot read the grid"):
        read_grid(tmp_path / "none.toml")


@pytest.mark.parametrize("grouped", [False, True])
def test_inner_folds_part_the_outer_train_rows_and_keep_groups_together(grouped):
    y = np.arange(120) % 3
    groups = np.arange(120) // 6 if grouped else None
    splitter = make_splitter("4", seed=3)
    for outer in splitter.split(y, groups):
        inner = inner_folds(outer, splitter, y, groups)
        assert sorted(np.concatenate([fold.test for fold in inner])) == outer.train.tolist()
        for fold in inner:
            assert not set(fold.train) & set(fold.test)
            if grouped:
                assert not set(groups[fold.train]) & set(groups[fold.test])


def test_nested_choice_finds_the_parameter_that_generalises():
    X, y = load_breast_cancer(return_X_y=True)
    splitter = make_splitter("3", seed=0)
    outer = splitter.split(y)[0]
    figures = [
        [
            run_fold(
                FoldTask("forest", fold, (0, 1), params={"n_estimators": 10, "max_depth": depth}),
                X,
                y,
            ).metrics
            for fold in inner_folds(outer, splitter, y)
        ]
        for depth in (1, 6)
    ]
    for metric in ("accuracy", "log_loss"):
        assert best_candidate([[m[metric] for m in folds] for folds in figures], metric) == 1


def test_least_is_best_for_losses_and_undefined_folds_do_not_count():
    assert best_candidate([[0.2, None], [0.15, 0.3], [None]], "brier") == 0
    assert best_candidate([[0.2, None], [0.15, 0.3], [None]], "auc") == 1
    with pytest.raises(InputError, match="undefined in all folds"):
        best_candidate([[None], []], "auc")
    with pytest.raises(InputError, match="'beauty' is none of"):
        best_candidate([], "beauty")


def test_the_order_in_which_folds_arrive_changes_no_choice():
    scores = [[0.1, 0.2, 0.3], [0.3, 0.2, 0.1]]  # equal means, if their sums are exact
    assert best_candidate(scores) == best_candidate(scores[::-1]) == 0
