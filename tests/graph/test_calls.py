"""Arguments of delayed calls are handed over as they are, and tasks are still waited for."""

from __future__ import annotations

from dataclasses import dataclass

import dask
import pytest

from whybox.graph.calls import calling


@dataclass(frozen=True)
class Nested:
    inner: object


def both(first, second):
    return first, second


def test_a_value_is_handed_over_and_not_taken_apart():
    value = [Nested((Nested(1), {"a": Nested(2)}))]
    first, _ = calling(both, value)(None).compute(scheduler="synchronous")
    assert first is value


def test_a_task_among_the_rest_of_the_arguments_is_computed():
    task = calling(both, Nested(1))(dask.delayed(abs)(-3))
    assert task.compute(scheduler="synchronous") == (Nested(1), 3)


def test_two_calls_are_two_tasks():
    assert calling(both, 1)(2).key != calling(both, 1)(2).key


def test_a_task_among_the_values_is_none():
    value = dask.delayed(abs)(-3)
    first, _ = calling(both, value)(None).compute(scheduler="synchronous")
    assert first is value


@pytest.mark.parametrize("given", [(), (1,), (1, 2)])
def test_any_number_of_arguments_may_be_known(given):
    task = calling(both, *given)(*range(len(given) + 1, 3))
    assert task.compute(scheduler="synchronous") == (1, 2)
