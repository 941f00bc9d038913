"""Inline SVG: safe, self-contained, in the page's colours."""

import re
from xml.etree import ElementTree

import matplotlib
import numpy as np

from whybox.explain.svg import FALL, INK, RISE, draw


def paint(figure):
    axes = figure.subplots()
    axes.scatter(np.arange(3) / 7, np.arange(3) / 3, c=RISE)
    axes.plot([0, 1], [0, 1], color=FALL)
    axes.set_title('<script>alert(1)</script> $x_1$ & "0.123456"', color=INK)


def test_markup_is_well_formed_and_escapes_text():
    markup = draw("plot", 'says "<b>"', (3, 2), paint)
    root = ElementTree.fromstring(markup)
    texts = ["".join(node.itertext()) for node in root.iter("text")]
    assert '<script>alert(1)</script> $x_1$ & "0.123456"' in texts
    assert root.attrib["aria-label"] == 'says "<b>"'
    assert not list(root.iter("script"))
    assert not list(root.iter("style"))


def test_markup_asks_for_nothing_outside():
    markup = draw("plot", "alt", (3, 2), paint)
    assert "http" not in markup
    assert all(found.startswith("#plot-") for found in re.findall(r'href="([^"]*)"', markup))
    assert all(found.startswith("#plot-") for found in re.findall(r"url\(([^)]*)\)", markup))


def test_ids_are_referred_to_and_belong_to_the_picture():
    markup = draw("plot", "alt", (3, 2), paint)
    ids = re.findall(r' id="([^"]*)"', markup)
    assert ids
    assert len(ids) == len(set(ids))
    assert all(f"#{name}" in markup for name in ids)


def test_colours_are_the_pages():
    markup = draw("plot", "alt", (3, 2), paint)
    assert "var(--rise)" in markup
    assert "var(--fall)" in markup
    assert "currentColor" in markup
    assert "#0101" not in markup
    assert "#000000" not in markup


def test_settings_of_the_machine_change_nothing_and_are_left_alone():
    before = draw("plot", "alt", (3, 2), paint)
    with matplotlib.rc_context({"font.size": 30, "axes.grid": False, "svg.fonttype": "path"}):
        assert draw("plot", "alt", (3, 2), paint) == before
        assert matplotlib.rcParams["font.size"] == 30


def test_no_window_system_is_touched():
    backend = matplotlib.rcParams["backend"]
    draw("plot", "alt", (3, 2), paint)
    assert matplotlib.rcParams["backend"] == backend
