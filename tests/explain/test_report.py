"""The report: self-contained, escaped, accessible, and the same bytes each time."""

import hashlib
import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import numpy as np
import pytest

from whybox.errors import InputError
from whybox.explain import (
    Attribution,
    ModelSummary,
    OutOfFold,
    Person,
    ReportData,
    build_report,
)

EVIL = "<script>alert(1)</script>"
VOID = {"meta", "link", "br", "hr", "img", "input"}


class Page(HTMLParser):
    """Read a page's elements, attributes, and headings; check that elements close in order."""

    def __init__(self, markup):
        super().__init__()
        self.tags, self.attributes, self.headings, self.styles = Counter(), [], [], []
        self.texts, self._open = [], []
        self.feed(markup)
        self.close()
        assert not self._open

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, name, value) for name, value in attrs]
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self.headings.append(int(tag[1]))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self._open.pop()

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        (self.styles if self._open and self._open[-1] == "style" else self.texts).append(data)

    def values(self, *names):
        return [value for _, name, value in self.attributes if name in names]


@pytest.fixture(scope="module")
def markup(full_report):
    return build_report(full_report())


@pytest.fixture(scope="module")
def page(markup):
    return Page(markup)


def test_nothing_is_asked_for_from_outside(page, markup):
    addresses = page.values("src", "href", "xlink:href", "srcset", "action", "data", "poster")
    assert addresses
    assert all(address.startswith(("#", "data:")) for address in addresses)
    styles = " ".join([*page.styles, *page.values("style", "clip-path", "fill")])
    assert "@import" not in styles
    parts = styles.split("url(")[1:]
    assert all(part.lstrip("'\"").startswith(("#", "data:")) for part in parts)
    assert not {"script", "iframe", "object", "embed", "base", "form"} & set(page.tags)
    assert "http:" not in markup
    assert "https:" not in markup
    policies = page.values("content")
    assert "default-src 'none'; style-src 'unsafe-inline'; img-src data:" in policies


def test_links_lead_somewhere_and_ids_are_unique(page):
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    targets = [value[1:] for value in page.values("href") if value.startswith("#")]
    assert set(targets) <= set(ids)
    assert set(page.values("aria-labelledby")) <= set(ids)


def test_every_picture_has_words_and_a_table(page):
    assert page.tags["svg"] == page.tags["figure"] >= 12
    labels = [value for tag, name, value in page.attributes if (tag, name) == ("svg", "aria-label")]
    assert len(labels) == page.tags["svg"]
    assert all(len(label) > 20 for label in labels)
    assert page.tags["details"] >= page.tags["figure"]
    assert page.tags["table"] > page.tags["figure"]


def test_headings_descend_without_gaps(page):
    assert page.headings.count(1) == 1
    assert page.headings[0] == 1
    assert all(b <= a + 1 for a, b in pairwise(page.headings))


def test_all_sections_are_there(page):
    text = " ".join(page.texts)
    for words in (
        "Before you use this",
        "not a diagnosis",
        "9 lines came in from 1 file",
        "set aside",
        "Two folds.",
        "Area under the curve",
        "What counts",
        "u-1: highest",
        "Round by round",
        "Chosen out of fold.",
        "gave no answer for 4 rows",
        "intended use",
        "ab" * 32,
    ):
        assert words in text, words


def test_names_from_the_data_make_no_tag(full_report, page):
    names = [EVIL, '"><img src=x onerror=alert(2)>', "a & b {{ 7 * 7 }}", "$x_1$' onload='x"]
    data = full_report(names=names, title=EVIL, pseudonym="=cmd|' /C calc'!A0", reason=EVIL)
    hostile = Page(build_report(data))
    drawn = {"g", "text", "use", "path"}  # as many as the layout of other names takes
    for tag in (set(hostile.tags) | set(page.tags)) - drawn:
        assert hostile.tags[tag] == page.tags[tag], tag
    assert not [name for _, name, _ in hostile.attributes if name.startswith("on")]
    text = " ".join(hostile.texts)
    assert text.count(EVIL) > 10
    assert "{{ 7 * 7 }}" in text


def test_the_smallest_report_has_no_empty_section():
    page = Page(build_report(ReportData("Title", "Words.", ModelSummary("cbpt"))))
    assert page.tags["section"] == 1
    assert page.tags["svg"] == 0


def test_one_class_only_is_said_not_drawn():
    scores = OutOfFold(np.array([True, True]), np.array([0.2, 0.9]))
    data = ReportData("Title", "Words.", ModelSummary("cbpt"), out_of_fold=scores)
    page = Page(build_report(data))
    assert page.tags["svg"] == 0
    assert "All rows are of one class" in " ".join(page.texts)


def test_a_person_who_is_not_in_the_attribution_is_refused(full_report):
    data = full_report()
    with pytest.raises(InputError, match="row 160 of 160 rows"):
        build_report(replace(data, people=[Person("u-1", 160)]))
    with pytest.raises(InputError, match="row 0 of 0 rows"):
        build_report(replace(data, attribution=None, people=[Person("u-1", 0)]))


def test_many_rows_and_features_stay_under_eight_megabytes():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5000, 60))
    explained = Attribution([f"feature {at}" for at in range(60)], X, 0.01 * X, 0.3)
    scores = OutOfFold(X[:, 0] > 0, rng.random(5000))
    data = ReportData(
        "Title", "Words.", ModelSummary("cbpt"), attribution=explained, out_of_fold=scores,
        people=[Person("u-1", 0), Person("u-2", 1)],
    )  # fmt: skip
    assert len(build_report(data).encode()) < 8_000_000


PROGRAM = """
import sys, hashlib, numpy as np
from whybox.explain import *
X = np.linspace(-1, 1, 120).reshape(30, 4) ** 3
explained = Attribution(list("abcd"), X, X / 7, 0.3)
scores = OutOfFold(X[:, 0] > 0.1, np.abs(X[:, 1]))
data = ReportData("T", "W", ModelSummary("m"), attribution=explained, out_of_fold=scores,
                  people=[Person("u", 3)], threshold=ThresholdChoice(0.3, "0.3"))
print(hashlib.sha256(build_report(data).encode()).hexdigest())
"""


def test_bytes_do_not_depend_on_hash_seed_zone_locale_or_run():
    surroundings = (
        {"PYTHONHASHSEED": "1", "TZ": "UTC", "LC_ALL": "C"},
        {"PYTHONHASHSEED": "77", "TZ": "Asia/Kathmandu", "LC_ALL": "de_DE.UTF-8"},
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={**os.environ, **extra},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for extra in surroundings
    }
    assert len(digests) == 1


def test_the_same_data_give_the_same_bytes_twice(full_report, markup):
    again = build_report(full_report())
    assert hashlib.sha256(again.encode()).digest() == hashlib.sha256(markup.encode()).digest()


@pytest.mark.browser
def test_a_browser_shows_the_report_and_runs_nothing(full_report, tmp_path):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine")
    path = tmp_path / "report.html"
    path.write_text(build_report(full_report(title=EVIL)), encoding="utf-8")
    switches = "headless no-sandbox disable-gpu disable-quic no-first-run disable-sync"
    dom = subprocess.run(
        [
            browser,
            *(f"--{switch}" for switch in switches.split()),
            "--disable-background-networking",
            "--disable-component-update",
            f"--user-data-dir={tmp_path / 'profile'}",
            "--dump-dom",
            path.as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    ).stdout
    page = Page(dom)
    assert page.tags["svg"] >= 12
    assert page.tags["script"] == 0
    assert page.headings.count(1) == 1
    assert "&lt;script&gt;alert(1)&lt;/script&gt;</h1>" in dom
    assert dom.count("<text") > 50
