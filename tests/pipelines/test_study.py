"""From features to a model, scores and a report: the same wherever it runs, and honest about it."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

from scored import read_scores, scores_digest, touched
from whybox.config import ExplainConfig, ExtractConfig, InspectConfig, ScoreConfig, TrainConfig
from whybox.errors import InputError, RunError
from whybox.model_io import load_card, load_model, load_validation, save_model
from whybox.pipelines import explain, extract, inspect, score, train

SMALL = {"n_estimators": 10, "cv": "3", "scheduler": "sync"}


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _table(path: Path, **columns) -> str:
    pd.DataFrame(columns).to_csv(path, index=False)
    return str(path)


@pytest.fixture
def two_classes(tmp_path):
    random = np.random.default_rng(0)
    y = np.repeat(["no", "yes"], 40)
    return _table(tmp_path / "t.csv", a=random.normal(size=80) + (y == "yes"), b=y == "no", y=y)


def test_the_model_and_the_scores_are_the_same_bytes_in_this_process(study, features, tmp_path):
    out, _ = study
    config = TrainConfig(
        source=str(features),
        out=tmp_path / "model.whybox",
        n_estimators=20,
        cv="3",
        contact="the tests",
        scheduler="sync",
    )
    train.run(config)
    assert _sha256(tmp_path / "model.whybox") == _sha256(out / "model.whybox")
    for partitions in (1, 2, 7):
        target = tmp_path / f"scores{partitions}"
        score.run(
            ScoreConfig(
                model=out / "model.whybox",
                source=str(features),
                out=target,
                rows="unlabelled",
                scheduler="sync",
                partitions=partitions,
            )
        )
        assert scores_digest(target) == scores_digest(out / "scores")


def test_the_figures_stand_beside_peers_and_the_majority(study):
    _, trained = study
    rows = {row["model"]: row for row in trained.values["figures"]}
    assert {"cbpt", "hist-gradient-boosting", "majority"} <= set(rows)
    assert rows["majority"]["auc_mean"] == 0.5
    assert rows["cbpt"]["auc_mean"] > 0.6


def test_the_card_tells_what_the_model_is_for(study, features):
    card = load_card(study[0] / "model.whybox")
    manifest = json.loads((features / "manifest.json").read_text("utf-8"))
    assert card["contact"] == "the tests"
    assert card["recipe"] == manifest["recipe"]
    assert card["data"]["positive"] == "positive"
    assert any("diagnos" in line.lower() for line in card["out_of_scope"])
    assert card["figures"]["models"][0]["model"] == "cbpt"


def test_out_of_fold_scores_are_kept_in_no_order_of_people(study):
    found = load_validation(study[0] / "model.whybox")
    assert np.all(np.diff(found["scores"]) >= 0)
    assert found["positive"].sum() > 0


def test_every_unlabelled_user_is_scored_or_abstained_with_a_reason(study, features):
    scores = read_scores(study[0] / "scores").to_pandas()
    users = pq.read_table(features / "users").to_pandas()
    assert len(scores) == users["label"].isna().sum()
    decided = scores["decision"].notna()
    assert (decided ^ scores["abstention"].notna()).all()
    assert scores["user"].str.fullmatch("[0-9a-f]{32}").all()
    assert not set(scores["user"]) & set(users["user_id"])
    answer = np.where(scores["probability"] >= 0.5, "positive", "negative")
    assert (scores["decision"] == answer)[decided].all()


def test_the_same_scores_again_touch_no_file(study, features):
    out = study[0] / "scores"
    before = touched(out)
    outcome = score.run(
        ScoreConfig(
            model=study[0] / "model.whybox",
            source=str(features),
            out=out,
            rows="unlabelled",
            scheduler="sync",
        )
    )
    assert outcome.status == "already done"
    assert touched(out) == before


def test_users_of_few_posts_are_listed_as_abstentions(study, timelines, tmp_path):
    config = ExtractConfig(
        inputs=(str(timelines),), out=tmp_path / "f", min_posts=7, scheduler="sync"
    )
    extract.run(config)
    train.run(TrainConfig(source=str(tmp_path / "f"), out=tmp_path / "m.whybox", **SMALL))
    scored = score.run(
        ScoreConfig(
            model=tmp_path / "m.whybox",
            source=str(tmp_path / "f"),
            out=tmp_path / "s",
            scheduler="sync",
        )
    )
    dropped = pq.read_table(tmp_path / "f" / "dropped").num_rows
    assert dropped > 0
    assert scored.values["abstentions"]["too few posts"] == dropped
    assert scored.values["users"] == 120


def test_features_of_another_recipe_are_refused(study, timelines, tmp_path):
    extract.run(
        ExtractConfig(
            inputs=(str(timelines),), out=tmp_path / "f", night="22:00-06:00", scheduler="sync"
        )
    )
    with pytest.raises(InputError, match=r"recipe_mismatch.*night"):
        score.run(
            ScoreConfig(
                model=study[0] / "model.whybox",
                source=str(tmp_path / "f"),
                out=tmp_path / "s",
                scheduler="sync",
            )
        )


def test_a_model_without_a_card_scores_nobody(study, features, tmp_path):
    save_model(load_model(study[0] / "model.whybox"), tmp_path / "m.whybox")
    with pytest.raises(InputError, match="no card"):
        score.run(
            ScoreConfig(model=tmp_path / "m.whybox", source=str(features), out=tmp_path / "s")
        )


def test_the_report_has_pictures_and_asks_for_nothing_outside(study):
    page = (study[0] / "report.html").read_text("utf-8")
    assert len(re.findall("<svg|<img", page)) >= 4
    links = re.findall(r"""(?:src|href)\s*=\s*["']([^"']+)|url\(([^)]+)\)""", page)
    targets = [a or b for a, b in links]
    assert not [target for target in targets if not target.strip("'\"").startswith(("#", "data:"))]
    assert "@import" not in page
    assert "<script" not in page
    assert "typical of those" in page


@pytest.mark.browser
def test_the_report_opens_in_a_browser(study, tmp_path):
    import subprocess

    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("no Chromium on this machine")
    flags = "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --dump-dom"
    flags += " --disable-background-networking --disable-component-update --disable-sync"
    done = subprocess.run(
        [
            chromium,
            *flags.split(),
            f"--user-data-dir={tmp_path}",
            (study[0] / "report.html").as_uri(),
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )
    assert done.stdout.count("<svg") + done.stdout.count("<img") >= 4
    assert "How it decides" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "z"}, "there is no column 'z'"),
        ({"target": "a"}, "no class label"),
        ({"target": "y", "features": ("c",)}, "there is no column 'c'"),
        ({"target": "y", "classes": ("no",)}, "at least 2 are needed"),
        ({"target": "y", "positive": "maybe"}, "no row is 'maybe'"),
        ({"target": "y", "model": "forest"}, "no model 'forest'"),
        ({"target": "y", "threshold": "high"}, "says no threshold"),
        ({"target": "y", "cv": "one"}, "one"),
    ],
)
def test_what_cannot_be_learnt_is_told_clearly(two_classes, tmp_path, options, message):
    with pytest.raises(InputError, match=re.escape(message)):
        train.run(
            TrainConfig(source=two_classes, out=tmp_path / "m.whybox", **{**SMALL, **options})
        )
    assert not (tmp_path / "m.whybox").exists()


def test_infinite_values_name_their_column(tmp_path):
    source = _table(tmp_path / "t.csv", a=[1.0, np.inf] * 10, y=["x", "y"] * 10)
    with pytest.raises(InputError, match="columns a hold infinite"):
        train.run(TrainConfig(source=source, target="y", out=tmp_path / "m.whybox", **SMALL))


def test_rows_without_a_label_are_left_out_and_counted(tmp_path):
    source = _table(tmp_path / "t.csv", a=range(43), y=["x", "y"] * 20 + [None] * 3)
    outcome = train.run(TrainConfig(source=source, target="y", out=tmp_path / "m.whybox", **SMALL))
    assert (outcome.values["rows"], outcome.values["rows_without_label"]) == (40, 3)


def test_a_column_that_counts_the_rows_is_pointed_out(tmp_path):
    source = _table(tmp_path / "t.csv", Id=range(1, 41), a=[0.5, 1.5] * 20, y=["x", "y"] * 20)
    outcome = train.run(TrainConfig(source=source, target="y", out=tmp_path / "m.whybox", **SMALL))
    assert any("column Id: it counts the rows" in line for line in outcome.lines)


def test_groups_stay_together_and_the_card_says_so(tmp_path):
    random = np.random.default_rng(1)
    groups = np.repeat(np.arange(12), 5)
    source = _table(tmp_path / "t.csv", a=random.normal(size=60), g=groups, y=groups % 2)
    train.run(TrainConfig(source=source, target="y", group="g", out=tmp_path / "m.whybox", **SMALL))
    card = load_card(tmp_path / "m.whybox")
    assert card["figures"]["grouped_by"] == "g"
    assert card["features"] == ["a"]


def test_without_figures_the_card_says_so_and_scores_all_the_same(two_classes, tmp_path):
    model = tmp_path / "m.whybox"
    train.run(TrainConfig(source=two_classes, target="y", out=model, **{**SMALL, "cv": "0"}))
    assert "not cross-validated" in load_card(model)["figures"]
    config = ScoreConfig(model=model, source=two_classes, out=tmp_path / "s", scheduler="sync")
    assert score.run(config).values["users"] == 80


def test_many_classes_are_trained_and_told(tmp_path):
    random = np.random.default_rng(2)
    y = np.repeat(["a", "b", "c"], 20)
    source = _table(tmp_path / "t.csv", v=random.normal(size=60) + (y == "b") * 3, y=y)
    outcome = train.run(TrainConfig(source=source, target="y", out=tmp_path / "m.whybox", **SMALL))
    assert outcome.values["classes"] == {"a": 20, "b": 20, "c": 20}
    assert load_card(tmp_path / "m.whybox")["data"]["positive"] is None


def test_inspect_tells_of_models_and_folders(study, features):
    model = inspect.run(InspectConfig(path=study[0] / "model.whybox"))
    assert model.values["trees"] == 20
    folder = inspect.run(InspectConfig(path=features))
    assert folder.values["kind"] == "features"
    with pytest.raises(InputError, match="no folder that whybox wrote"):
        inspect.run(InspectConfig(path=study[0]))


def test_unlabelled_users_of_few_posts_are_listed_and_labelled_ones_are_not(study, tmp_path):
    post = '{"id_str":"%s","text":"hello","user":{"id_str":"%s"}}\n'
    for label, user, posts in (("positive", "a", 2), (None, "b", 2), (None, "c", 9)):
        place = f"labeled/{label}" if label else "unlabeled"
        folder = tmp_path / "set" / place / "data" / "timeline"
        folder.mkdir(parents=True, exist_ok=True)
        lines = [post % (f"{ord(user)}{n}", user) for n in range(posts)]
        (folder / f"{user}created_at1.json").write_text("".join(lines))
    features = tmp_path / "features"
    extract.run(ExtractConfig(inputs=(str(tmp_path / "set"),), out=features, scheduler="sync"))
    scored = score.run(
        ScoreConfig(
            model=study[0] / "model.whybox",
            source=str(features),
            out=tmp_path / "scores",
            rows="unlabelled",
            scheduler="sync",
        )
    )
    assert scored.values["users"] == 2
    assert scored.values["abstentions"]["too few posts"] == 1


def test_a_feature_that_no_row_has_is_left_out_and_told(tmp_path):
    source = _table(tmp_path / "t.csv", a=[0.5, 1.5] * 20, b=[None] * 40, y=["x", "y"] * 20)
    outcome = train.run(TrainConfig(source=source, target="y", out=tmp_path / "m.whybox", **SMALL))
    assert outcome.values["features"] == ["a"]
    assert any("not used" in line and "b" in line for line in outcome.lines)
    config = ScoreConfig(
        model=tmp_path / "m.whybox", source=source, out=tmp_path / "s", scheduler="sync"
    )
    assert score.run(config).values["scored"] == 40


def test_a_report_that_cannot_be_written_is_told_and_leaves_nothing(study, features, tmp_path):
    (tmp_path / "taken").mkdir()
    config = ExplainConfig(
        model=study[0] / "model.whybox",
        source=str(features),
        out=tmp_path / "taken",
        scheduler="sync",
    )
    with pytest.raises(RunError, match="the report cannot be written: Is a directory"):
        explain.run(config)
    assert [path.name for path in tmp_path.iterdir()] == ["taken"]
