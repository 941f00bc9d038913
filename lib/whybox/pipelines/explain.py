"""``whybox explain``: a self-contained report of a model and of the rows it is shown.

What it shows differs by family of models: see `whybox.pipelines.families`.
"""

from __future__ import annotations

from whybox.config import ExplainConfig
from whybox.errors import InputError
from whybox.graph.session import Session
from whybox.model_io import load_card, load_model
from whybox.pipelines.families import family_of_model, resolve, trainable
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.topic_columns import features_without_topics
from whybox.progress import SILENT, Progress

__all__ = ["run"]


def run(
    config: ExplainConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Write a report.

    Parameters
    ----------
    config : ExplainConfig
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome

    Raises
    ------
    InputError
        The model has no card or no report, or the features are not those it was trained on.
    RunError
        The file cannot be written.
    """
    model = load_model(config.model)
    family = family_of_model(model)
    if family is None:
        card = load_card(config.model)
        if card is not None:
            features_without_topics(card, None, str(config.model))  # topics say what they are
        raise InputError(
            f"there is no report of a {type(model).__name__}",
            where=str(config.model),
            remedy=f"explain a model that `whybox train` wrote: {', '.join(trainable())}",
        )
    explain = resolve(family.explain)
    outcome: Outcome = explain(config, progress=progress, session=session)
    return outcome
