"""Which columns of a table are features, and what they hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from made_passengers import EVIL, passengers
from whybox.errors import InputError
from whybox.pipelines.columns import choose_columns, one_hot
from whybox.pipelines.dataset import load_dataset
from whybox.pipelines.labelling import decide_task


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("table") / "passengers.csv"
    passengers().to_csv(path, index=False)
    return path


def test_words_are_left_out_unless_they_are_wanted(table):
    plain = load_dataset(table, target="survived")
    assert plain.features == ("age", "deck", "cabin", "paid")
    assert plain.left_out == ("name", "sex", "port")
    wanted = load_dataset(table, target="survived", categorical=())
    assert wanted.features == ("age", "deck", "cabin", "paid", "sex", "port")
    assert wanted.left_out == ("name",)


def test_a_column_of_names_can_be_forced(table):
    assert load_dataset(table, features=("name", "age"), categorical=()).features == ("age", "name")


def test_the_frame_holds_numbers_then_words_and_gaps_stay_gaps(table):
    data = load_dataset(table, target="survived", categorical=())
    frame, origin = data.frame(), passengers()
    assert tuple(frame.columns) == data.features
    np.testing.assert_array_equal(frame["port"].isna(), origin["port"].isna())
    assert EVIL in set(frame["port"].dropna())
    part = data.take(np.array([3, 1]))
    assert part.frame()["sex"].tolist() == origin["sex"].iloc[[3, 1]].tolist()


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_numbers_named_as_categories_are_texts_in_any_format(tmp_path, suffix):
    path = tmp_path / f"t.{suffix}"
    frame = pd.DataFrame({"zone": [1.0, None, 2.0, 1.0], "size": [1.5, 2.5, 3.5, 4.5]})
    getattr(frame, f"to_{suffix}")(path, index=False)
    data = load_dataset(path, categorical=("zone",))
    assert data.names == ("size",)
    found = data.categories["zone"].tolist()
    assert found[1] is None
    assert len(set(found) - {None}) == 2
    assert found[0] == found[3]


def test_words_where_a_model_needs_numbers_are_refused():
    frame = pd.DataFrame({"a": ["x", "y"]})
    with pytest.raises(InputError, match="hold no numbers"):
        choose_columns(frame, "here", ("a",), (), None)


def test_one_hot_knows_only_the_most_frequent_words():
    words = np.array([f"w{i % 60:02}" for i in range(600)] + ["w07"] * 5 + [None], dtype=object)
    found = one_hot(np.zeros((len(words), 0)), {"w": words})
    assert found.shape == (606, 50)
    assert found[:, 0].tolist() == [float(word == "w07") for word in words]
    assert found[-1].sum() == 0


@pytest.mark.parametrize(
    ("values", "task"),
    [
        (["0", "1"], "classification"),
        (["0.5", "1.5"], "classification"),
        (["1", "2", "3", "4", "5"], "classification"),
        (["0.1", "0.2", "0.3"], "regression"),
        ([str(i) for i in range(21)], "regression"),
        ([str(i) for i in range(20)], "classification"),
        ([*map(str, range(30)), "unknown"], "classification"),
        ([*map(str, range(30)), None], "regression"),
    ],
)
def test_the_task_follows_from_the_targets_values(tmp_path, values, task):
    path = tmp_path / "t.parquet"
    pd.DataFrame({"y": values, "x": range(len(values))}).to_parquet(path)
    data = load_dataset(path, target="y")
    assert decide_task(data) == task
    assert decide_task(data, "classification") == "classification"
