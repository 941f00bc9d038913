"""Extraction accounts for every line, gives the same bytes however it is run, and refuses clearly."""

from __future__ import annotations

import functools
import gzip
import hashlib
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from whybox.config import ExtractConfig
from whybox.data.blocks import plan_blocks
from whybox.errors import InputError, RunError
from whybox.graph.session import connect
from whybox.pipelines import extract

V1 = (
    '{"id_str":"%d","text":"%s","created_at":"Mon Apr 06 22:19:45 +0000 2009",'
    '"user":{"id_str":"u%d","followers_count":3}}\n'
)


def _extract(*inputs: Path | str, out: Path, **options):
    given = tuple(map(str, inputs))
    return extract.run(ExtractConfig(inputs=given, out=out, scheduler="sync", **options))


def _digests(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def _manifest(folder: Path) -> dict:
    return json.loads((folder / "manifest.json").read_text("utf-8"))


def _check_accounts(folder: Path) -> dict:
    """Every line is accounted for, and the records are the rows of posts/."""
    manifest = _manifest(folder)
    for entry in [*manifest["inputs"], manifest["totals"]]:
        found = entry["records"] + sum(entry["non_records"].values())
        assert entry["lines"] == found + sum(entry["quarantined"].values()), entry
    parts = sorted((folder / "posts").glob("*.parquet"))
    assert sum(pq.read_metadata(part).num_rows for part in parts) == manifest["totals"]["records"]
    for part in manifest["parts"]:
        data = (folder / part["path"]).read_bytes()
        assert hashlib.sha256(data).hexdigest() == part["sha256"]
        assert pq.read_metadata(folder / part["path"]).num_rows == part["rows"]
    return manifest


def test_timelines_become_users_with_thirteen_features(features):
    manifest = _check_accounts(features)
    totals = manifest["totals"]
    assert totals["users"] + totals["users_dropped"] == 120
    users = pq.read_table(features / "users")
    assert users.num_rows == totals["users"]
    assert users.column_names[:3] == ["user_id", "label", "n_posts"]
    assert len(users.column_names) == 16
    assert set(users["label"].to_pylist()) == {"positive", "negative", None}
    assert totals["non_records"] == {"anchor": 96, "profile": 96}


def test_no_text_and_no_screen_name_is_kept_in_what_may_be_shown(timelines, features):
    assert "text" not in pq.read_schema(next((features / "posts").glob("*.parquet"))).names
    names = {p.name.split("created_at")[0] for p in timelines.rglob("*created_at*.json")}
    manifest = (features / "manifest.json").read_text("utf-8")
    assert len(names) > 100
    assert not [name for name in names if name in manifest]
    private = features / "private" / "inputs.csv"
    assert private.stat().st_mode & 0o077 == 0
    assert all(name in private.read_text("utf-8") for name in names)


@pytest.fixture(scope="module")
def many_blocks():
    """Blocks small enough for the small set to have some thirty of them."""
    patch = pytest.MonkeyPatch()
    small = functools.partial(plan_blocks, block_bytes=100_000)
    patch.setattr("whybox.pipelines.extract.plan_blocks", small)
    yield
    patch.undo()


@pytest.fixture(scope="module")
def in_this_process(many_blocks, timelines, tmp_path_factory):
    out = tmp_path_factory.mktemp("sync") / "features"
    _extract(timelines, out=out, allow_text="a test of equal bytes")
    assert len(list((out / "posts").iterdir())) > 10
    return _digests(out)


@pytest.mark.parametrize("partitions", [1, 2, 7, None])
def test_the_bytes_do_not_depend_on_partitions(
    partitions, in_this_process, timelines, cluster_address, tmp_path
):
    config = ExtractConfig(
        inputs=(str(timelines),),
        out=tmp_path / "features",
        partitions=partitions,
        allow_text="a test of equal bytes",
    )
    with connect(cluster_address) as session:
        extract.run(config, session=session)
    assert _digests(tmp_path / "features") == in_this_process


def test_the_bytes_do_not_depend_on_zone_or_hash_seed(timelines, tmp_path):
    import os
    import subprocess
    import sys

    found = []
    for zone, seed in (("Asia/Kathmandu", "1"), ("America/New_York", "2")):
        out = tmp_path / seed
        command = [sys.executable, "-m", "whybox", "extract", str(timelines), "--out", str(out)]
        environment = {**os.environ, "TZ": zone, "PYTHONHASHSEED": seed}
        subprocess.run([*command, "--scheduler", "sync"], env=environment, check=True)
        found.append(_digests(out))
    assert found[0] == found[1]


def test_duplicates_deletions_and_contradictions_are_told_apart(tmp_path):
    posts = tmp_path / "posts.jsonl"
    posts.write_text(
        V1 % (1, "one", 1)
        + V1 % (2, "two", 1)
        + V1 % (1, "one", 1)
        + '{"delete":{"status":{"id_str":"2","user_id_str":"u1"}}}\n'
        + '{"limit":{"track":5}}\n\nnull\n{broken\n'
    )
    _extract(posts, out=tmp_path / "f", format="twitter-v1", min_posts=1)
    entry = _check_accounts(tmp_path / "f")["inputs"][0]
    assert entry["records"] == 1
    assert entry["non_records"]["duplicate"] == 1
    assert entry["non_records"]["deleted"] == 1
    assert sum(entry["quarantined"].values()) >= 1
    quarantine = pq.read_table(tmp_path / "f" / "quarantine").to_pylist()
    assert 8 in [row["line"] for row in quarantine]
    assert "broken" not in json.dumps(quarantine)


def test_contradicting_labels_go_to_quarantine(tmp_path):
    table = tmp_path / "posts.csv"
    table.write_text("id,text,label\n1,a,x\n1,a,y\n2,b,x\n3,c,y\n")
    _extract(
        table,
        out=tmp_path / "f",
        format="csv",
        text_column="text",
        label_column="label",
        id_column="id",
    )
    manifest = _check_accounts(tmp_path / "f")
    assert manifest["totals"]["records"] == 2
    assert manifest["totals"]["quarantined"] == {"conflicting_labels": 2}
    assert manifest["level"] == "post"
    assert not (tmp_path / "f" / "users").exists()


def test_an_empty_file_among_others_counts_no_lines(tmp_path):
    (tmp_path / "a.jsonl").write_text("")
    (tmp_path / "b.jsonl").write_text(V1 % (1, "one", 1))
    _extract(tmp_path / "*.jsonl", out=tmp_path / "f", format="twitter-v1", min_posts=1)
    entries = _check_accounts(tmp_path / "f")["inputs"]
    assert [entry["lines"] for entry in entries] == [0, 1]


def test_users_of_few_posts_are_listed_with_the_reason(tmp_path):
    lines = [V1 % (number, "hello", 1) for number in range(7)] + [V1 % (9, "alone", 2)]
    (tmp_path / "posts.jsonl").write_text("".join(lines))
    _extract(tmp_path / "posts.jsonl", out=tmp_path / "f", format="twitter-v1")
    assert pq.read_table(tmp_path / "f" / "users")["user_id"].to_pylist() == ["u1"]
    dropped = pq.read_table(tmp_path / "f" / "dropped").to_pylist()
    assert [(row["user_id"], row["n_posts"]) for row in dropped] == [("u2", 1)]


@pytest.mark.parametrize(
    ("make", "options", "message"),
    [
        (lambda f: f / "none.jsonl", {}, "no such file"),
        (lambda f: f / "*.nothing", {}, "no file matches"),
        (lambda f: f / "empty", {}, "holds no posts"),
        (lambda f: f / "a.csv", {"format": "csv", "text_column": "tweet"}, "tweet"),
        (lambda f: f / "a.csv", {"format": "cvs"}, "not known"),
        (lambda f: f / "a.csv", {"format": "csv", "night": "late"}, "night"),
        (lambda f: f / "a.csv", {"format": "csv", "timezone": "Mars/Base"}, "Mars/Base"),
        (lambda f: f / "header.csv", {"format": "csv"}, "no record"),
    ],
)
def test_what_cannot_be_read_is_one_clear_sentence_and_writes_nothing(
    make, options, message, tmp_path
):
    (tmp_path / "empty").mkdir()
    (tmp_path / "a.csv").write_text("text,label\nhello,1\n")
    (tmp_path / "header.csv").write_text("text\n")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=message) as caught:
        _extract(make(tmp_path), out=tmp_path / "out", **options)
    assert caught.value.exit_code == 2
    assert sorted(tmp_path.rglob("*")) == before


def test_a_folder_of_somebody_else_is_never_replaced(tmp_path):
    (tmp_path / "a.csv").write_text("text\nhello\n")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "thesis.txt").write_text("precious")
    with pytest.raises(InputError, match="not made by whybox"):
        _extract(tmp_path / "a.csv", out=tmp_path / "out", format="csv")
    assert (tmp_path / "out" / "thesis.txt").read_text() == "precious"


def test_too_much_quarantine_degrades_and_does_not_publish(tmp_path):
    lines = [V1 % (number, "hello", 1) for number in range(1000)] + ["{broken\n"] * 20
    (tmp_path / "posts.jsonl").write_text("".join(lines))
    outcome = _extract(tmp_path / "posts.jsonl", out=tmp_path / "f", format="twitter-v1")
    assert (outcome.status, outcome.exit_code) == ("degraded", 1)
    assert not (tmp_path / "f" / "manifest.json").exists()
    _check_accounts(tmp_path / "f" / "degraded")
    again = _extract(
        tmp_path / "posts.jsonl", out=tmp_path / "f", format="twitter-v1", max_quarantine=0.1
    )
    assert again.status == "done"
    _check_accounts(tmp_path / "f")


def test_a_cut_gzip_fails_the_run_unless_it_is_to_be_salvaged(tmp_path):
    whole = gzip.compress("".join(V1 % (n, f"t{7919 * n}", 1) for n in range(20000)).encode())
    (tmp_path / "trunc.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(RunError, match="whole lines"):
        _extract(tmp_path / "trunc.jsonl.gz", out=tmp_path / "f", format="twitter-v1")
    assert not (tmp_path / "f").exists()
    _extract(tmp_path / "trunc.jsonl.gz", out=tmp_path / "f", format="twitter-v1", salvage=True)
    manifest = _check_accounts(tmp_path / "f")
    assert manifest["inputs"][0]["partial"] is True
    assert manifest["totals"]["records"] > 5000


def _misspelt(tmp_path: Path) -> Path:
    path = tmp_path / "posts.jsonl"
    texts = ["a happpy morninng", "misarable wether", "happy morning"] * 4
    path.write_text("".join(V1 % (i, text, i % 2) for i, text in enumerate(texts)), "utf-8")
    return path


def test_spelling_is_corrected_on_request_alike_here_and_on_workers(tmp_path, cluster_address):
    path = _misspelt(tmp_path)
    options = {"format": "twitter-v1", "spelling": "symspell"}
    _extract(path, out=tmp_path / "as-written", format="twitter-v1")
    _extract(path, out=tmp_path / "sync", **options)
    config = ExtractConfig(inputs=(str(path),), out=tmp_path / "workers", **options)
    with connect(cluster_address) as session:
        extract.run(config, session=session)
    assert _digests(tmp_path / "sync") == _digests(tmp_path / "workers")
    found = {}
    for name in ("as-written", "sync"):
        users = pq.read_table(tmp_path / name / "users").to_pydict()
        words = pq.read_table(tmp_path / name / "documents" / "vocabulary.parquet").to_pydict()
        found[name] = (users["positive_words"], users["negative_words"], words)
    assert found["as-written"][:2] == ([1 / 3] * 2, [0.0] * 2)
    assert found["sync"][:2] == ([2 / 3] * 2, [1 / 3] * 2)
    recipe = _manifest(tmp_path / "sync")["recipe"]
    assert (recipe["spelling"], len(recipe["spelling_sha256"])) == ("symspell", 64)


def test_a_corrector_that_does_not_exist_is_refused_before_anything_is_written(tmp_path):
    with pytest.raises(InputError, match=r"'guess'.*symspell"):
        _extract(_misspelt(tmp_path), out=tmp_path / "out", spelling="guess")
    assert not (tmp_path / "out").exists()


def test_anchors_can_be_left_out(timelines, tmp_path):
    _extract(timelines, out=tmp_path / "f", drop_anchors=True)
    manifest = _check_accounts(tmp_path / "f")
    assert manifest["totals"]["non_records"]["anchor"] > 96
    posts = pq.read_table(tmp_path / "f" / "posts")
    assert not any(posts["anchor"].to_pylist())


def test_the_bytes_do_not_depend_on_the_threads_of_a_worker(in_this_process, timelines, tmp_path):
    from distributed import Client, LocalCluster

    from whybox.graph.session import Session

    # threads of this process: they share its modules, as the threads of one worker do
    with (
        LocalCluster(
            n_workers=1, threads_per_worker=4, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        config = ExtractConfig(
            inputs=(str(timelines),),
            out=tmp_path / "features",
            allow_text="a test of equal bytes",
        )
        extract.run(config, session=Session(client))
    assert _digests(tmp_path / "features") == in_this_process
