"""Imported once by the process that others are forked from: what a run needs is loaded and compiled."""

import tempfile
from pathlib import Path

from scored import make_crawl, make_model
from whybox.config import ScoreConfig
from whybox.pipelines import score

with tempfile.TemporaryDirectory() as made:
    source = tuple(map(str, make_crawl(Path(made, "crawl"), 2, 4)))
    model = make_model(Path(made, "m.whybox"))
    out = str(Path(made, "out"))
    score.run(ScoreConfig(model=model, source=source, out=out, scheduler="sync", parts=2))
