"""What tests of synthetic timelines share: sets written to disk, and their extracted features."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from whybox.data import read_records
from whybox.features import (
    FEATURES,
    Recipe,
    document_counts,
    merge_documents,
    merge_sums,
    post_features,
    user_features,
    user_sums,
)
from whybox.synth import SynthConfig, SynthSummary, synthesise
from whybox.text import TextCounter


class Extracted(NamedTuple):
    """Users as an extractor sees them; labels are None for candidates."""

    X: np.ndarray
    labels: list
    user_ids: list
    documents: object

    def column(self, name):
        return self.X[:, FEATURES.index(name)]

    def of_class(self, label):
        return np.array([found == label for found in self.labels])


@pytest.fixture(scope="session")
def extract():
    """Read, count, and sum up per user: the package's own path from files to features."""
    return _extract


@pytest.fixture(scope="session")
def write():
    """Synthesise into a folder."""
    return _write


def _extract(folder, format="ttdd"):
    counter, recipe = TextCounter(), Recipe()
    sums, documents = [], []
    records = read_records(folder, format)
    for table in records:
        posts = post_features(table, counter, recipe, with_stems=True)
        sums.append(user_sums(posts))
        documents.append(document_counts(posts))
    assert records.counts.quarantined == {}
    users = user_features(merge_sums(sums), recipe).table
    X = np.column_stack([users[name].to_numpy() for name in FEATURES])
    label, user_id = users["label"].to_pylist(), users["user_id"].to_pylist()
    return Extracted(X, label, user_id, merge_documents(documents))


class Written(NamedTuple):
    folder: Path
    config: SynthConfig
    summary: SynthSummary


def _write(folder, **settings):
    config = SynthConfig(**settings)
    return Written(folder, config, synthesise(folder, config))


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """One small set in each layout."""
    root = tmp_path_factory.mktemp("small")
    return {
        layout: _write(root / layout, users=50, posts_per_user=30, layout=layout, seed=3)
        for layout in ("ttdd", "twitter-v1", "sentiment140")
    }
