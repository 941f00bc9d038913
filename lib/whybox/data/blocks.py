"""Cutting the inputs into blocks of work, the same ones however many partitions are asked for.

A large file of JSON lines is cut into byte ranges; small files are put together; a compressed
file, a JSON document and a CSV file (a quotation mark may span any line end) stay whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from whybox.data.jsonlines import is_document
from whybox.data.source import Input, Source
from whybox.data.storage import is_compressed, read_head
from whybox.errors import InputError

__all__ = ["BLOCK_BYTES", "Block", "Span", "plan_blocks"]

BLOCK_BYTES = 16 << 20
_LINE_FORMATS = frozenset({"twitter-v1", "twitter-v2", "ttdd", "jsonl"})


@dataclass(frozen=True)
class Span:
    """A byte range: it owns the lines that start in it.

    Examples
    --------
    >>> Span(0, 10).stop
    10
    """

    start: int
    stop: int


@dataclass(frozen=True)
class Block:
    """A piece of work: whole files, or a byte range of one file.

    Parameters
    ----------
    index : int
        Its place in the order of the inputs.
    inputs : tuple of Input
        One or more whole files, or the one that `span` is a range of.
    span : Span or None

    Examples
    --------
    >>> Block(0, (Input(0, "a", 3, "a"),)).span is None
    True
    """

    index: int
    inputs: tuple[Input, ...]
    span: Span | None = None


def plan_blocks(
    inputs: Sequence[Input], source: Source, block_bytes: int = BLOCK_BYTES
) -> list[Block]:
    """Cut the inputs into blocks of about equal size.

    Parameters
    ----------
    inputs : sequence of Input
        In their order.
    source : Source
        With a format that is settled, not "auto".
    block_bytes : int, default=16 MiB
        As stored.

    Returns
    -------
    list of Block
        In the order of the inputs, and of the bytes within one.

    Raises
    ------
    InputError
        If the format is still "auto".

    Examples
    --------
    >>> files = [Input(i, f"{i}.csv", 400, f"{i}.csv") for i in range(3)]
    >>> [len(block.inputs) for block in plan_blocks(files, Source("csv"), 1_000)]
    [2, 1]
    """
    if source.format == "auto":
        raise InputError(
            "blocks need a format", remedy="settle it first with whybox.data.settle_format"
        )
    pieces: list[tuple[tuple[Input, ...], Span | None]] = []
    group: list[Input] = []
    held = 0
    for entry in inputs:
        spans = _spans(entry, source, block_bytes)
        if group and (spans or held + entry.bytes > block_bytes):
            pieces.append((tuple(group), None))
            group, held = [], 0
        if spans:
            pieces.extend(((entry,), span) for span in spans)
        else:
            group.append(entry)
            held += entry.bytes
    if group:
        pieces.append((tuple(group), None))
    return [Block(index, files, span) for index, (files, span) in enumerate(pieces)]


def _spans(entry: Input, source: Source, block_bytes: int) -> list[Span]:
    """Give the byte ranges of a file that can be cut and is large enough, else none."""
    if entry.bytes <= block_bytes or source.format not in _LINE_FORMATS:
        return []
    if is_compressed(entry.path, source.storage_options):
        return []
    if is_document(read_head(entry.path, source.storage_options)):
        return []
    return list(_ranges(entry.bytes, block_bytes))


def _ranges(size: int, step: int) -> Iterable[Span]:
    """Cut ``size`` bytes into ranges."""
    return (Span(start, min(start + step, size)) for start in range(0, size, step))
