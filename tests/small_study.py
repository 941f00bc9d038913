"""A small study in three verbs, and hashes of all that it published."""

from __future__ import annotations

import hashlib
from pathlib import Path

from digests import digests
from scored import scores_digest
from whybox.config import ExtractConfig, ScoreConfig, TrainConfig
from whybox.pipelines import extract, score, train
from whybox.progress import SILENT


def study(timelines: Path, out: Path, session, progress=SILENT) -> dict[str, object]:
    """Extract, train and score; hashes of what was published."""
    features, model, scores = out / "features", out / "model.whybox", out / "scores"
    extract.run(
        ExtractConfig(inputs=(str(timelines),), out=str(features)),
        session=session,
        progress=progress,
    )
    train.run(
        TrainConfig(source=str(features), out=model, n_estimators=10, cv="3"),
        session=session,
        progress=progress,
    )
    score.run(
        ScoreConfig(model=model, source=str(features), out=str(scores)),
        session=session,
        progress=progress,
    )
    return {
        "features": digests(features),
        "model": hashlib.sha256(model.read_bytes()).hexdigest(),
        "scores": scores_digest(scores),
    }


def study_digests(out: Path) -> dict[str, str]:
    """Hashes of what `jobs/train_candidate_model.py` published."""
    return {
        name: digest
        for name, digest in digests(out).items()
        if name in ("model.whybox", "report.html") or name.startswith("features/")
    } | {"scores": scores_digest(out / "scores")}
