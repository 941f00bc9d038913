import dataclasses

import pytest

from whybox.errors import InputError
from whybox.synth import SynthConfig


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("users", 0),
        ("users", 2.5),
        ("users", True),
        ("seed", -1),
        ("posts_per_user", 5),
        ("posts_per_user", float("nan")),
        ("positive_share", 1.01),
        ("positive_share", float("nan")),
        ("unlabelled_share", -0.1),
        ("layout", "csv"),
    ],
)
def test_a_value_out_of_range_is_refused_by_name(name, value):
    with pytest.raises(InputError, match=name):
        SynthConfig(**({"users": 10} | {name: value}))


def test_a_configuration_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        SynthConfig(users=3).users = 4
