"""``whybox score``: every user once, in versions that appear whole, resumed where a run was killed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

from whybox._faults import fault_point
from whybox.config import ScoreConfig
from whybox.data.dealing import part_name
from whybox.data.ledger import open_ledger
from whybox.data.pseudonym import load_key
from whybox.data.publish import write_manifest
from whybox.data.sealed import seal_values
from whybox.data.versions import SpoiltError, fetched, is_store
from whybox.data.workplace import link, peek, standing_manifest, workplace
from whybox.explain.card import software_versions
from whybox.graph.parts import Scoring
from whybox.graph.rounds import Round, is_whole, score_parts
from whybox.graph.session import Session, using
from whybox.pipelines.appraisal import check_base_rate
from whybox.pipelines.outcome import Outcome, Table
from whybox.pipelines.score_drift import (
    DRIFT,
    Drift,
    drift_tables,
    measure_drift,
    read_drift,
    write_drift,
)
from whybox.pipelines.score_model import open_model
from whybox.pipelines.score_sources import Source, open_source
from whybox.progress import SILENT, Progress

__all__ = ["run"]


def run(
    config: ScoreConfig, *, progress: Progress = SILENT, session: Session | None = None
) -> Outcome:
    """Score users.

    Parameters
    ----------
    config : ScoreConfig
    progress : Progress, optional
    session : Session, optional
        An open one to use; by default one is opened as the configuration says.

    Returns
    -------
    Outcome
        ``already done`` if the scores of the same model, input and options stand in OUT;
        ``degraded`` if a part could not be scored (all others are kept, nothing is published), or
        if features drifted more than ``--max-drift`` (the version is published all the same).

    Raises
    ------
    InputError
        The model has no card or more than two classes, or the features or their recipe are not
        those it was trained on; or the base rate is none.
    RunError
        Another run works in OUT, an input cannot be read, OUT cannot be written, or is in a store
        where another run published meanwhile.
    """
    check_base_rate(config.base_rate)
    model = open_model(config)
    scoring = model.scoring(config, load_key(config.key_file))
    with using(session, config, progress) as opened:
        source = open_source(opened, config, model)
        identity = _identity(config, scoring, source)
        standing = standing_manifest(config.out)
        if _is_done(config, standing, identity):
            return _already_done(config, identity)
        with (
            workplace(config.out) as place,
            open_ledger(place.work / "ledger.jsonl") as ledger,
        ):
            standing = standing_manifest(config.out)  # until now another run may have published
            crowd = source.crowd(opened, place)
            found = score_parts(opened, place, ledger, crowd, scoring, identity["run"])
            if found.failed:
                return _failed(config, identity, source, found)
            name, previous = _names(config, standing, identity)
            drift = _known_drift(config, standing, name)
            if drift is None:
                with _version_before(config.out, standing, previous) as before:
                    drift = measure_drift(model, found, before, scoring.key.id, config.max_drift)
            with place.publishing(name) as staging:
                parts = _link_parts(staging, found) + write_drift(staging, drift)
                counts, accounts = _counts([part.facts for part in found.parts]), source.accounts
                if config.report:
                    told = (config, model, scoring.rule, found, drift, counts, accounts, identity)
                    parts += _write_report(staging, *told)
                manifest = _manifest(name, previous, identity, accounts, parts, counts, drift)
                write_manifest(staging, manifest)
            place.tidy(config.keep)
    return _outcome(config, identity, manifest, drift, "posts" if model.reads_texts else "users")


def _identity(config: ScoreConfig, scoring: Scoring, source: Source) -> dict[str, Any]:
    """What makes two runs the same run."""
    rule = scoring.rule
    parts = {
        "model_sha256": scoring.model_sha256,
        "source": source.fingerprint,
        "rows": config.rows,
        "threshold": rule.threshold,
        "band": rule.band,
        "reasons": rule.n_reasons,
        "n_parts": config.parts,
        "key": scoring.key.id,
        "report": config.report,
        "base_rate": config.base_rate,
    }
    digest = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
    return {"run": digest[:16], **parts}


def _names(
    config: ScoreConfig, standing: Mapping[str, Any] | None, identity: Mapping[str, Any]
) -> tuple[str, str | None]:
    """Name the version by its run and by the version before it."""
    previous = standing["name"] if standing else peek(config.out).standing_name
    if standing and standing["run"] == identity["run"]:  # it is mended
        previous = standing["previous"]
    digest = hashlib.sha256(f"{identity['run']} {previous}".encode()).hexdigest()
    return digest[:16], previous


def _is_done(
    config: ScoreConfig, standing: Mapping[str, Any] | None, identity: Mapping[str, Any]
) -> bool:
    """Tell whether just these scores stand, whole."""
    return (
        standing is not None
        and standing.get("run") == identity["run"]
        and is_whole(config.out, standing["parts"])
    )


def _already_done(config: ScoreConfig, identity: Mapping[str, Any]) -> Outcome:
    """Touch nothing, unless a dead run left what has to go."""
    if not peek(config.out).is_tidy(config.keep):
        with workplace(config.out) as place:
            place.tidy(config.keep)
    return Outcome(
        "score", {"out": config.out, **identity}, (f"already done: {config.out}",),
        status="already done",
    )  # fmt: skip


def _known_drift(
    config: ScoreConfig, standing: Mapping[str, Any] | None, name: str
) -> Drift | None:
    """The drift of a version that is mended: what it was measured against may be gone."""
    if standing is None or standing["name"] != name or is_store(config.out):
        return None
    with fetched(config.out) as folder:
        listed = [part for part in standing["parts"] if part["path"] == DRIFT]
        return read_drift(folder, config.max_drift) if is_whole(str(folder), listed) else None


@contextmanager
def _version_before(
    out: str, standing: Mapping[str, Any] | None, previous: str | None
) -> Iterator[Path | None]:
    """Give the folder of the version before; None if there is none, or it is not whole any more."""
    with ExitStack() as stack:
        folder = None
        if is_store(out):
            if standing is not None and standing["name"] == previous:
                with suppress(SpoiltError):
                    folder = stack.enter_context(fetched(out))
        elif previous is not None:
            found = Path(out).expanduser() / "versions" / previous
            manifest = standing_manifest(str(found))
            if manifest is not None and is_whole(str(found), manifest["parts"]):
                folder = found
        yield folder


def _link_parts(staging: Path, found: Round) -> list[dict[str, Any]]:
    """Put the parts into a version, and list them."""
    entries = []
    for part in found.parts:
        path = f"scores/{part_name(part.number)}.parquet"
        link(part.path, staging / path)
        fault_point("publish.part")
        entries.append(
            {
                "path": path,
                "rows": part.facts["rows"],
                "sha256": part.output,
                "input_sha256": part.input,
            }
        )
    return entries


def _write_report(staging: Path, *told: Any) -> list[dict[str, Any]]:
    """Write the page; what draws is imported only now."""
    from whybox.pipelines.score_report import ScoredRun, write_report

    return write_report(staging, ScoredRun(*told))


def _manifest(
    name: str,
    previous: str | None,
    identity: Mapping[str, Any],
    accounts: Sequence[Mapping[str, Any]],
    parts: Sequence[Mapping[str, Any]],
    counts: Mapping[str, Any],
    drift: Drift,
) -> dict[str, Any]:
    """What a version says of itself, sealed."""
    values = {
        "version": 1,
        "kind": "scores",
        "name": name,
        "previous": previous,
        **identity,
        "counts": counts,
        "inputs": accounts,
        "parts": list(parts),
        "drift": drift.summary,
        "software": software_versions(),
    }
    return seal_values(values)


def _counts(facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Users by what became of them."""
    decisions: Counter[str] = Counter()
    abstentions: Counter[str] = Counter()
    for part in facts:
        decisions.update(part["decisions"])
        abstentions.update(part["abstentions"])
    return {
        "users": sum(part["rows"] for part in facts),
        "scored": decisions.total(),
        "abstained": abstentions.total(),
        "decisions": dict(sorted(decisions.items())),
        "abstentions": dict(sorted(abstentions.items())),
    }


def _failed(
    config: ScoreConfig, identity: Mapping[str, Any], source: Source, found: Round
) -> Outcome:
    """Some parts could not be scored: name them; all others are kept for the next run."""
    lines = [
        f"degraded: {failure.name} of {source.where} ({failure.n_people} users) failed: "
        f"{failure.why}"
        for failure in found.failed
    ]
    lines.append(
        f"{len(found.parts)} of {config.parts} parts are done and kept; nothing was published: "
        "run again to compute the others"
    )
    values = {
        "out": config.out,
        **identity,
        "parts_done": len(found.parts),
        "failed": [vars(failure) for failure in found.failed],
    }
    return Outcome("score", values, tuple(lines), status="degraded")


def _outcome(
    config: ScoreConfig,
    identity: Mapping[str, Any],
    manifest: Mapping[str, Any],
    drift: Drift,
    who: str,
) -> Outcome:
    """Counts for a person and for a machine."""
    counts = manifest["counts"]
    rows = [(who, counts["users"])]
    rows += [(name, counts[name]) for name in ("scored", "abstained")]
    rows += [(f"decided: {name}", number) for name, number in counts["decisions"].items()]
    rows += [(f"abstained: {name}", number) for name, number in counts["abstentions"].items()]
    table = Table(f"Scores at threshold {identity['threshold']:.3f}", ("what", who), tuple(rows))
    lines = [f"scores: {config.out} (version {manifest['name']})"]
    if config.report:
        lines.append(f"report: {config.out}/current/report.html")
    if drift.exceeded:
        lines.append(
            f"degraded: drifted more than --max-drift {config.max_drift}: "
            f"{', '.join(drift.exceeded)}; the version is published all the same"
        )
    values = {
        "out": config.out,
        "version": manifest["name"],
        **identity,
        **counts,
        "drift": drift.summary,
    }
    tables = (table, *drift_tables(drift))
    return Outcome("score", values, tuple(lines), tables, "degraded" if drift.exceeded else "done")
