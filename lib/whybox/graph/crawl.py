"""A crowd whose sums are kept in cells: reading what is new, deciding with all ids, summing anew."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from whybox.data.accounting import Counts, InputCounts
from whybox.data.resolve import PostKeys, mark_anchors, resolve, verdict_counts
from whybox.data.source import Input
from whybox.errors import InputError, RunError, WhyboxError
from whybox.features.corpus import Corpus
from whybox.features.documents import encode_documents, merge_documents
from whybox.features.parking import parked
from whybox.features.recipe import Recipe
from whybox.features.users import merge_sums, user_features, with_profiles
from whybox.features.windows import fixed_end, merge_ends
from whybox.graph.calls import calling
from whybox.graph.cells import Cell, Reading, ends_of_cell, read_cell, sum_cell
from whybox.graph.kept import CellKeys
from whybox.graph.people import People
from whybox.graph.session import Session
from whybox.graph.windows import Failed

__all__ = ["Crawl", "Summed", "sum_inputs"]


@dataclass(frozen=True, eq=False)
class Summed:
    """Inputs that are summed by user.

    Parameters
    ----------
    sums, documents : list of str
        Arrow files, sorted by the hash of the user.
    files : list of str
        Names of all files that are kept of these inputs.
    accounts : list of InputCounts
        One an input.
    """

    sums: list[str]
    documents: list[str]
    files: list[str]
    accounts: list[InputCounts]


@dataclass(frozen=True, eq=False)
class Crawl:
    """The people of summed inputs, part by part; it travels with each task.

    Parameters
    ----------
    index : str
        File that lists the files of sums.
    n_parts : int
    recipe : Recipe
    names : tuple of str
        Features that are asked for.
    unlabelled : bool
        Only users without a label.
    vocabulary : tuple of str, optional
        Words of the topics; None if there are no topics.
    profiles : pyarrow.Table, optional
        Features that are known of users, and not from their posts.
    """

    index: str
    n_parts: int
    recipe: Recipe
    names: tuple[str, ...]
    unlabelled: bool = False
    vocabulary: tuple[str, ...] | None = None
    profiles: pa.Table | None = None

    def for_task(self, part: int) -> Crawl:
        """Itself: it is small."""
        return self

    def people(self, part: int) -> People:
        """Merge what all cells say of the part's users."""
        listed = _listed(self.index)
        read = partial(_slice, part=part, n_parts=self.n_parts)
        found = user_features(merge_sums([read(path) for path in listed["sums"]]), self.recipe)
        table, dropped = with_profiles(found.table, self.profiles), found.dropped
        if self.unlabelled:
            table = table.filter(pc.is_null(table["label"]))
            dropped = dropped.filter(pc.is_null(dropped["label"]))
        ids = np.asarray(table["user_id"].to_pylist(), dtype=str)
        numbers = [table[n].to_numpy().astype(np.float64, copy=False) for n in self.names]
        documents = None
        if self.vocabulary is not None:
            counts = merge_documents([read(path) for path in listed["documents"]])
            documents = _corpus(counts, ids, self.vocabulary)
        return People(
            ids,
            np.column_stack(numbers) if numbers else np.zeros((len(ids), 0)),
            self.names,
            np.asarray(dropped["user_id"].to_pylist(), dtype=str),
            documents=documents,
        )


def sum_inputs(
    session: Session, inputs: Sequence[Input], cells: Sequence[Cell], digests: Mapping[str, str],
    reading: Reading,
) -> Summed:  # fmt: skip
    """Sum the posts of all inputs by user, reading only what is not kept yet.

    Parameters
    ----------
    session : Session
    inputs : sequence of Input
    cells : sequence of Cell
        Of these inputs.
    digests : mapping of str to str
        SHA-256 of each input by its path.
    reading : Reading

    Returns
    -------
    Summed

    Raises
    ------
    InputError, RunError
        Some inputs could not be read; the message names them, and all others are kept.
    """
    known = [reading.kept(cell).find_keys() for cell in cells]
    unread = [cell for cell, keys in zip(cells, known, strict=True) if keys is None]
    _run_all(session, "reading posts", unread, [(cell, reading) for cell in unread], read_cell)
    kept = [keys or reading.kept(cell).load_keys() for cell, keys in zip(cells, known, strict=True)]
    if not any(keys.n_with_user for keys in kept):
        raise InputError(
            "no post has a user, and it is users that are scored",
            where=inputs[0].display,
            remedy="extract the posts first, and give the folder of features",
        )
    verdicts, anchors = _decide(cells, kept)
    ends = _ends(session, cells, reading, verdicts, anchors)
    contexts = [
        _digest(v.tobytes(), a.tobytes(), *_columns(e))
        for v, a, e in zip(verdicts, anchors, ends, strict=True)
    ]
    missing = [
        place
        for place, (cell, context) in enumerate(zip(cells, contexts, strict=True))
        if reading.kept(cell).find_sums(context) is None
    ]
    tasks = [(cells[i], contexts[i], reading, verdicts[i], anchors[i], ends[i]) for i in missing]
    _run_all(session, "summing users", [cells[i] for i in missing], tasks, sum_cell)
    return _summed(inputs, cells, contexts, kept, verdicts, digests, reading)


def _run_all(
    session: Session, label: str, cells: Sequence[Cell], tasks: Sequence[tuple[Any, ...]], work: Any
) -> None:
    """Do the work on each cell; what fails hinders no other and is told at the end."""
    failed: list[tuple[str, WhyboxError]] = []
    done = session.stream((calling(work, *given)() for given in tasks), label, len(tasks))
    for number, result in done:
        if isinstance(result, Failed):
            failed.append((cells[number].name, result.explained(label)))
    if not failed:
        return
    (name, error), rest = failed[0], len(cells) - len(failed)
    if isinstance(error, InputError):
        raise error
    others = "".join(f"; also {other}: {why.what}" for other, why in failed[1:3])
    raise RunError(
        f"{error.what}{others}; {len(failed)} of {len(cells)} pieces of the input failed, the "
        f"other {rest} are done and kept",
        where=error.where or name,
        remedy=error.remedy,
    ) from error


def _decide(
    cells: Sequence[Cell], kept: Sequence[CellKeys]
) -> tuple[list[NDArray[np.uint8]], list[NDArray[np.bool_]]]:
    """What becomes of every post, in the order of the run's list of files."""
    posts = PostKeys.concatenate([keys.posts for keys in kept])
    files = [np.array([entry.index for entry in cell.inputs], np.int32) for cell in cells]
    owners = [files[i][keys.owners] for i, keys in enumerate(kept)]
    order = np.argsort(np.concatenate([np.zeros(0, np.int32), *owners]), kind="stable")
    sorted_posts = PostKeys(posts.keys[order], posts.has_id[order], posts.labels[order])
    nothing = np.zeros(0, np.uint64)
    verdicts = np.zeros(len(order), np.uint8)
    verdicts[order] = resolve(sorted_posts, np.concatenate([nothing, *(k.deleted for k in kept)]))
    anchors = mark_anchors(posts, np.concatenate([nothing, *(k.anchors for k in kept)]))
    cuts = np.cumsum([len(keys.owners) for keys in kept])[:-1]
    return np.split(verdicts, cuts), np.split(anchors, cuts)


def _ends(
    session: Session,
    cells: Sequence[Cell],
    reading: Reading,
    verdicts: Sequence[NDArray[np.uint8]],
    anchors: Sequence[NDArray[np.bool_]],
) -> list[pa.Table | None]:
    """The latest times of each cell's users over all cells, if the recipe's window needs them."""
    recipe = reading.recipe
    if recipe.window is None or fixed_end(recipe.window_end, recipe.timezone) is not None:
        return [None] * len(cells)
    contexts = [_digest(v.tobytes(), a.tobytes()) for v, a in zip(verdicts, anchors, strict=True)]
    found = [
        reading.kept(cell).find_ends(context) for cell, context in zip(cells, contexts, strict=True)
    ]
    missing = [place for place, ends in enumerate(found) if ends is None]
    tasks = [(cells[i], contexts[i], reading, verdicts[i], anchors[i]) for i in missing]
    _run_all(session, "finding windows", [cells[i] for i in missing], tasks, ends_of_cell)
    for place in missing:
        found[place] = reading.kept(cells[place]).find_ends(contexts[place])
    own = [ends for ends in found if ends is not None]
    if len(own) < len(cells):
        raise RunError("the ends of windows were spoilt as soon as they were written")
    merged = merge_ends(own)
    return [
        merged.filter(pc.is_in(merged["user_id"], ends["user_id"].combine_chunks())) for ends in own
    ]


def _summed(
    inputs: Sequence[Input],
    cells: Sequence[Cell],
    contexts: Sequence[str],
    kept: Sequence[CellKeys],
    verdicts: Sequence[NDArray[np.uint8]],
    digests: Mapping[str, str],
    reading: Reading,
) -> Summed:
    """List what is kept, and draw up the accounts."""
    counts: dict[int, Counts] = {}
    sums: list[str] = []
    documents: list[str] = []
    files: list[str] = []
    for cell, context, keys, decided in zip(cells, contexts, kept, verdicts, strict=True):
        mine = reading.kept(cell)
        facts = mine.find_sums(context)
        if facts is None:
            raise RunError("its sums were spoilt as soon as they were written", where=cell.name)
        files += [mine.keys_path.name, mine.summed(context, "json").name]
        files += [path.name for path in mine.folder.glob(f"{cell.key}-*.ends.arrow")]
        for what, paths in (("sums", sums), ("documents", documents)):
            if facts[what]:
                path = mine.summed(context, f"{what}.arrow")
                paths.append(str(path))
                files.append(path.name)
        leaving = verdict_counts(decided, keys.owners, len(cell.inputs))
        for place, entry in enumerate(cell.inputs):
            found = keys.counts[place].without_records(*leaving[place])
            found = found.without_records(facts["left_out"].get(str(place), {}), {})
            counts[entry.index] = counts.get(entry.index, Counts()) + found
    accounts = [
        InputCounts(
            entry.display,
            entry.bytes,
            digests[entry.path],
            counts[entry.index].check(entry.display),
        )
        for entry in inputs
    ]
    return Summed(sums, documents, files, accounts)


def _digest(*values: bytes) -> str:
    hashed = hashlib.sha256()
    for value in values:
        hashed.update(len(value).to_bytes(8, "big") + value)
    return hashed.hexdigest()[:16]


def _columns(ends: pa.Table | None) -> list[bytes]:
    """The bytes of a table of ends, nulls told apart."""
    return [] if ends is None else [json.dumps(ends.to_pylist()).encode()]


@lru_cache(maxsize=2)
def _listed(index: str) -> dict[str, list[str]]:
    """The files of sums and documents; an index's name is the hash of what it lists."""
    listed: dict[str, list[str]] = json.loads(Path(index).read_text("utf-8"))
    folder = Path(index).parent.with_name("cells")
    return {what: [str(folder / name) for name in listed[what]] for what in ("sums", "documents")}


def _slice(path: str, part: int, n_parts: int) -> pa.Table:
    """The rows of a part's users, not read before they are used."""
    table = parked(path)[0]
    slots = table["slot"].combine_chunks().to_numpy()
    ends = [-(-(number << 32) // n_parts) for number in (part, part + 1)]
    start, stop = (
        len(slots) if end == 1 << 32 else int(np.searchsorted(slots, np.uint32(end)))
        for end in ends
    )
    return table.slice(start, stop - start).drop_columns("slot")


def _corpus(counts: pa.Table, ids: NDArray[Any], vocabulary: Sequence[str]) -> Corpus:
    """The users' documents in the words of the topics."""
    words = pa.array(vocabulary, pa.string())
    kept = counts.filter(pc.is_in(counts["user_id"], pa.array(ids.tolist(), pa.string())))
    encoded = encode_documents(kept, words)
    return Corpus.from_tables(encoded, pa.table({"stem": words})).aligned(ids.tolist())
