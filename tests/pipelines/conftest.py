"""The small synthetic set's features, model, scores and report, made once for all tests of pipelines."""

from __future__ import annotations

from pathlib import Path

import pytest

from whybox.config import (
    ExplainConfig,
    ExtractConfig,
    ScoreConfig,
    TrainConfig,
)
from whybox.graph.session import connect
from whybox.pipelines import explain, extract, score, train


@pytest.fixture(scope="session")
def features(timelines, tmp_path_factory) -> Path:
    out = tmp_path_factory.mktemp("extract") / "features"
    extract.run(ExtractConfig(inputs=(str(timelines),), out=out, scheduler="sync"))
    return out


@pytest.fixture(scope="session")
def study(features, cluster_address, tmp_path_factory):
    """The folder of a whole study: model.whybox, scores/, report.html; and train's outcome."""
    out = tmp_path_factory.mktemp("study")
    with connect(cluster_address) as session:
        trained = train.run(
            TrainConfig(
                source=str(features),
                out=out / "model.whybox",
                n_estimators=20,
                cv="3",
                contact="the tests",
            ),
            session=session,
        )
        score.run(
            ScoreConfig(
                model=out / "model.whybox",
                source=str(features),
                out=out / "scores",
                rows="unlabelled",
            ),
            session=session,
        )
        explain.run(
            ExplainConfig(
                model=out / "model.whybox",
                source=str(features),
                out=out / "report.html",
                scores=out / "scores",
            ),
            session=session,
        )
    return out, trained
