"""Raw posts as sums that are kept: pieces of the input, each read once for as long as it is the same.

A cell is a file, some small files, or a range of a large one; its key hashes their bytes and all that
shapes what is read.  First a cell is read, and what decides about its posts is kept (`read_cell`).
With the ids of all cells at hand it is summed by user (`sum_cell`), under a name that hashes the
verdicts too: when another file makes one of its posts a duplicate, only the cells concerned are
summed again.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox._faults import fault_point
from whybox.data.blocks import BLOCK_BYTES, Block, Span, plan_blocks
from whybox.data.dealing import part_of, slots_of
from whybox.data.reader import BlockResult
from whybox.data.resolve import post_keys
from whybox.data.source import Input, Source
from whybox.data.storage import file_sha256
from whybox.errors import RunError
from whybox.features.pieces import Job, StagedBlock
from whybox.features.recipe import Recipe
from whybox.features.stages import find_ends, finish_block, stage_blocks
from whybox.graph.kept import CellKeys, Kept

__all__ = ["Cell", "Reading", "cut_cells", "ends_of_cell", "read_cell", "sum_cell"]

_SMALL_BYTES = 4 << 20
_ALONE = 1024  # so many small files are a cell each; more are put together


@dataclass(frozen=True)
class Reading:
    """How posts are read and counted.

    Parameters
    ----------
    source : Source
        With a format that is settled.
    recipe : Recipe
    folder : str
        Where cells are kept; every worker sees it.
    with_documents : bool
        Keep the words of users too, for topics.
    """

    source: Source
    recipe: Recipe
    folder: str
    with_documents: bool

    def job(self, scratch: Path) -> Job:
        """Give it as the pieces of an extraction know it."""
        folder = str(scratch)
        return Job(
            self.source,
            self.recipe,
            folder,
            folder,
            keep_posts=False,
            with_documents=self.with_documents,
        )

    def kept(self, cell: Cell) -> Kept:
        """Name the files of a cell."""
        return Kept(Path(self.folder), cell.key)

    def as_dict(self) -> dict[str, Any]:
        """Give all that shapes what is read."""
        source = self.source
        return {
            "format": source.format,
            "columns": None if source.columns is None else source.columns.named(),
            "encoding": source.encoding,
            "delimiter": source.delimiter,
            "quoting": source.quoting,
            "salvage": source.salvage,
            "recipe": self.recipe.as_dict(),
            "documents": self.with_documents,
        }


@dataclass(frozen=True)
class Cell:
    """A piece of the input.

    Parameters
    ----------
    key : str
        Hash of the files' bytes and of how they are read.
    inputs : tuple of Input
        Indices are those of the run's list.
    span : Span or None
    """

    key: str
    inputs: tuple[Input, ...]
    span: Span | None

    @property
    def name(self) -> str:
        """Its files, for a message."""
        names = [entry.display for entry in self.inputs]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        return ", ".join(names[:3]) + more

    @property
    def block(self) -> Block:
        """The cell as a reader takes it, its inputs numbered from 0: the same wherever it stands."""
        numbered = (replace(entry, index=i) for i, entry in enumerate(self.inputs))
        return Block(0, tuple(numbered), self.span)


def cut_cells(inputs: Sequence[Input], digests: Mapping[str, str], reading: Reading) -> list[Cell]:
    """Cut the inputs into cells that stay the same when other files come or go.

    Parameters
    ----------
    inputs : sequence of Input
    digests : mapping of str to str
        SHA-256 by path, also of files that stand beside an input.
    reading : Reading

    Returns
    -------
    list of Cell
        In the order of their first inputs. Where there are more than 1,024 small files they are
        put together by a hash of their paths, so that a new file changes one cell only.
    """
    small = [entry for entry in inputs if entry.bytes <= _SMALL_BYTES]
    pieces = [
        (block.inputs, block.span)
        for entry in inputs
        if entry.bytes > _SMALL_BYTES
        for block in plan_blocks([entry], reading.source, BLOCK_BYTES)
    ]
    pieces += [(group, None) for group in _groups(small)]
    pieces.sort(key=lambda piece: (piece[0][0].index, piece[1].start if piece[1] else 0))
    shape = json.dumps(reading.as_dict(), sort_keys=True)
    met: Counter[str] = Counter()
    cells = []
    for group, span in pieces:
        key = _key(group, span, digests, shape)
        met[key] += 1  # a file that is there twice is two cells, which decide about each other
        name = hashlib.sha256(f"{key} {met[key]}".encode()).hexdigest()[:32]
        cells.append(Cell(name, group, span))
    return cells


def _groups(small: Sequence[Input]) -> list[tuple[Input, ...]]:
    """Small files alone, or together if they are very many."""
    if len(small) <= _ALONE:
        return [(entry,) for entry in small]
    size = sum(entry.bytes for entry in small)
    least = max(size // _SMALL_BYTES, len(small) // _ALONE, 1)
    places = part_of(slots_of([entry.path for entry in small]), 1 << int(least).bit_length())
    groups: dict[int, list[Input]] = {}
    for entry, place in zip(small, places.tolist(), strict=True):
        groups.setdefault(place, []).append(entry)
    return [tuple(group) for group in groups.values()]


def _key(group: Sequence[Input], span: Span | None, digests: Mapping[str, str], shape: str) -> str:
    """Hash what a cell is made of."""
    files = [
        [digests[entry.path], entry.label, entry.role, entry.layout,
         [digests[path] for path in entry.beside]]
        for entry in group
    ]  # fmt: skip
    text = json.dumps([1, files, None if span is None else asdict(span), shape])
    return hashlib.sha256(text.encode()).hexdigest()


def read_cell(cell: Cell, reading: Reading) -> None:
    """Read a cell and keep what decides about its posts; the posts are parked until it is summed.

    Parameters
    ----------
    cell : Cell
    reading : Reading
    """
    for entry in cell.inputs:
        fault_point(f"read {entry.display}")
    kept = reading.kept(cell)
    kept.scratch.mkdir(parents=True, exist_ok=True)
    staged = stage_blocks([cell.block], reading.job(kept.scratch))[0]
    kept.write_keys(
        CellKeys(
            staged.keys,
            staged.inputs,
            post_keys(pa.array(staged.result.deleted, pa.string())),
            post_keys(pa.array(staged.result.anchors, pa.string())),
            tuple(staged.result.counts[place] for place in range(len(cell.inputs))),
            staged.n_with_user,
            tuple(file_sha256(path) for path in staged.chunks),
        )
    )


def sum_cell(
    cell: Cell,
    context: str,
    reading: Reading,
    verdicts: NDArray[np.uint8],
    anchors: NDArray[np.bool_],
    ends: pa.Table | None,
) -> None:
    """Sum the posts of a cell that stay by user, and keep the sums.

    Parameters
    ----------
    cell : Cell
        That was read.
    context : str
        Hash of the verdicts, anchors and ends.
    reading : Reading
    verdicts, anchors, ends
        See `whybox.features.stages.finish_block`.
    """
    kept, staged = reading.kept(cell), _staged(cell, reading)
    job = reading.job(kept.scratch)
    found = finish_block(staged, job, 0, verdicts, anchors, True, ends)
    kept.write_sums(context, found.left_out, {"sums": found.sums, "documents": found.documents})
    shutil.rmtree(kept.scratch, ignore_errors=True)


def ends_of_cell(
    cell: Cell,
    context: str,
    reading: Reading,
    verdicts: NDArray[np.uint8],
    anchors: NDArray[np.bool_],
) -> None:
    """Keep the latest times of a cell's users.

    Parameters
    ----------
    cell : Cell
        That was read.
    context : str
        Hash of the verdicts and anchors.
    reading : Reading
    verdicts, anchors
        See `whybox.features.stages.find_ends`.
    """
    kept, staged = reading.kept(cell), _staged(cell, reading)
    kept.write_ends(context, find_ends(staged, reading.job(kept.scratch), verdicts, anchors))


def _staged(cell: Cell, reading: Reading) -> StagedBlock:
    """A cell as it was staged; read again if its posts are no longer parked as they were."""
    kept = reading.kept(cell)
    keys = kept.load_keys()
    chunks = kept.find_chunks(keys)
    if chunks is None:
        read_cell(cell, reading)
        chunks = kept.find_chunks(kept.load_keys())
        if chunks is None:
            raise RunError("its posts were spoilt as soon as they were written", where=cell.name)
    kept.scratch.mkdir(parents=True, exist_ok=True)
    result = BlockResult(dict(enumerate(keys.counts)))
    return StagedBlock(0, result, keys.posts, keys.owners, chunks, keys.n_with_user)
