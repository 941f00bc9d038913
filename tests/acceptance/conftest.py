"""Inputs that break naive pipelines: each is run with 1, 2 and 7 partitions, to the same bytes."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import pytest

from digests import digests
from whybox.config import ExtractConfig
from whybox.data.blocks import plan_blocks
from whybox.graph.session import connect
from whybox.pipelines import extract

PARTITIONS = (1, 2, 7)


@pytest.fixture(scope="session", autouse=True)
def key():
    """A key of the tests' own: nothing is written into the user's folder."""
    patch = pytest.MonkeyPatch()
    patch.setenv("WHYBOX_KEY", "a key for tests only, 32 letters")
    yield
    patch.undo()


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Blocks of a few lines, so that small inputs are many pieces of work."""
    small = functools.partial(plan_blocks, block_bytes=200)
    monkeypatch.setattr("whybox.pipelines.extract.plan_blocks", small)


class Extracted:
    """A folder that extract wrote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest = json.loads((folder / "manifest.json").read_text("utf-8"))

    def rows(self, name: str) -> list[dict]:
        """The rows of posts/, users/ or quarantine/, in order."""
        import pyarrow.parquet as pq

        paths = sorted((self.folder / name).glob("part-*.parquet"))
        return [row for path in paths for row in pq.read_table(path).to_pylist()]

    @property
    def totals(self) -> dict:
        """The totals, after every line was found accounted for."""
        totals = self.manifest["totals"]
        for entry in (*self.manifest["inputs"], totals):
            told = entry["records"] + sum(entry["non_records"].values())
            assert entry["lines"] == told + sum(entry["quarantined"].values()), entry
        assert totals["records"] == len(self.rows("posts"))
        return totals


@pytest.fixture
def extracted(tmp_path, cluster_address):
    """A function that extracts inputs with each number of partitions, and compares the bytes."""

    def run(*inputs: Path, **options) -> Extracted:
        settings = {"allow_text": "an acceptance test", **options}
        found = []
        with connect(cluster_address) as session:
            for partitions in PARTITIONS:
                config = ExtractConfig(
                    inputs=tuple(map(str, inputs)),
                    out=tmp_path / f"out-{partitions}",
                    partitions=partitions,
                    **settings,
                )
                extract.run(config, session=session)
                found.append(digests(config.out))
        assert found[0] == found[1] == found[2] and len(found[0]) > 2
        return Extracted(tmp_path / f"out-{PARTITIONS[0]}")

    return run
