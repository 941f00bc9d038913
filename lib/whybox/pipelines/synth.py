"""``whybox synth``: synthetic timelines in a folder of their own."""

from __future__ import annotations

from dataclasses import asdict

from whybox.config import SynthesisConfig
from whybox.pipelines.outcome import Outcome
from whybox.progress import SILENT, Progress
from whybox.synth import SynthConfig, synthesise

__all__ = ["run"]


def run(config: SynthesisConfig, *, progress: Progress = SILENT) -> Outcome:
    """Write synthetic timelines.

    Parameters
    ----------
    config : SynthesisConfig
    progress : Progress, optional

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        A number is out of its range, or OUT is a folder with other things in it.
    """
    plan = SynthConfig(
        users=config.users,
        posts_per_user=config.posts_per_user,
        positive_share=config.positive_share,
        unlabelled_share=config.unlabelled_share,
        layout=config.layout,
        seed=config.seed,
    )
    summary = synthesise(config.out, plan, progress)
    values = {"out": str(config.out), **asdict(summary)}
    told = ", ".join(f"{number} {what}" for what, number in asdict(summary).items())
    return Outcome("synth", values, (f"{told}: {config.out}",))
