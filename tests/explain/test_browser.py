"""A real browser shows the report: no error, no request, and nothing that axe-core objects to."""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from whybox.explain import build_report

pytestmark = pytest.mark.browser

SWITCHES = (
    "headless", "no-sandbox", "disable-gpu", "no-first-run", "disable-sync", "disable-quic",
    "disable-background-networking", "disable-component-update", "disable-default-apps",
)  # fmt: skip
DARK = ("force-dark-mode", "blink-settings=preferredColorScheme=0")
LIST_REQUESTS = """
addEventListener("load", () => setTimeout(() => {
  const told = document.createElement("pre");
  told.id = "found";
  told.textContent = JSON.stringify(performance.getEntriesByType("resource").map(e => e.name));
  document.body.appendChild(told);
}, 1000));
"""
RUN_AXE = """
axe.run(document, {resultTypes: ["violations"]}).then(found => {
  const told = document.createElement("pre");
  told.id = "found";
  told.textContent = JSON.stringify({
    paper: getComputedStyle(document.body).backgroundColor,
    broken: found.violations.map(each => [each.id, each.nodes.map(node => node.html)]),
  });
  document.body.appendChild(told);
});
"""


@pytest.fixture
def browse(tmp_path):
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        pytest.skip("no Chromium on this machine")

    def run(page, *more):
        path = tmp_path / "page.html"
        path.write_text(page, encoding="utf-8")
        switches = (*SWITCHES, f"user-data-dir={tmp_path / 'profile'}", *more)
        return subprocess.run(
            [browser, *(f"--{switch}" for switch in switches), "--dump-dom", path.as_uri()],
            capture_output=True,
            text=True,
            check=True,
            timeout=240,
        )

    return run


def with_script(page, *scripts):
    """Let scripts run at the page's end, its own policy taken off."""
    open_page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)
    assert open_page != page
    return open_page.replace(
        "</body>", "".join(f"<script>{each}</script>" for each in scripts) + "</body>"
    )


def told(dom):
    """What a script wrote into the page."""
    return json.loads(html.unescape(re.search(r'<pre id="found">(.*?)</pre>', dom, re.S).group(1)))


def test_nothing_is_logged(browse, full_report):
    assert "CONSOLE" not in browse(build_report(full_report()), "enable-logging=stderr").stderr


def test_nothing_is_asked_for_even_without_the_pages_policy(browse, full_report):
    page = with_script(build_report(full_report()), LIST_REQUESTS)
    assert told(browse(page, "virtual-time-budget=10000").stdout) == []


@pytest.mark.parametrize(("mode", "paper"), [((), "rgb(252, 251, 248)"), (DARK, "rgb(21, 23, 27)")])
def test_axe_finds_nothing_in_light_or_dark(browse, full_report, mode, paper):
    axe = os.environ.get("WHYBOX_AXE")
    if not axe:
        pytest.skip("WHYBOX_AXE does not name axe-core's axe.min.js (npm pack axe-core)")
    page = with_script(build_report(full_report()), Path(axe).read_text("utf-8"), RUN_AXE)
    found = told(browse(page, "virtual-time-budget=60000", *mode).stdout)
    assert found == {"paper": paper, "broken": []}
