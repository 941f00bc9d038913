"""Arrow files in which pieces of work wait for the next stage; users are dealt to buckets."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["N_BUCKETS", "batch", "bucket_of", "park", "park_buckets", "parked"]

N_BUCKETS = 8
"""Parts of users/ and documents/; stored in the manifest, since it shapes the folder."""


def bucket_of(user_ids: pa.ChunkedArray) -> NDArray[np.int64]:
    """Deal users to buckets by a hash of their id, the same everywhere and for ever.

    Parameters
    ----------
    user_ids : pyarrow.ChunkedArray of string, shape (n,)
        Without nulls.

    Returns
    -------
    int64 array of shape (n,)

    Examples
    --------
    >>> bucket_of(pa.chunked_array([["ann", "bob", "ann"]])).tolist()
    [4, 2, 4]
    """
    encoded = user_ids.combine_chunks().dictionary_encode()
    digests = [
        hashlib.blake2b(name.encode(), digest_size=4).digest()
        for name in encoded.dictionary.to_pylist()
    ]
    codes = np.array([int.from_bytes(digest, "big") % N_BUCKETS for digest in digests], np.int64)
    return codes[encoded.indices.to_numpy()] if len(codes) else np.zeros(0, np.int64)


def park_buckets(table: pa.Table, path: Path) -> str:
    """Park a table of users, one record batch a bucket.

    Parameters
    ----------
    table : pyarrow.Table
        With a column ``user_id``.
    path : Path

    Returns
    -------
    str
        The path, for `batch`.
    """
    buckets = bucket_of(table["user_id"])
    dealt = table.take(pa.array(np.argsort(buckets, kind="stable")))
    ends = np.cumsum(np.bincount(buckets, minlength=N_BUCKETS)).tolist()
    parts = [dealt.slice(a, b - a) for a, b in pairwise([0, *ends])]
    park(parts, path, table.schema)
    return str(path)


def park(tables: Sequence[pa.Table], path: Path, schema: pa.Schema) -> None:
    """Write tables as an Arrow file, a record batch each, also where a table is empty.

    Parameters
    ----------
    tables : sequence of pyarrow.Table
        Of the same schema.
    path : Path
        Replaced by one rename.
    schema : pyarrow.Schema
    """
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    with pa.OSFile(str(partial), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for table in tables:
            batches = table.combine_chunks().to_batches()
            writer.write_batch(batches[0] if batches else _empty_batch(schema))
    partial.replace(path)  # a task that runs twice never shows half a file


def _empty_batch(schema: pa.Schema) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([], f.type) for f in schema], schema=schema)


def parked(path: str) -> list[pa.Table]:
    """Read a parked file.

    Parameters
    ----------
    path : str

    Returns
    -------
    list of pyarrow.Table
        One a record batch, mapped into memory and not copied.
    """
    with pa.memory_map(path) as source:
        reader = pa.ipc.open_file(source)
        return [
            pa.Table.from_batches([reader.get_batch(i)]) for i in range(reader.num_record_batches)
        ]


def batch(path: str, bucket: int) -> pa.Table:
    """Read one bucket of a parked file.

    Parameters
    ----------
    path : str
        From `park_buckets`.
    bucket : int

    Returns
    -------
    pyarrow.Table
    """
    with pa.memory_map(path) as source:
        return pa.Table.from_batches([pa.ipc.open_file(source).get_batch(bucket)])
