"""Write a set of synthetic timelines, user by user, and publish it in one step."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from whybox.data.publish import MARKER, publishing
from whybox.progress import SILENT, Progress
from whybox.synth.config import SynthConfig, SynthSummary
from whybox.synth.layouts import WRITERS
from whybox.synth.population import Population
from whybox.synth.timeline import make_timeline

__all__ = ["synthesise"]


def synthesise(out: Path, config: SynthConfig, progress: Progress = SILENT) -> SynthSummary:
    """Write synthetic timelines calibrated to published statistics.

    The posts are made by a program: no text, name or count is a real person's. Margins follow
    Table S3 of Tong et al., class by class; what joins them (correlations, topics, times) is
    chosen, not measured, and supports no claim about people.

    Parameters
    ----------
    out : Path
        The folder to make: it must not exist, be empty, or be one that this function made, which
        is replaced. Its ``_whybox.json`` says what it holds; readers of posts pass it over.
    config : SynthConfig
        What to make.
    progress : Progress, default SILENT
        Who hears how far the work is, in users.

    Returns
    -------
    SynthSummary
        What was written. One user at a time is in memory.

    Raises
    ------
    InputError
        If ``out`` holds something else.
    RunError
        If it cannot be made, or another run is making it.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     summary = synthesise(Path(folder) / "set", SynthConfig(users=4, posts_per_user=10))
    >>> summary.users, summary.unlabelled
    (4, 0)
    """
    users: Counter[str | None] = Counter()
    posts = 0
    with publishing(out) as folder:
        with (
            WRITERS[config.layout](folder) as writer,
            progress.track("synth", config.users) as done,
        ):
            for traits in Population(config):
                writer.write(make_timeline(traits, config.seed, plain=writer.plain))
                users[traits.label] += 1
                posts += traits.posts
                done(1)
        sizes = [path.stat().st_size for path in folder.rglob("*") if path.is_file()]
        summary = SynthSummary(
            users=config.users,
            positive=users["positive"],
            negative=users["negative"],
            unlabelled=users[None],
            posts=posts,
            files=len(sizes),
            bytes=sum(sizes),
        )
        _mark(folder, config, summary)
    return summary


def _mark(folder: Path, config: SynthConfig, summary: SynthSummary) -> None:
    """Say in the folder that a program made it, and how."""
    content = {
        "kind": "synthetic timelines",
        "config": asdict(config),
        "summary": asdict(summary),
        "software": {"whybox": version("whybox")},
    }
    (folder / MARKER).write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
