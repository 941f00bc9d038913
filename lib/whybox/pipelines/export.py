"""``whybox export``: a model as a file for other programs, which need no whybox to apply it.

What a model can be written as is listed with its family: see `whybox.pipelines.families`.
"""

from __future__ import annotations

from whybox.config import ExportConfig
from whybox.errors import InputError
from whybox.model_io import load_model, model_hash
from whybox.pipelines.families import family_of_model, resolve
from whybox.pipelines.outcome import Outcome
from whybox.pipelines.reporting import write_text
from whybox.progress import SILENT, Progress

__all__ = ["run"]


def run(config: ExportConfig, *, progress: Progress = SILENT) -> Outcome:
    """Write a model as another program reads it.

    Parameters
    ----------
    config : ExportConfig
    progress : Progress, optional

    Returns
    -------
    Outcome
        With the file's size and the model's hash.

    Raises
    ------
    InputError
        Such a model cannot be written so.
    RunError
        The file cannot be written.
    """
    model = load_model(config.model)
    family = family_of_model(model)
    exporters = {} if family is None else family.exporters
    if config.to not in exporters:
        can = ", ".join(exporters)
        raise InputError(
            f"a {type(model).__name__} cannot be written as {config.to!r}",
            where="--to",
            remedy=f"choose one of {can}" if can else "only other kinds of models can be exported",
        )
    content = resolve(exporters[config.to])(model)
    data = content if isinstance(content, bytes) else content.encode("utf-8")
    write_text(config.out, data, "export")
    values = {
        "out": str(config.out),
        "to": config.to,
        "bytes": len(data),
        "model_sha256": model_hash(config.model),
    }
    return Outcome("export", values, (f"{config.to}, {len(data):,} bytes: {config.out}",))
