from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from hypothesis import given

from text_strategies import torture
from whybox.text.mentions import count_mentions
from whybox.text.units import cut


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("@ann and @bob", 2),
        ("rt:@ann", 1),
        ("me@example.org", 0),
        ("@ann@bob", 0),
        ("@ann/friends", 0),
        ("の@annに", 1),
        ("http://example.org/@ann", 0),
        ("@_", 1),
    ],
)
def test_mentions_follow_twitters_rule(text, number):
    assert count_mentions(text) == number


@given(torture)
def test_mentions_of_the_units_add_up_to_those_of_the_text(text):
    assert sum(map(count_mentions, cut(text))) == count_mentions(text)


@pytest.mark.reference
def test_mentions_pass_the_conformance_cases(reference: Path):
    path = reference / "data/twitter_text_conformance/extract.yml"
    groups = yaml.safe_load(path.read_text(encoding="utf-8"))["tests"]
    cases = groups["mentions"] + groups["mentions_with_indices"]
    failed = [c["description"] for c in cases if count_mentions(c["text"]) != len(c["expected"])]
    assert len(cases) >= 25
    assert failed == []
