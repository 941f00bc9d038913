"""Configurations are checked where they are made."""

from __future__ import annotations

from pathlib import Path

import pytest

from whybox.config import DemoConfig, ExtractConfig, TrainConfig
from whybox.configure import build_config
from whybox.errors import InputError


def test_lists_and_texts_become_what_the_field_is():
    given = {"inputs": ["a", "b"], "out": "s3://bucket/x", "key_file": "~/x"}
    config = build_config(ExtractConfig, given)
    assert config.inputs == ("a", "b")
    assert config.out == "s3://bucket/x"
    assert config.key_file == Path("~/x").expanduser()


@pytest.mark.parametrize(
    "values", [{"workers": 0}, {"threads": 0}, {"partitions": -1}, {"seed": -1}]
)
def test_numbers_out_of_range_are_refused(values):
    with pytest.raises(InputError):
        build_config(DemoConfig, values)


def test_what_is_missing_is_named_as_it_is_written():
    with pytest.raises(InputError, match="FEATURES, --out"):
        build_config(TrainConfig, {})


def test_a_word_that_is_no_choice_is_refused():
    with pytest.raises(InputError, match="level"):
        build_config(ExtractConfig, {"inputs": ["a"], "out": "b", "level": "tweet"})
