"""Fixtures for every test: the reference folder, hypothesis' profiles."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from faulty_store import proxy, store  # noqa: F401  (fixtures for all)

settings.register_profile(
    "whybox",
    deadline=None,  # the machines are shared: time is never a verdict
    max_examples=60,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thorough", parent=settings.get_profile("whybox"), max_examples=1000)
settings.load_profile(os.environ.get("WHYBOX_HYPOTHESIS", "whybox"))


@pytest.fixture(scope="session")
def reference() -> Path:
    """The folder of reference material named by WHYBOX_REFERENCE, or a skip that says why."""
    folder = os.environ.get("WHYBOX_REFERENCE")
    if not folder:
        pytest.skip("WHYBOX_REFERENCE is not set: no reference data on this machine")
    path = Path(folder)
    if not path.is_dir():
        pytest.skip(f"WHYBOX_REFERENCE={folder} is not a folder")
    return path


@pytest.fixture(scope="session")
def cluster_address() -> Iterator[str]:
    """The address of the one cluster of the whole run: two worker processes on loopback."""
    from whybox.graph.session import connect

    with connect("local", workers=2) as session:
        yield session.client.scheduler.address


@pytest.fixture(scope="session", autouse=True)
def key() -> Iterator[None]:
    """A key of the tests' own: nothing is written into the user's folder."""
    patch = pytest.MonkeyPatch()
    patch.setenv("WHYBOX_KEY", "a key for tests only, 32 letters")
    yield
    patch.undo()


@pytest.fixture(scope="session")
def timelines(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One small synthetic set in the layout of the Tsinghua set."""
    from whybox.config import SynthesisConfig
    from whybox.pipelines import synth

    out = tmp_path_factory.mktemp("synth") / "timelines"
    synth.run(SynthesisConfig(out=out, users=120, posts_per_user=15, seed=5))
    return out
