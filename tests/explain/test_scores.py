"""The page of scores: all that was found is told, names are escaped, nothing comes from elsewhere."""

from __future__ import annotations

import dataclasses
import re

import numpy as np
import pytest

from whybox.explain.blocks import TableBlock
from whybox.explain.card import model_card
from whybox.explain.context import DataSummary, InputCount, ThresholdChoice
from whybox.explain.scores import ReasonCount, ScoresPage, build_scores_page
from whybox.explain.scores_plots import drift_plot, spread_plot
from whybox.explain.svg import Table

EVIL = "<script>alert(1)</script>"


def drift_row(feature, against="training", psi=0.0):
    figures = {"psi": psi, "ks": psi / 2, "missing_before": 0.0, "missing_now": 0.25}
    return {"feature": feature, "against": against, **figures}


@pytest.fixture
def full_page(model, users):
    """Build a page in which every part is there."""

    def build(name="friends"):
        return ScoresPage(
            title=f"Scores by {name}",
            summary=f"Asked about {name}.",
            positive=name,
            threshold=ThresholdChoice(0.4, "youden", f"of {name}"),
            band=0.05,
            decisions={name: 3, "no": 5},
            abstentions={name: (2, f"means {name}")},
            data=DataSummary([InputCount(name, 9, 7, {"blank": 1}, {name: 1})]),
            scores=[4, 3, 2, 1],
            training_scores=[0, 1, 1, 0],
            reasons=[ReasonCount(name, 2, 3, 2, 1)],
            review=[("u-1", name, "41.0 %", f"{name} = 1 (+2.0)")],
            drift=[drift_row(name, psi=0.3), drift_row(name, "previous", 0.1)],
            max_drift=0.2,
            users={"gone": 1, "new": 2, "stayed": 8},
            changes=[{"before": name, "now": "no", "users": 4}],
            worth=[TableBlock(name, name, Table([name], [[name]]))],
            worth_notes=[name],
            card=model_card(model, data={"rows": len(users[0]), "source": name}, recipe={}),
            software={"whybox": name},
            hashes={"model": "ab" * 32},
        )

    return build


def test_names_are_escaped_wherever_they_stand(full_page):
    page = build_scores_page(full_page(EVIL))
    assert "<script" not in page
    assert page.count("&lt;script&gt;") > 20


def test_the_page_is_whole_and_the_same_each_time(full_page):
    page = build_scores_page(full_page())
    assert page == build_scores_page(full_page())
    assert "default-src &#39;none&#39;" in page or "default-src 'none'" in page
    assert not re.search(r"https?:", page)
    assert {link for link in re.findall(r'(?:href|src)="([^"]*)"', page) if link[0] != "#"} == {
        "data:,"
    }
    anchors = set(re.findall(r'href="#([\w-]+)"', page))
    assert anchors and anchors <= set(re.findall(r'id="([\w-]+)"', page))
    ids = re.findall(r' id="([\w.-]+)"', page)
    assert len(ids) == len(set(ids))


def test_every_picture_has_a_label_and_a_table_of_its_own(full_page):
    page = build_scores_page(full_page())
    figures = re.findall(r"<figure.*?</figure>", page, re.S)
    assert len(figures) == 2
    for figure in figures:
        assert re.search(r'<svg role="img" aria-label="[^"]{40,}"', figure)
        assert figure.count("<table") == 1


def test_what_there_is_nothing_of_takes_no_section(full_page):
    empty = ScoresPage(
        "t", "s", "yes", ThresholdChoice(0.5, "0.5"), 0.0, {}, {}, DataSummary(), scores=[0, 0]
    )
    page = build_scores_page(empty)
    assert "<svg" not in page
    for section in ("abstentions", "worth", "card", "software"):
        assert f'id="{section}"' not in page
        assert f'id="{section}"' in build_scores_page(full_page())
    assert "does not tell how its training rows are spread" in page


def test_reasons_that_are_rules_have_no_direction(full_page):
    rules = dataclasses.replace(full_page(), reasons=[ReasonCount("age > 40", 3, 3, 0, 0)])
    page = build_scores_page(rules)
    assert "age &gt; 40" in page
    assert "raises the probability" not in page
    assert "raises the probability" in build_scores_page(full_page())


def test_drift_is_sorted_by_its_size_and_judged_by_the_rule_of_thumb():
    rows = [drift_row("a", psi=0.05), drift_row("b", psi=0.3), drift_row("c", psi=0.15)]
    rows += [drift_row("a", "previous", 0.4)]
    table = drift_plot(rows).table.rows
    assert [row[0] for row in table] == ["b", "c", "a"]
    assert [row[-1] for row in table] == ["changed", "look closer", "changed"]
    assert table[2][1:] == ("0.050", "0.025", "0.0 % to 25.0 %", "0.400", "0.200", "changed")


def test_the_index_that_chance_makes_is_what_samples_of_one_kind_give(full_page):
    from whybox.model_selection.drift import count_bins, reference_distribution, shift

    n, m = 60, 160
    page = build_scores_page(dataclasses.replace(full_page(), decisions={"yes": n}, abstentions={}))
    told = float(re.search(r"one feature in twenty above ([\d.]+)", page).group(1))
    rng = np.random.default_rng(0)
    found = []
    for _ in range(2000):
        known = reference_distribution(rng.normal(size=(m, 1)))
        now = count_bins(rng.normal(size=(n, 1)), known["edges"])
        found.append(shift(known["counts"][0], now[0]).psi)
    assert 0.02 < np.mean(np.array(found) > told) < 0.12


def test_only_the_largest_drift_is_drawn_and_all_is_in_the_table():
    rows = [drift_row(f"feature {number:02d}", psi=number / 100) for number in range(40)]
    plot = drift_plot(rows)
    assert len(plot.table.rows) == 40
    assert "feature 39" in plot.svg
    assert "feature 10" not in plot.svg
    assert "The first 15 of 40" in plot.caption


def test_the_spread_of_the_training_rows_stands_beside_the_users():
    plot = spread_plot([6, 2], [1, 3], 0.5, 0.1)
    assert [row[-1] for row in plot.table.rows] == ["25.0 %", "75.0 %"]
    assert "between 0 and 0.5" in plot.alt
    assert "training rows" not in spread_plot([6, 2], None, 0.5, 0.1).svg


def test_posts_are_called_posts(full_page):
    page = build_scores_page(dataclasses.replace(full_page(), units="posts", title="t"))
    assert "of the posts" in page and "these posts" in page
    assert "users" not in re.sub(r"<dt>.*?</dd>|<li>.*?</li>", "", page)
