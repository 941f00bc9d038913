"""Raw posts as a Dask bag: one table of posts a partition, for a user to go on with."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, TypeVar

import pyarrow as pa

from whybox.data.blocks import Block, plan_blocks
from whybox.data.detect import settle_format
from whybox.data.reader import read_block
from whybox.data.schema import POSTS
from whybox.data.source import ColumnMap, Source, find_inputs
from whybox.graph.calls import calling

__all__ = ["group_blocks", "posts_bag"]

_B = TypeVar("_B")


def posts_bag(
    inputs: str | Sequence[str],
    format: str = "auto",
    *,
    columns: ColumnMap | None = None,
    npartitions: int | None = None,
    **options: Any,
) -> Any:
    """Read raw posts as a bag of tables.

    Parameters
    ----------
    inputs : str or sequence of str
        Files, folders or globs.
    format : str, default "auto"
        As `whybox extract` knows it.
    columns : ColumnMap, optional
        Which column holds what, for csv and jsonl.
    npartitions : int, optional
        At most so many partitions; by default one for each 16 MiB of input.
    **options
        Of `whybox.data.Source`: encoding, delimiter, quoting, salvage, storage_options.

    Returns
    -------
    dask.bag.Bag
        Each partition holds one `pyarrow.Table` with the schema `whybox.data.POSTS`, in the order
        of the input: records as they stand there, before duplicates and deletions are resolved.

    Raises
    ------
    InputError
        An input is missing, or the format is not known.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "posts.csv")
    ...     _ = path.write_text("text,label" + chr(10) + "good,1")
    ...     columns = ColumnMap(text="text", label="label")
    ...     bag = posts_bag(str(path), "csv", columns=columns)
    ...     bag.map(lambda table: table.num_rows).sum().compute(scheduler="sync")
    1
    """
    import dask.bag

    source = Source(format, columns, **options)
    found = find_inputs(inputs, format, storage_options=source.storage_options)
    source = settle_format(source, found)
    groups = group_blocks(plan_blocks(found, source), npartitions)
    return dask.bag.from_delayed([calling(_read_group, group, source)() for group in groups])


def group_blocks(blocks: Sequence[_B], npartitions: int | None) -> list[tuple[_B, ...]]:
    """Deal blocks to at most so many tasks, neighbours together and evenly.

    Parameters
    ----------
    blocks : sequence
        Of `Block`, or of what stands for one.
    npartitions : int or None
        None gives each block its own task.

    Returns
    -------
    list of tuple
        Not empty, in the order of the blocks.

    Examples
    --------
    >>> [list(group) for group in group_blocks(list("abcde"), 2)]
    [['a', 'b'], ['c', 'd', 'e']]
    """
    n_groups = min(npartitions or len(blocks), len(blocks))
    cuts = [len(blocks) * k // n_groups for k in range(n_groups + 1)] if n_groups else [0]
    return [tuple(blocks[a:b]) for a, b in pairwise(cuts)]


def _read_group(blocks: Sequence[Block], source: Source) -> list[pa.Table]:
    """One partition of the bag."""
    tables = [table for block in blocks for table in read_block(block, source)]
    return [pa.concat_tables(tables) if tables else POSTS.empty_table()]
