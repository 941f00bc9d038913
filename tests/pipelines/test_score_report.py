"""The page of a version of scores: what it tells of people, and that it is one of the version's files."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from scored import make_crawl, make_model, read_scores
from whybox.cbpt import CBPTClassifier
from whybox.config import ScoreConfig, TrainConfig
from whybox.errors import InputError
from whybox.model_io import load_card, load_model, save_model
from whybox.pipelines import score, train
from whybox.pipelines.score_people import read_people

EVIL = "<script>alert(1)</script>"
PARTS = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A table with a feature of an evil name, and a cross-validated model of it."""
    folder = tmp_path_factory.mktemp("report")
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.uniform(size=(120, 3)), columns=[EVIL, "night", "posts"])
    y = np.where(X[EVIL] + 0.6 * rng.uniform(size=120) > 0.9, "yes", "no")
    table = X.assign(user_id=[f"person{n}" for n in range(120)], label=y)
    table.to_csv(folder / "t.csv", index=False)
    table.iloc[20:].assign(night=1 - X["night"]).to_csv(folder / "later.csv", index=False)
    train.run(
        TrainConfig(
            source=str(folder / "t.csv"),
            out=folder / "m.whybox",
            features=(EVIL, "night", "posts"),
            n_estimators=6,
            cv="2",
            scheduler="sync",
        )
    )
    return folder


def scored(folder, out, source="t.csv", **options):
    given = {"scheduler": "sync", "parts": PARTS, "model": folder / "m.whybox", **options}
    return score.run(ScoreConfig(source=(str(folder / source),), out=str(out), **given))


def page_of(out):
    return (out / "current" / "report.html").read_text("utf-8")


@pytest.fixture(scope="module")
def quiet(folder):
    """Two versions, one behind the other."""
    out = folder / "quiet"
    scored(folder, out)
    scored(folder, out, "later.csv", base_rate=0.05)
    return out


def test_reasons_and_the_review_list_are_those_of_a_plain_look_at_all_rows(quiet):
    rows = read_scores(quiet).to_pylist()
    flagged = [row["reasons"] for row in rows if row["decision"] == "yes"]
    among = Counter(reason["feature"] for reasons in flagged for reason in reasons)
    first = Counter(reasons[0]["feature"] for reasons in flagged if reasons)
    up = Counter(r["feature"] for reasons in flagged for r in reasons if r["shap"] > 0)
    found = read_people((quiet / "current" / "scores").glob("*.parquet"), "yes")
    assert flagged
    assert [each.feature for each in found.reasons] == sorted(
        among, key=lambda name: (-among[name], -first[name], name)
    )
    for each in found.reasons:
        assert (each.among, each.first) == (among[each.feature], first[each.feature])
        assert (each.raised, each.lowered) == (
            up[each.feature], among[each.feature] - up[each.feature],
        )  # fmt: skip
    silent = [row for row in rows if row["abstention"]]
    order = ["near threshold", "unlike the training rows", "out of range"]
    silent.sort(key=lambda r: (order.index(r["abstention"]), -r["probability"], r["user"]))
    assert [row[0] for row in found.review] == [f"u-{row['user'][:8]}" for row in silent][:50]


def test_the_review_list_is_cut_at_fifty_the_likeliest_of_all_parts(tmp_path, quiet):
    schema = pq.read_schema(next((quiet / "current" / "scores").iterdir()))
    rng = np.random.default_rng(0)
    users = [
        {"user": f"{n:032x}", "probability": p, "abstention": "near threshold", "reasons": [],
         "model": "", "input": ""}
        for n, p in enumerate(rng.uniform(size=300).tolist())
    ]  # fmt: skip
    import pyarrow as pa

    for part in range(3):
        table = pa.Table.from_pylist(users[part::3], schema=schema)
        pq.write_table(table, tmp_path / f"{part}.parquet")
    found = read_people(tmp_path.glob("*.parquet"), "yes")
    best = sorted(users, key=lambda row: -row["probability"])[:50]
    assert [row[0] for row in found.review] == [f"u-{row['user'][:8]}" for row in best]
    assert found.reasons == []


def test_the_page_is_a_file_of_the_version_under_its_hash(quiet):
    manifest = json.loads((quiet / "manifest.json").read_text("utf-8"))
    (entry,) = [part for part in manifest["parts"] if part["path"] == "report.html"]
    data = (quiet / "current" / "report.html").read_bytes()
    assert entry["sha256"] == hashlib.sha256(data).hexdigest()
    assert len(data) < 200_000


@pytest.mark.parametrize("partitions", [1, 7])
def test_the_page_has_the_same_bytes_for_any_partitions(folder, quiet, tmp_path, partitions):
    scored(folder, tmp_path / "out", partitions=partitions)
    scored(folder, tmp_path / "out", "later.csv", partitions=partitions, base_rate=0.05)
    assert page_of(tmp_path / "out") == page_of(quiet)


def test_a_page_that_was_spoilt_is_written_again(folder, quiet, tmp_path):
    scored(folder, tmp_path / "out")
    whole = page_of(tmp_path / "out")
    (tmp_path / "out" / "current" / "report.html").write_text("gone")
    assert scored(folder, tmp_path / "out").status == "done"
    assert page_of(tmp_path / "out") == whole
    assert scored(folder, tmp_path / "out").status == "already done"


def test_names_are_escaped_and_no_user_is_named(quiet):
    page = page_of(quiet)
    assert EVIL not in page
    assert "&lt;script&gt;" in page
    assert not re.search(r"person\d", page)
    assert not re.search(r"https?:", page)


def test_users_and_answers_are_held_against_the_version_before(folder, quiet):
    manifest = json.loads((quiet / "manifest.json").read_text("utf-8"))
    folders = [quiet / "versions" / manifest[name] / "scores" for name in ("previous", "name")]
    before, now = (
        {row["user"]: row["decision"] or "no answer" for row in pq.read_table(part).to_pylist()}
        for part in folders
    )
    stayed = before.keys() & now.keys()
    moved = Counter((before[user], now[user]) for user in stayed if before[user] != now[user])
    found = json.loads((quiet / "current" / "drift.json").read_text("utf-8"))
    assert found["users"] == {"gone": 20, "new": 0, "stayed": 100}
    assert moved
    assert {(row["before"], row["now"]): row["users"] for row in found["changes"]} == moved
    assert "Users whose answer is another one now." in page_of(quiet)


def test_another_number_of_parts_changes_nothing_of_what_is_told(folder, quiet, tmp_path):
    scored(folder, tmp_path / "out", parts=3)
    scored(folder, tmp_path / "out", "later.csv", base_rate=0.05)
    drift = [json.loads((out / "current" / "drift.json").read_text()) for out in
             (quiet, tmp_path / "out")]  # fmt: skip
    assert drift[0] == drift[1]


def test_flags_are_worth_what_bayes_says_at_the_stated_base_rate(folder, quiet):
    from whybox.model_selection.metrics import precision_at_base_rate

    figures = load_card(folder / "m.whybox")["appraisal"]["figures"]
    right = precision_at_base_rate(figures["sensitivity"][0], figures["specificity"][0], 0.05)
    flagged = json.loads((quiet / "manifest.json").read_text())["counts"]["decisions"]["yes"]
    page = page_of(quiet)
    assert f"Of the {flagged} flagged here" in page
    row = re.search(r"5\.0 % \(stated\)</th><td>(\d+)</td>", page)
    assert int(row.group(1)) == round(flagged * right)


def test_figures_of_another_threshold_are_not_told(folder, tmp_path):
    scored(folder, tmp_path / "out", threshold=0.7)
    page = page_of(tmp_path / "out")
    assert "tell nothing of flags at another one" in page
    assert "given for this run" in page
    assert "sensitivity" not in re.search(r'id="worth".*?</section>', page, re.S).group()


def test_features_that_drifted_too_far_are_named_in_the_first_paragraph(folder, tmp_path):
    assert scored(folder, tmp_path / "out", "later.csv", max_drift=0.0).status == "degraded"
    lead = re.search(r'<p class="lead">(.*?)</p>', page_of(tmp_path / "out"), re.S).group(1)
    assert "by more than was allowed: &lt;script&gt;" in lead and "night" in lead


def test_no_report_is_no_file_and_another_run(folder, quiet, tmp_path):
    scored(folder, tmp_path / "out", report=False)
    assert not (tmp_path / "out" / "current" / "report.html").exists()
    assert scored(folder, tmp_path / "out", report=False).status == "already done"
    assert scored(folder, tmp_path / "out").status == "done"
    assert (tmp_path / "out" / "current" / "report.html").exists()


def test_what_is_no_base_rate_is_refused_before_anything_runs(folder, tmp_path):
    with pytest.raises(InputError, match="a base rate of 5"):
        scored(folder, tmp_path / "out", base_rate=5)
    assert not (tmp_path / "out").exists()


def test_every_line_of_raw_posts_is_accounted_for_and_no_text_is_told(tmp_path):
    crawl = make_crawl(tmp_path / "crawl")
    post = {"id_str": "1", "text": "zqcanary kookaburra", "user": {"id_str": "zqperson"}}
    lines = [json.dumps(post), '{"text": "zqbroken', ""]
    crawl[0].write_text(crawl[0].read_text("utf-8") + "\n".join(lines) + "\n", "utf-8")
    given = {"scheduler": "sync", "parts": PARTS, "model": make_model(tmp_path / "m.whybox")}
    score.run(ScoreConfig(source=tuple(map(str, crawl)), out=str(tmp_path / "out"), **given))
    page = page_of(tmp_path / "out")
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))
    lines = sum(entry["lines"] for entry in manifest["inputs"])
    assert f"{lines} lines came in from 6 files" in page
    assert "blank: 1" in page and "not_json" in page
    assert "was not measured when the model was trained" in page
    for word in ("zqcanary", "kookaburra", "zqperson", "zqbroken"):
        assert word not in page


def test_a_model_of_rules_has_its_rules_as_reasons(tmp_path):
    from whybox.s3d import S3DClassifier

    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"age": rng.uniform(18, 80, 200)})
    y = np.where(frame["age"] > 40, "yes", "no")
    data = {"target": "y", "positive": "yes", "low": [18.0], "high": [80.0]}
    card = {"features": ["age"], "recipe": {}, "threshold": {"value": 0.5}, "data": data}
    save_model(S3DClassifier().fit(frame, y), tmp_path / "m.whybox", card=card)
    frame.to_csv(tmp_path / "t.csv", index=False)
    scored(tmp_path, tmp_path / "out")
    page = page_of(tmp_path / "out")
    assert re.search(r"<th scope=\"row\">[^<]*age[^<]*</th><td>\d+</td><td>\d+</td></tr>", page)
    assert "lowers it" not in page


def test_users_of_a_model_that_knows_nothing_are_told_of_all_the_same(tmp_path):
    """No user at all, and a card of the least."""
    X = pd.DataFrame({"a": [0.0, 1.0] * 10})
    data = {"target": "y", "positive": "yes", "low": [0.0], "high": [1.0]}
    card = {"features": ["a"], "recipe": {}, "threshold": {"value": 0.5}, "data": data}
    model = CBPTClassifier(2, random_state=0).fit(X, ["no", "yes"] * 10)
    save_model(model, tmp_path / "m.whybox", card=card)
    assert load_model(tmp_path / "m.whybox") is not None
    X.assign(y="no").to_csv(tmp_path / "t.csv", index=False)
    scored(tmp_path, tmp_path / "out", rows="unlabelled")
    page = page_of(tmp_path / "out")
    assert "Scores of 0 users" in page
    assert "<svg" not in page
