"""``whybox extract``: raw posts to a folder of accounted records, features and documents."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from whybox.config import ExtractConfig
from whybox.data.accounting import Accounting
from whybox.data.blocks import plan_blocks
from whybox.data.clpsych import read_profiles
from whybox.data.csvcells import csv_text
from whybox.data.detect import settle_format
from whybox.data.parquet import Part, write_parquet
from whybox.data.pseudonym import load_key
from whybox.data.publish import keep_degraded, publishing, write_manifest
from whybox.data.source import Input, Source, find_inputs
from whybox.errors import InputError
from whybox.explain.card import software_versions
from whybox.features.parking import N_BUCKETS
from whybox.features.recipe import Recipe
from whybox.features.stages import Job
from whybox.graph.extraction import Extraction, Users, extract_posts, extract_users
from whybox.graph.session import Session, using
from whybox.pipelines.outcome import Outcome, Table
from whybox.pipelines.raw_posts import source_of
from whybox.progress import SILENT, Progress

__all__ = ["MANIFEST_VERSION", "run"]

MANIFEST_VERSION = 1
_JUDGED_FROM = 1000  # lines; a share of fewer says little


@dataclass(frozen=True, eq=False)
class _Folder:
    """What was written into the folder."""

    extraction: Extraction
    users: Users | None
    parts: Sequence[Part]


def run(
    config: ExtractConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Extract records and features.

    Parameters
    ----------
    config : ExtractConfig
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome
        Its status is degraded, and its folder OUT/degraded, if too many lines of an input of 1,000
        lines or more are in quarantine.

    Raises
    ------
    InputError
        An input is missing or has no posts, a column does not exist, an option has no such value,
        or no input has any record; nothing is written.
    RunError
        A compressed file is cut, or OUT cannot be written.
    """
    recipe, source = _recipe(config), source_of(config)
    key = load_key(config.key_file)
    inputs = find_inputs(config.inputs, config.format, key=key)
    source = settle_format(source, inputs)
    blocks = plan_blocks(inputs, source)
    with publishing(config.out) as staging:
        scratch = staging / "scratch"
        scratch.mkdir()
        profiles = read_profiles(inputs, source) if source.format == "clpsych" else None
        job = Job(
            source, recipe, str(scratch), str(staging), config.allow_text is not None, profiles
        )
        with using(session, config, progress) as opened:
            extraction = extract_posts(
                opened, inputs, blocks, job, partitions=config.partitions, level=config.level
            )
            _check_records(extraction.accounting, config)
            users = extract_users(opened, extraction, job) if extraction.by_user else None
        folder = _Folder(extraction, users, _write_rest(staging, extraction, users))
        shutil.rmtree(scratch)
        manifest = _manifest(config, recipe, source, folder, key.id)
        write_manifest(staging, manifest)
        _write_private(staging, inputs)
        worst = _worst_quarantine(extraction.accounting)
        if worst[1] > config.max_quarantine:
            keep_degraded(staging, config.out)
    return _outcome(config, manifest, folder, worst)


def _recipe(config: ExtractConfig) -> Recipe:
    """The choices that shape features."""
    return Recipe(
        timezone=config.timezone,
        own_timezones=config.timezone_column is not None,
        night=config.night,
        lexicon=config.lexicon,
        spelling=config.spelling,
        lang=config.lang,
        min_posts=config.min_posts,
        own_posts_only=config.own_posts_only,
        drop_matching=config.drop_matching,
        drop_anchors=config.drop_anchors,
        window=config.window,
        window_end=config.window_end,
    )


def _check_records(accounting: Accounting, config: ExtractConfig) -> None:
    """Refuse a run without a single record."""
    total = accounting.total
    if total.records:
        return
    kinds = {**total.non_records, **total.quarantined}
    found = ", ".join(f"{count} {kind}" for kind, count in sorted(kinds.items())) or "nothing"
    raise InputError(
        f"no record in {len(accounting)} inputs of {total.lines} lines: {found}",
        where=", ".join(config.inputs[:3]),
        remedy="check --format and the columns",
    )


def _worst_quarantine(accounting: Accounting) -> tuple[str, float]:
    """The input with the largest share of quarantined lines, and that share."""
    shares = [
        (entry.path, sum(entry.counts.quarantined.values()) / entry.counts.lines)
        for entry in accounting
        if entry.counts.lines >= _JUDGED_FROM
    ]
    return max(shares, key=lambda pair: pair[1], default=("", 0.0))


def _write_rest(staging: Path, extraction: Extraction, users: Users | None) -> list[Part]:
    """Write what is one small file, and list all parts."""
    quarantine = extraction.quarantine
    path = staging / "quarantine" / "part-00000.parquet"
    parts = [*extraction.parts, write_parquet(quarantine, path, quarantine.schema, root=staging)]
    if users is not None:
        words = users.vocabulary
        path = staging / "documents" / "vocabulary.parquet"
        parts += [bucket.users for bucket in users.buckets if bucket.users]
        parts += [bucket.dropped for bucket in users.buckets if bucket.dropped]
        parts += [*users.documents, write_parquet(words, path, words.schema, root=staging)]
    return parts


def _manifest(
    config: ExtractConfig, recipe: Recipe, source: Source, folder: _Folder, key_id: str
) -> dict[str, Any]:
    """Everything that was read, written and decided."""
    accounting, users = folder.extraction.accounting, folder.users
    totals: dict[str, Any] = {
        name: value
        for name, value in accounting.total.as_dict().items()
        if name not in ("encoding", "partial")
    }
    if users is not None:
        totals["users"] = sum(b.users.rows for b in users.buckets if b.users)
        totals["users_dropped"] = sum(b.dropped.rows for b in users.buckets if b.dropped)
        totals["users_contradictory"] = sum(b.contradictory for b in users.buckets)
        totals["class_counts"] = _class_counts(users)
    return {
        "version": MANIFEST_VERSION,
        "kind": "features",
        "level": "user" if folder.extraction.by_user else "post",
        "format": source.format,
        "inputs": [entry.as_dict() for entry in accounting],
        "parts": [part.as_dict() for part in folder.parts],
        "totals": totals,
        "recipe": recipe.as_dict(),
        "buckets": N_BUCKETS,
        "key": key_id,
        "allow_text": config.allow_text,
        "software": software_versions(),
    }


def _class_counts(users: Users) -> dict[str, int]:
    """Users a label, "" for those without one."""
    counts: dict[str, int] = {}
    for bucket in users.buckets:
        for label, number in bucket.class_counts.items():
            counts[label] = counts.get(label, 0) + number
    return dict(sorted(counts.items()))


def _write_private(staging: Path, inputs: Sequence[Input]) -> None:
    """For whoever holds the folder: which file a pseudonym in the manifest stands for."""
    hidden = [entry for entry in inputs if entry.path != entry.display]
    if not hidden:
        return
    folder = staging / "private"
    folder.mkdir(mode=0o700)
    path = folder / "inputs.csv"
    path.touch(mode=0o600)
    listed = csv_text(("display", "path"), ((entry.display, entry.path) for entry in hidden))
    path.write_text(listed, encoding="utf-8")


def _outcome(
    config: ExtractConfig, manifest: Mapping[str, Any], folder: _Folder, worst: tuple[str, float]
) -> Outcome:
    """Counts for a person and for a machine."""
    totals = manifest["totals"]
    is_degraded = worst[1] > config.max_quarantine
    out = str(config.out).rstrip("/") + ("/degraded" if is_degraded else "")
    rows = [("lines", totals["lines"]), ("records", totals["records"])]
    rows += [(f"non-records: {kind}", n) for kind, n in totals["non_records"].items()]
    rows += [(f"quarantined: {kind}", n) for kind, n in totals["quarantined"].items()]
    if folder.users is not None:
        rows += [("users", totals["users"]), ("users with too few posts", totals["users_dropped"])]
        rows += [(f"users: {name or 'no label'}", n) for name, n in totals["class_counts"].items()]
    lines = [f"{manifest['format']} input, {manifest['level']} features: {out}"]
    if is_degraded:
        lines.append(
            f"degraded: {worst[1]:.1%} of {worst[0]} is in quarantine, more than "
            f"--max-quarantine {config.max_quarantine:.1%}; see {out}/quarantine"
        )
    values = {"out": str(out), "level": manifest["level"], "format": manifest["format"], **totals}
    table = Table(f"{len(manifest['inputs'])} inputs", ("what", "count"), tuple(rows))
    status = "degraded" if is_degraded else "done"
    return Outcome("extract", values, tuple(lines), (table,), status)
