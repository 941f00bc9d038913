"""What a person wrote appears nowhere: no file of a run, no log, no task's name, no message."""

from __future__ import annotations

import io
import json
import logging
import zipfile

import pyarrow.parquet as pq
import pytest
from distributed import SchedulerPlugin

from whybox.config import ExplainConfig, ExtractConfig, InspectConfig, ScoreConfig, TrainConfig
from whybox.errors import WhyboxError
from whybox.graph.session import connect
from whybox.pipelines import explain, extract, inspect, score, train

CANARY = "zqcanary"
PHRASE = "kookaburra midnight"  # words that all write, and nobody together


def secret(user):
    """What one person alone wrote: a word without digits, which would be taken off."""
    own = CANARY + "".join(chr(97 + int(digit)) for digit in f"{user:02d}")
    return f"{own} {PHRASE}"


class TaskNames(SchedulerPlugin):
    """Keeps the names of all tasks, as a dashboard shows them."""

    name = "task-names"

    def __init__(self):
        self.seen = set()

    def transition(self, key, start, finish, *args, **kwargs):
        self.seen.add(str(key))


def watch(dask_scheduler):
    dask_scheduler.add_plugin(TaskNames())


def seen(dask_scheduler):
    names = dask_scheduler.plugins["task-names"].seen
    dask_scheduler.remove_plugin("task-names")
    return sorted(names)


def contents(path):
    """All that a file says: its bytes, and what is packed inside."""
    data = path.read_bytes()
    yield data
    if path.suffix == ".parquet":
        yield json.dumps(pq.read_table(path).to_pylist(), default=str).encode()
        yield str(pq.read_schema(path).metadata).encode()
    if zipfile.is_zipfile(io.BytesIO(data)):
        archive = zipfile.ZipFile(io.BytesIO(data))
        for name in archive.namelist():
            member = archive.read(name)
            yield name.encode() + member
            if zipfile.is_zipfile(io.BytesIO(member)):
                inner = zipfile.ZipFile(io.BytesIO(member))
                yield from (inner.read(part) for part in inner.namelist())


@pytest.fixture
def posts(tmp_path):
    """Thirty people's posts, and lines that cannot be understood."""
    path = tmp_path / "in" / "posts.jsonl"
    path.parent.mkdir()
    lines = [
        json.dumps(
            {
                "id": f"{user}-{post}",
                "who": f"person{user}",
                "class": "yes" if user % 2 else "no",
                "when": f"2024-05-0{post + 1}T03:00:00Z",
                "text": f"{'tired sad' if user % 2 else 'good'} {secret(user)}",
            }
        )
        for user in range(30)
        for post in range(6)
    ]
    lines += [f'{{"text": "{CANARY}99 is broken', f'"{CANARY}98 {PHRASE}"', '{"who": "person1"}']
    path.write_text("\n".join(lines) + "\n")
    return path


COLUMNS = {
    **{"format": "jsonl", "text_column": "text", "label_column": "class", "id_column": "id"},
    **{"user_column": "who", "time_column": "when"},
}


def test_a_canary_in_the_posts_is_in_no_output(tmp_path, posts, cluster_address, caplog, capfd):
    caplog.set_level(logging.DEBUG)
    out = tmp_path / "out"
    features, model, scores = out / "features", out / "model.whybox", out / "scores"
    table = {"source": str(features)}
    with connect(cluster_address) as session:
        session.client.run_on_scheduler(watch)
        shared = {"session": session}
        outcomes = [
            extract.run(
                ExtractConfig(inputs=(str(posts),), out=features, max_quarantine=0.5, **COLUMNS),
                **shared,
            ),
            train.run(TrainConfig(out=model, cv="2", n_estimators=4, topics=2, **table), **shared),
            score.run(ScoreConfig(model=model, out=scores, **table), **shared),
            explain.run(
                ExplainConfig(model=model, out=out / "r.html", scores=str(scores), **table),
                **shared,
            ),
            inspect.run(InspectConfig(path=features)),
            inspect.run(InspectConfig(path=model)),
        ]
        tasks = session.client.run_on_scheduler(seen)
    files = [path for path in out.rglob("*") if path.is_file()]
    said = [repr(outcomes).encode(), caplog.text.encode(), *map(str.encode, capfd.readouterr())]
    said += [name.encode() for name in tasks]
    said += [part for path in files for part in (str(path).encode(), *contents(path))]
    for part in said:
        assert CANARY.encode() not in part.lower() and PHRASE.encode() not in part.lower()
    assert len(files) > 10 and len(tasks) > 5
    assert any(b"tire" in part for part in said)  # what many wrote is there: the search can find


@pytest.mark.parametrize("column", ["text", "when"])
def test_messages_about_bad_input_quote_no_text(tmp_path, posts, column):
    """No line can be read, or a column that holds no texts is said to."""
    lines = [json.loads(line) for line in posts.read_text().splitlines()[:30]]
    bad = tmp_path / "bad.jsonl"
    bad.write_text("\n".join(json.dumps({**line, column: {"in": line["text"]}}) for line in lines))
    config = ExtractConfig(
        inputs=(str(bad),), out=tmp_path / "bad", scheduler="sync", max_quarantine=0, **COLUMNS
    )
    try:
        outcome = repr(extract.run(config))
    except WhyboxError as error:
        outcome = repr(error) + str(error) + repr(error.__cause__)
    assert CANARY not in outcome and PHRASE not in outcome
    for path in tmp_path.rglob("bad/**/*"):
        if path.is_file():
            assert not any(CANARY.encode() in part for part in contents(path)), path
