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
import os
import shutil
import zipfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox._faults import fault_point
from whybox.data import workplace
from whybox.data.accounting import Counts
from whybox.data.blocks import BLOCK_BYTES, Block, Span, plan_blocks
from whybox.data.dealing import deal, part_of, slots_of
from whybox.data.reader import BlockResult
from whybox.data.resolve import PostKeys, post_keys
from whybox.data.source import Input, Source
from whybox.data.storage import file_sha256
from whybox.features.parking import N_BUCKETS, batch, park
from whybox.features.pieces import Job, StagedBlock
from whybox.features.recipe import Recipe
from whybox.features.stages import find_ends, finish_block, stage_blocks

__all__ = [
    "Cell",
    "CellKeys",
    "Reading",
    "cut_cells",
    "ends_of_cell",
    "find_keys",
    "find_sums",
    "keys_path",
    "load_keys",
    "read_cell",
    "sum_cell",
    "summed_path",
]

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
        return Job(self.source, self.recipe, str(scratch), str(scratch))

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


@dataclass(frozen=True, eq=False)
class CellKeys:
    """What is kept of a cell that was read.

    Parameters
    ----------
    posts : PostKeys
        In its order.
    owners : int32 array of shape (n_posts,)
        The place of each post's file among the cell's.
    deleted, anchors : uint64 array
        Keys of posts that are taken back, and of anchors.
    counts : tuple of Counts
        One a file.
    n_with_user : int
    n_chunks : int
        Files in which its posts were parked.
    """

    posts: PostKeys
    owners: NDArray[np.int32]
    deleted: NDArray[np.uint64]
    anchors: NDArray[np.uint64]
    counts: tuple[Counts, ...]
    n_with_user: int
    n_chunks: int


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
    scratch = _parked(cell, reading)
    scratch.mkdir(parents=True, exist_ok=True)
    staged = stage_blocks([cell.block], reading.job(scratch))[0]
    counts = [staged.result.counts[i].as_dict() for i in range(len(cell.inputs))]
    _write(
        keys_path(cell, reading),
        keys=staged.keys.keys,
        has_id=staged.keys.has_id,
        labels=staged.keys.labels,
        owners=staged.inputs,
        deleted=post_keys(pa.array(staged.result.deleted, pa.string())),
        anchors=post_keys(pa.array(staged.result.anchors, pa.string())),
        counts=np.array(json.dumps(counts)),
        numbers=np.array([staged.n_with_user, len(staged.chunks)]),
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
    staged, scratch = _staged(cell, reading), _parked(cell, reading)
    found = finish_block(staged, reading.job(scratch), 0, verdicts, anchors, True, ends)
    left_out = {str(index): kinds for index, kinds in found.left_out.items()}
    kept = {"sums": found.sums, "documents": found.documents if reading.with_documents else None}
    hashes: dict[str, str | None] = dict.fromkeys(kept)
    for what, path in kept.items():
        if path is not None:
            target = summed_path(cell, context, reading, f"{what}.arrow")
            hashes[what] = _keep(path, target)
    marker = summed_path(cell, context, reading, "json")
    partial = _partial(marker)
    partial.write_text(json.dumps({"left_out": left_out, **hashes}), "utf-8")
    workplace.replace(partial, marker, "cell")
    shutil.rmtree(scratch, ignore_errors=True)


def find_keys(cell: Cell, reading: Reading) -> CellKeys | None:
    """Read what is kept of a cell, None if nothing is or it was spoilt (its checksums tell)."""
    try:
        return load_keys(cell, reading)
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None


def find_sums(cell: Cell, context: str, reading: Reading) -> dict[str, Any] | None:
    """Read what is known of a cell's sums, None if there are none or they were spoilt."""
    try:
        found = json.loads(summed_path(cell, context, reading, "json").read_text("utf-8"))
        for what in ("sums", "documents"):
            path = summed_path(cell, context, reading, f"{what}.arrow")
            if found[what] is not None and file_sha256(str(path)) != found[what]:
                return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return dict(found)


def load_keys(cell: Cell, reading: Reading) -> CellKeys:
    """Read what is kept of a cell.

    Parameters
    ----------
    cell : Cell
    reading : Reading

    Returns
    -------
    CellKeys
    """
    with np.load(keys_path(cell, reading), allow_pickle=False) as kept:
        n_with_user, n_chunks = kept["numbers"].tolist()
        return CellKeys(
            PostKeys(kept["keys"], kept["has_id"], kept["labels"]),
            kept["owners"],
            kept["deleted"],
            kept["anchors"],
            tuple(Counts(**values) for values in json.loads(str(kept["counts"]))),
            n_with_user,
            n_chunks,
        )


def ends_of_cell(
    cell: Cell,
    reading: Reading,
    path: Path,
    verdicts: NDArray[np.uint8],
    anchors: NDArray[np.bool_],
) -> None:
    """Keep the latest times of a cell's users.

    Parameters
    ----------
    cell : Cell
        That was read.
    reading : Reading
    path : pathlib.Path
        The file to write.
    verdicts, anchors
        See `whybox.features.stages.find_ends`.
    """
    staged = _staged(cell, reading)
    ends = find_ends(staged, reading.job(_parked(cell, reading)), verdicts, anchors)
    partial = _partial(path)
    park([ends], partial, ends.schema)
    workplace.replace(partial, path, "cell")


def keys_path(cell: Cell, reading: Reading) -> Path:
    """Name the file of a cell's keys."""
    return Path(reading.folder) / f"{cell.key}.npz"


def summed_path(cell: Cell, context: str, reading: Reading, suffix: str) -> Path:
    """Name a file of a cell's sums."""
    return Path(reading.folder) / f"{cell.key}-{context}.{suffix}"


def _parked(cell: Cell, reading: Reading) -> Path:
    """Where a cell's posts wait: beside the cells, removed when they are summed."""
    return Path(reading.folder).with_name("parked") / cell.key


def _staged(cell: Cell, reading: Reading) -> StagedBlock:
    """A cell as it was staged; read again if its posts are no longer parked."""
    found = load_keys(cell, reading)
    folder = _parked(cell, reading)
    chunks = [folder / f"block-00000-{n:05d}.arrow" for n in range(found.n_chunks)]
    if not all(path.exists() for path in chunks):
        read_cell(cell, reading)
    folder.mkdir(parents=True, exist_ok=True)
    result = BlockResult(dict(enumerate(found.counts)))
    paths = tuple(map(str, chunks))
    return StagedBlock(0, result, found.posts, found.owners, paths, found.n_with_user)


def _keep(path: str, target: Path) -> str:
    """Keep the sums of all buckets as one table, sorted by the hash of the user; give its hash."""
    table = deal(pa.concat_tables([batch(path, bucket) for bucket in range(N_BUCKETS)]))
    partial = _partial(target)
    park([table], partial, table.schema)
    digest = file_sha256(str(partial))
    workplace.replace(partial, target, "cell")
    return digest


def _write(path: Path, **arrays: Any) -> None:
    partial = _partial(path)
    with partial.open("wb") as stream:
        np.savez(stream, allow_pickle=False, **arrays)
    workplace.replace(partial, path, "cell")


def _partial(path: Path) -> Path:
    """A name of this process's own, which nobody takes for the file."""
    return path.with_name(f"{path.name}.partial.{os.getpid()}")
