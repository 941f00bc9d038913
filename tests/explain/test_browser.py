"""A real browser shows every kind of report: no error, no request, all that is drawn can be seen.

Playwright opens each page in the machine's own Chromium, in light and in dark; axe-core comes inside
a package of its own. The tests look at what those visits found.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from made_passengers import passengers
from whybox.config import (
    CompareConfig,
    DemoConfig,
    ScoreConfig,
    SynthesisConfig,
    TrainConfig,
)
from whybox.pipelines import compare, demo, score, synth, train

pytestmark = pytest.mark.browser

DESK, PHONE = 1280, 390  # pixels
PAPER = {"light": "rgb(252, 251, 248)", "dark": "rgb(21, 23, 27)"}
PAGES = ("demo", "scores", "classes", "outcomes", "kinds", "expressions", "comparison")

LOOK = """
() => {
  const shade = colour => {
    const [r, g, b] = colour.match(/[\\d.]+/g).slice(0, 3).map(Number).map(
      c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (a, b) => {
    const [low, high] = [shade(a), shade(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
  };
  const paper = getComputedStyle(document.body).backgroundColor;
  const box = element => element.getBoundingClientRect();
  const level = text => Math.abs((text.getScreenCTM() || {b: 0}).b) < 1e-3;
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
    Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 3;
  const pictures = [...document.querySelectorAll("figure > svg")].map(svg => {
    const frame = box(svg), texts = [...svg.querySelectorAll("text")];
    const inside = part => part.left > frame.left - 2 && part.right < frame.right + 2 &&
      part.top > frame.top - 2 && part.bottom < frame.bottom + 2;
    const flat = texts.filter(level);
    return {
      name: svg.closest("figure").id,
      visible: svg.checkVisibility({opacityProperty: true, visibilityProperty: true}),
      size: [frame.width, frame.height],
      drawn: [...svg.querySelectorAll("path, use, image")].filter(
        part => box(part).width + box(part).height > 3 && inside(box(part))).length,
      cut: texts.filter(text => !inside(box(text))).map(text => text.textContent),
      small: flat.filter(text => parseFloat(getComputedStyle(text).fontSize) *
        frame.width / svg.viewBox.baseVal.width < 9).map(text => text.textContent),
      faint: texts.map(text => [text.textContent, contrast(getComputedStyle(text).fill, paper)])
        .filter(pair => pair[1] < 4.5),  // WCAG 2.2, AA
      overlapping: flat.flatMap((text, k) => flat.slice(k + 1)
        .filter(other => meet(box(text), box(other)))
        .map(other => [text.textContent, other.textContent])),
    };
  });
  return {paper, pictures, width: document.documentElement.scrollWidth};
}
"""
# What is said over and over is judged a few times: long tables and lists take a minute otherwise.
# A drawing has a role and a label; what is in it is no text to axe-core.
THIN = """
() => {
  document.querySelectorAll("details").forEach(folded => folded.open = true);
  document.querySelectorAll("figure > svg").forEach(svg => svg.replaceChildren());
  const repeated = "tbody tr:nth-child(n+4), li:nth-child(n+4), dt:nth-of-type(n+4), dd:nth-of-type(n+4)";
  document.querySelectorAll(`details :is(${repeated}), tbody tr:nth-child(n+8)`).forEach(
    each => each.remove());
}
"""


BROKEN = """<html><body style="background: rgb(252, 251, 248)"><img src="http://localhost:9/x.png">
<div style="width: 2000px">wide</div><p style="color: #eee">pale</p>
<figure id="f"><svg viewBox="0 0 300 100" width="300"><text x="0" y="50" fill="#eeeeee">one</text>
<text x="4" y="52">two</text><text x="298" y="90" font-size="5">cut</text></svg></figure>
<script>console.error("told")</script></body></html>"""


@dataclass
class Visit:
    """What a visit to a page found; by colour scheme where that matters."""

    logged: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    looks: dict[str, Any] = field(default_factory=dict)
    violations: dict[str, Any] = field(default_factory=dict)
    narrow: int = 0


def explained(folder: Path, source: Path, **options: Any) -> str:
    """Train and explain; the report's markup."""
    name = options.pop("name")
    model, page = folder / f"{name}.whybox", folder / f"{name}.html"
    train.run(TrainConfig(source=str(source), out=model, report=page, scheduler="sync", **options))
    return page.read_text("utf-8")


def kinds(path: Path) -> Path:
    """A table of three classes."""
    rng = np.random.default_rng(0)
    kind = np.repeat(["calm", "cheerful", "sad"], 60)
    shift = np.repeat([0.0, 1.5, -1.5], 60)
    table = {f"signal {k}": np.round(rng.normal(shift, 1.0), 2) for k in range(3)}
    pd.DataFrame(table | {"kind": kind}).to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def pages(tmp_path_factory) -> dict[str, str]:
    """The markup of every kind of page."""
    folder = tmp_path_factory.mktemp("pages")
    demo.run(DemoConfig(out=folder / "demo", users=60, n_estimators=20, scheduler="sync"))
    score.run(
        ScoreConfig(
            model=folder / "demo" / "model.whybox", source=(str(folder / "demo" / "features"),),
            out=str(folder / "scored"), rows="unlabelled", base_rate=0.05, scheduler="sync",
        )
    )  # fmt: skip
    passengers().to_csv(folder / "passengers.csv", index=False)
    (folder / "grid.toml").write_text("[s3d]\npenalty = [0.05, 0.005]\n")
    s3d = {"model": "s3d", "features": ("age", "deck", "sex", "port"), "cv": "2",
           "grid": str(folder / "grid.toml")}  # fmt: skip
    synth.run(
        SynthesisConfig(
            out=folder / "posts", users=40, posts_per_user=8, layout="sentiment140", seed=2
        )
    )
    table = folder / "passengers.csv"
    compare.run(
        CompareConfig(
            source=str(kinds(folder / "kinds.csv")), target="kind", models=("cbpt", "tree"),
            out=folder / "compared", cv="2", n_estimators=4, learning_curve=True,
            scheduler="sync",
        )
    )  # fmt: skip
    return {
        "demo": (folder / "demo" / "report.html").read_text("utf-8"),
        "scores": (folder / "scored" / "current" / "report.html").read_text("utf-8"),
        "classes": explained(folder, table, name="classes", target="survived", **s3d),
        "outcomes": explained(folder, table, name="outcomes", target="paid", **s3d),
        "kinds": explained(
            folder, folder / "kinds.csv", name="kinds", target="kind", cv="2", n_estimators=5
        ),
        "expressions": explained(
            folder, folder / "posts", name="expressions", model="expressions-tree", cv="2"
        ),
        "comparison": (folder / "compared" / "comparison.html").read_text("utf-8"),
    }


@pytest.fixture(scope="module")
def visits(pages, tmp_path_factory) -> dict[str, Visit]:
    """Every page, its own policy switched off."""
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine")
    from playwright.sync_api import sync_playwright

    folder, found = tmp_path_factory.mktemp("opened"), {}
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        for name, markup in {**pages, "broken": BROKEN}.items():
            path = folder / f"{name}.html"
            path.write_text(markup, encoding="utf-8")
            found[name] = visit(opened, path.as_uri())
        opened.close()
    return found


def visit(browser: Any, address: str) -> Visit:
    """Open a page, listen, look, and let axe-core judge it."""
    made = Visit()
    page = browser.new_page(bypass_csp=True, viewport={"width": DESK, "height": 900})
    page.on("console", lambda message: made.logged.append(message.text))
    page.on("pageerror", lambda error: made.logged.append(str(error)))
    page.on("request", lambda request: made.requests.append(request.url))
    page.goto(address, wait_until="load")
    for scheme in PAPER:
        page.emulate_media(color_scheme=scheme)
        made.looks[scheme] = page.evaluate(LOOK)
    page.set_viewport_size({"width": PHONE, "height": 800})
    made.narrow = page.evaluate("document.documentElement.scrollWidth")
    page.set_viewport_size({"width": DESK, "height": 900})
    page.evaluate(THIN)
    for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)
        made.violations[scheme] = judged(page, rules)
    page.close()
    return made


def judged(page: Any, options: dict[str, Any]) -> list[Any]:
    """What axe-core objects to: the rule, and the markup that breaks it."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page, options={"resultTypes": ["violations"], **options}).response
    return [[each["id"], [node["html"] for node in each["nodes"]]] for each in found["violations"]]


@pytest.fixture(params=PAGES)
def opened(visits, request) -> Visit:
    """One of the visits."""
    return visits[request.param]


def test_every_page_is_visited_in_its_colours(visits, pages):
    assert set(pages) == set(visits) - {"broken"} == set(PAGES)
    for name in PAGES:
        looks = visits[name].looks.items()
        assert {scheme: look["paper"] for scheme, look in looks} == PAPER


def test_a_broken_page_is_found_out(visits):
    broken = visits["broken"]
    assert "told" in broken.logged
    assert "http://localhost:9/x.png" in broken.requests
    assert {"color-contrast", "image-alt"} <= {rule for rule, _ in broken.violations["light"]}
    assert [rule for rule, _ in broken.violations["dark"]] == ["color-contrast"]
    picture = broken.looks["light"]["pictures"][0]
    assert picture["drawn"] == 0
    assert picture["overlapping"] == [["one", "two"]]
    assert picture["cut"] == picture["small"] == ["cut"]
    assert [text for text, _ in picture["faint"]] == ["one"]
    assert broken.looks["light"]["width"] > DESK


def test_nothing_is_logged_and_nothing_asked_for(opened):
    assert opened.logged == []
    assert [address.partition(":")[0] for address in opened.requests] == ["file"]


def test_axe_finds_nothing(opened):
    assert opened.violations == {"light": [], "dark": []}


@pytest.mark.parametrize("scheme", PAPER)
def test_every_plot_can_be_seen(opened, scheme):
    pictures = opened.looks[scheme]["pictures"]
    assert pictures
    for picture in pictures:
        width, height = picture["size"]
        assert picture["visible"] and width > 200 and height > 60, picture
        assert picture["drawn"] > 2, picture


@pytest.mark.parametrize("scheme", PAPER)
@pytest.mark.parametrize("fault", ["cut", "small", "faint", "overlapping"])
def test_every_label_of_a_plot_can_be_read(opened, scheme, fault):
    pictures = opened.looks[scheme]["pictures"]
    assert {each["name"]: each[fault] for each in pictures if each[fault]} == {}


def test_a_page_fits_a_desk_and_a_phone(opened):
    assert opened.looks["light"]["width"] <= DESK
    assert opened.narrow <= PHONE
