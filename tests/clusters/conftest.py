"""Certificates, and a small study in this process that others are held against."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemons import make_certificates
from small_study import study
from whybox.graph.session import connect


def pytest_configure(config):
    config.addinivalue_line("markers", "cluster: starts a cluster of its own; by make clusters")


def pytest_collection_modifyitems(config, items):
    """Leave the long ones to `make clusters`, and say so."""
    if "cluster" in config.getoption("markexpr"):
        return
    for item in items:
        if item.get_closest_marker("cluster"):
            item.add_marker(pytest.mark.skip(reason="starts a cluster of its own: make clusters"))


@pytest.fixture(scope="session")
def certificates(tmp_path_factory) -> Path:
    return make_certificates(tmp_path_factory.mktemp("certificates") / "tls")


@pytest.fixture(scope="session")
def foreign_certificates(tmp_path_factory) -> Path:
    return make_certificates(tmp_path_factory.mktemp("foreign") / "tls")


@pytest.fixture(scope="session")
def study_here(timelines, tmp_path_factory) -> dict[str, object]:
    """The study in this process."""
    with connect("sync") as session:
        return study(timelines, tmp_path_factory.mktemp("sync"), session)
