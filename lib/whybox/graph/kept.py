"""What is kept of a cell for later runs: its keys, the ends of its users, its sums; all of it sealed.

::

    cells/KEY.npz                  what decides about its posts, and hashes of the parked chunks
    cells/KEY-CONTEXT.ends.arrow   the latest times of its users
    cells/KEY-CONTEXT.sums.arrow   sums by user, sorted by the hash of the user; .documents.arrow
    cells/KEY-CONTEXT.json         the hashes of these, and what was left out: written last
    parked/KEY/                    its posts between reading and summing

Whatever is not what was written counts as not there, and is made again from the input.
"""

from __future__ import annotations

import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from whybox.data import workplace
from whybox.data.accounting import Counts
from whybox.data.dealing import deal
from whybox.data.resolve import PostKeys
from whybox.data.sealed import seal, seal_values, unseal, unseal_values
from whybox.data.storage import file_sha256
from whybox.errors import WhyboxError
from whybox.features.parking import N_BUCKETS, batch, park

__all__ = ["CellKeys", "Kept"]


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
    chunks : tuple of str
        SHA-256 of the files in which its posts were parked.
    """

    posts: PostKeys
    owners: NDArray[np.int32]
    deleted: NDArray[np.uint64]
    anchors: NDArray[np.uint64]
    counts: tuple[Counts, ...]
    n_with_user: int
    chunks: tuple[str, ...]


@dataclass(frozen=True)
class Kept:
    """The files of one cell.

    Parameters
    ----------
    folder : pathlib.Path
        Where cells are kept.
    key : str
        Of the cell.

    Examples
    --------
    >>> Kept(Path("work/cells"), "0a").summed("1b", "json").name
    '0a-1b.json'
    """

    folder: Path
    key: str

    @property
    def keys_path(self) -> Path:
        """The file of its keys."""
        return self.folder / f"{self.key}.npz"

    @property
    def scratch(self) -> Path:
        """Where its posts wait, beside the cells; removed when they are summed."""
        return self.folder.with_name("parked") / self.key

    def summed(self, context: str, suffix: str) -> Path:
        """Name a file that depends on the verdicts about its posts."""
        return self.folder / f"{self.key}-{context}.{suffix}"

    def write_keys(self, keys: CellKeys) -> None:
        """Keep what decides about its posts."""
        buffer = io.BytesIO()
        arrays = {
            "keys": keys.posts.keys,
            "has_id": keys.posts.has_id,
            "labels": keys.posts.labels,
            "owners": keys.owners,
            "deleted": keys.deleted,
            "anchors": keys.anchors,
            "counts": np.array(json.dumps([counts.as_dict() for counts in keys.counts])),
            "n_with_user": np.array(keys.n_with_user),
            "chunks": np.array(keys.chunks, dtype="U64"),
        }
        np.savez(buffer, allow_pickle=False, **arrays)
        _put(self.keys_path, buffer.getvalue())

    def load_keys(self) -> CellKeys:
        """Read its keys.

        Raises
        ------
        OSError, ValueError
            There are none, or they were spoilt.
        """
        data = io.BytesIO(unseal(self.keys_path.read_bytes()))
        with np.load(data, allow_pickle=False) as kept:
            return CellKeys(
                PostKeys(kept["keys"], kept["has_id"], kept["labels"]),
                kept["owners"],
                kept["deleted"],
                kept["anchors"],
                tuple(Counts(**values) for values in json.loads(str(kept["counts"]))),
                int(kept["n_with_user"]),
                tuple(kept["chunks"].tolist()),
            )

    def find_keys(self) -> CellKeys | None:
        """Read its keys, None if there are none or they were spoilt."""
        try:
            return self.load_keys()
        except (OSError, ValueError):
            return None

    def find_chunks(self, keys: CellKeys) -> tuple[str, ...] | None:
        """Name the files in which its posts are parked, None if one is not there or was spoilt."""
        paths = [self.scratch / f"block-00000-{n:05d}.arrow" for n in range(len(keys.chunks))]
        for path, digest in zip(paths, keys.chunks, strict=True):
            if not path.is_file() or file_sha256(str(path)) != digest:
                return None
        return tuple(map(str, paths))

    def write_ends(self, context: str, ends: pa.Table) -> None:
        """Keep the latest times of its users."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, ends.schema) as writer:
            writer.write_table(ends)
        _put(self.summed(context, "ends.arrow"), sink.getvalue().to_pybytes())

    def find_ends(self, context: str) -> pa.Table | None:
        """Read the latest times of its users, None if there are none or they were spoilt."""
        try:
            data = unseal(self.summed(context, "ends.arrow").read_bytes())
        except (OSError, ValueError):
            return None
        return pa.ipc.open_file(pa.BufferReader(data)).read_all()

    def write_sums(
        self, context: str, left_out: dict[int, dict[str, int]], files: dict[str, str | None]
    ) -> None:
        """Keep its sums.

        Parameters
        ----------
        context : str
        left_out : dict of int to dict of str to int
            As `whybox.features.pieces.FinishedBlock` has it.
        files : dict
            Parked files by what they hold, ``sums`` and ``documents``, None where there is none.
        """
        hashes = {
            what: None if path is None else _keep(path, self.summed(context, f"{what}.arrow"))
            for what, path in files.items()
        }
        facts = {"left_out": {str(index): kinds for index, kinds in left_out.items()}, **hashes}
        marker = self.summed(context, "json")
        partial = _partial(marker)
        partial.write_text(json.dumps(seal_values(facts)), "utf-8")
        workplace.replace(partial, marker, "cell")

    def find_sums(self, context: str) -> dict[str, Any] | None:
        """Read what is known of its sums, None if there are none or they were spoilt."""
        try:
            facts = unseal_values(json.loads(self.summed(context, "json").read_bytes()))
            for what in ("sums", "documents"):
                path = self.summed(context, f"{what}.arrow")
                if facts[what] is not None and file_sha256(str(path)) != facts[what]:
                    return None
        except (OSError, ValueError, RecursionError, WhyboxError):
            return None
        return facts


def _keep(path: str, target: Path) -> str:
    """Keep the sums of all buckets as one table, sorted by the hash of the user; give its hash."""
    table = deal(pa.concat_tables([batch(path, bucket) for bucket in range(N_BUCKETS)]))
    partial = _partial(target)
    park([table], partial, table.schema)
    digest = file_sha256(str(partial))
    workplace.replace(partial, target, "cell")
    return digest


def _put(path: Path, data: bytes) -> None:
    partial = _partial(path)
    partial.write_bytes(seal(data))
    workplace.replace(partial, path, "cell")


def _partial(path: Path) -> Path:
    """A name of this process's own, which nobody takes for the file."""
    return path.with_name(f"{path.name}.partial.{os.getpid()}")
