"""How raw posts are read, as the options of the verbs that take them say."""

from __future__ import annotations

from whybox.config import ExtractConfig, ScoreConfig
from whybox.data.source import ColumnMap, Source

__all__ = ["source_of"]


def source_of(config: ExtractConfig | ScoreConfig) -> Source:
    """Say how to read.

    Parameters
    ----------
    config : ExtractConfig or ScoreConfig

    Returns
    -------
    Source
        Its format may still be auto.

    Examples
    --------
    >>> config = ExtractConfig(inputs=("a.csv",), out="features", text_column="tweet")
    >>> source_of(config).columns.named()
    {'text': 'tweet'}
    """
    named = {
        "text": config.text_column,
        "label": config.label_column,
        "user_id": config.user_column,
        "post_id": config.id_column,
        "created_at": config.time_column,
        "timezone": config.timezone_column,
    }
    columns = None
    if any(named.values()) or config.format in ("csv", "jsonl", "parquet"):
        columns = ColumnMap(**{name: value for name, value in named.items() if value is not None})
    return Source(
        config.format,
        columns,
        encoding=config.encoding,
        delimiter={"TAB": "\t", "\\t": "\t"}.get(config.delimiter, config.delimiter),
        quoting=config.quoting,
        salvage=config.salvage,
    )
