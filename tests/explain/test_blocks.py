"""Tables at a section's end: in their section, escaped, with a name for those who do not see."""

from __future__ import annotations

from dataclasses import replace

import pytest

from whybox.explain import build_report
from whybox.explain.blocks import TableBlock, figures_block, subgroup_block, words_block
from whybox.explain.card import with_appraisal
from whybox.explain.svg import Table

EVIL = "<b>alive</b>"


@pytest.fixture(scope="module")
def page(full_report):
    block = TableBlock(EVIL, EVIL, Table((EVIL, "b"), [(EVIL, "x")]), prose=True)
    return build_report(replace(full_report(), tables={"model": [block]}))


def test_a_table_stands_at_the_end_of_its_section(page):
    section = page[page.index('<section aria-labelledby="model">') :]
    section = section[: section.index("</section>")]
    assert section.rstrip().endswith("</div>")
    assert section.count("&lt;b&gt;alive&lt;/b&gt;") == page.count("&lt;b&gt;alive&lt;/b&gt;") == 5
    assert 'aria-label="&lt;b&gt;alive&lt;/b&gt;" tabindex="0"' in section


def test_nothing_of_the_data_is_alive(page):
    assert EVIL not in page


def test_what_is_not_told_is_a_dash_not_a_zero():
    figures = {"sensitivity": None, "brier": [0.1, 0.05, 0.2]}
    known = {"figures": figures, "people": 12, "threshold": 0.5, "method": "m"}
    assert figures_block(known).table.rows == [
        ("found among the positive (sensitivity)", "–", "–"),
        ("Brier score (0 is best)", "0.100", "0.050 to 0.200"),
    ]
    group = dict.fromkeys(("n_positive", "sensitivity", "f1_positive", "brier"))
    group |= {"group": "a", "n_people": 30, "specificity": [0.9, 0.8, 0.95]}
    (row,) = subgroup_block("region", [group], 10).table.rows
    assert row == ("a", "30", "under 10", "–", "90.0 % (80.0 to 95.0)", "–", "–")


def test_words_are_one_line_a_class_in_their_order():
    rows = [{"label": label, "word": word, "users": 11} for label, word in ("yb", "ya", "nc")]
    assert words_block(rows, "", "").table.rows == [("y", "b (11), a (11)"), ("n", "c (11)")]


def test_a_card_says_how_many_of_the_flagged_are_right_where_the_class_is_rare():
    rate = {"base_rate": 0.05, "right_among_flagged": [0.284, 0.2, 0.4]}
    known = {"figures": {}, "base_rates": [rate], "subgroups": {}}
    card = with_appraisal({"limits": ["first"]}, known)
    assert card["limits"] == [
        "first",
        "Where 5 % are positive, 28 % of the flagged are right.",
        "Errors were not compared between groups of people (train --subgroups).",
    ]
    assert card["appraisal"] == known
