"""Reports, descriptions and exports of decompositions say what the models do, and nothing private."""

from __future__ import annotations

import json
import re
import sqlite3
from html import escape
from itertools import chain

import numpy as np
import pytest

from made_passengers import EVIL, passengers
from whybox.config import ExplainConfig, ExportConfig, InspectConfig, TrainConfig
from whybox.errors import InputError
from whybox.model_io import load_model, save_model
from whybox.pipelines import explain, export, inspect, train
from whybox.pipelines.families import FAMILIES, resolve

FEATURES = ["age", "deck", "sex", "port"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """passengers.csv, and models of a class and of a real outcome with their reports."""
    where = tmp_path_factory.mktemp("explained")
    passengers().to_csv(where / "passengers.csv", index=False)
    (where / "grid.toml").write_text("[s3d]\npenalty = [0.05, 0.005]\n")
    for target in ("survived", "paid"):
        train.run(
            TrainConfig(
                source=str(where / "passengers.csv"), target=target, model="s3d",
                features=tuple(FEATURES), grid=str(where / "grid.toml"), cv="2",
                out=where / f"{target}.whybox", scheduler="sync",
            )
        )  # fmt: skip
        explain.run(
            ExplainConfig(
                model=where / f"{target}.whybox", source=str(where / "passengers.csv"),
                out=where / f"{target}.html",
            )
        )  # fmt: skip
    return where


@pytest.mark.parametrize("target", ["survived", "paid"])
def test_a_report_is_one_page_with_the_pictures_of_a_decomposition(folder, target):
    page = (folder / f"{target}.html").read_text("utf-8")
    assert len(page) < 2_000_000
    assert "Shapley" not in page
    assert "trees" not in re.search(r'id="model">(.*?)</section>', page, re.DOTALL).group(1)
    for name in ("s3d-steps", "s3d-network", "hypercube-mean", "s3d-tuning", "s3d-curve"):
        assert f'<figure id="{name}' in page
    assert page.count('<svg role="img" aria-label="') == page.count("<svg")
    assert EVIL not in page
    assert (escape(EVIL) in page) == (target == "paid")  # which chooses the port
    assert not re.search(r"(src|href)=.https?:", page)


def test_a_report_of_classes_has_curves_and_one_of_outcomes_has_answers(folder):
    classes, outcomes = ((folder / f"{t}.html").read_text("utf-8") for t in ("survived", "paid"))
    assert '<figure id="roc"' in classes
    assert '<figure id="answers"' not in classes
    assert '<figure id="answers"' in outcomes
    assert '<figure id="roc"' not in outcomes
    assert '<h2 id="threshold">' in classes
    assert '<h2 id="threshold">' not in outcomes


def test_blocks_of_few_rows_are_not_listed(folder):
    model = load_model(folder / "survived.whybox")
    assert (model.grid_.weight[-1] < 5).any(), "the table must make such blocks"
    page = (folder / "survived.html").read_text("utf-8")
    listed = [int(n.replace(",", "")) for n in re.findall(r", N = ([\d,]+)", page)]
    assert len(listed) > 5
    assert min(listed) >= 5
    for table in re.findall(r'<figure id="hypercube.*?</figure>', page, re.DOTALL):
        rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", table, re.DOTALL)
        assert rows
        counts = [re.findall(r"<td>([^<]*)</td>", row)[-3] for row in rows]
        assert min(int(count.replace(",", "")) for count in counts) >= 5


def test_people_stand_under_pseudonyms_with_the_rule_that_answers(folder):
    page = (folder / "survived.html").read_text("utf-8")
    assert re.search(r"<dt><code>u-[0-9a-f]{8}</code></dt><dd>typical of those flagged\.", page)
    assert "Passenger" not in page


def test_rows_without_the_target_can_be_explained(folder, tmp_path):
    passengers().drop(columns=["survived", "paid"]).to_parquet(tmp_path / "new.parquet")
    out = explain.run(
        ExplainConfig(
            model=folder / "survived.whybox", source=str(tmp_path / "new.parquet"),
            out=tmp_path / "r.html", max_rows=50,
        )
    )  # fmt: skip
    assert out.values["rows_explained"] == 50
    assert "no label" in (tmp_path / "r.html").read_text("utf-8")


def test_inspect_shows_steps_cuts_and_rules(folder):
    found = inspect.run(InspectConfig(path=folder / "survived.whybox"))
    model = load_model(folder / "survived.whybox")
    steps = found.values["steps"]
    assert [step["feature"] for step in steps] == [
        model.feature_labels_[j] for j in model.selected_features_
    ]
    for step, cuts, j in zip(steps, model.splits_, model.selected_features_, strict=True):
        if j in model.categories_:
            assert list(chain(*step["categories"])) == model.categories_[j]
        else:
            assert step["cuts"] == cuts.tolist()
    assert sum(step["gain"] for step in steps) == pytest.approx(steps[-1]["r2"])
    assert all("have survived = yes, N = " in rule for rule in found.values["rules"])
    assert "features in the order of choice" in [table.title for table in found.tables]


def test_the_exported_sql_answers_as_the_model_does(folder, tmp_path):
    out = tmp_path / "deep" / "model.sql"
    export.run(ExportConfig(model=folder / "paid.whybox", to="sql", out=out))
    frame = passengers()
    with sqlite3.connect(":memory:") as database:
        frame.to_sql("t", database, index=False)
        rows = database.execute(f"SELECT {out.read_text('utf-8')} FROM t ORDER BY rowid")
        found = [row[0] for row in rows]
    expected = load_model(folder / "paid.whybox").predict(frame[FEATURES])
    np.testing.assert_array_equal(found, expected)


def test_the_exported_json_and_rules_are_those_of_the_model(folder, tmp_path):
    model = load_model(folder / "survived.whybox")
    for to in ("json", "rules"):
        path = tmp_path / to
        told = export.run(ExportConfig(model=folder / "survived.whybox", to=to, out=path))
        assert told.values["bytes"] == path.stat().st_size
    rules = json.loads((tmp_path / "json").read_text("utf-8"))
    assert rules["threshold"] == model.threshold_
    assert rules["rules"][-1]["when"] == []
    lines = (tmp_path / "rules").read_text("utf-8").splitlines()
    weight = model.grid_.weight[-1]
    n_small = int((weight < 5).sum())
    assert len(lines) == len(weight) - n_small + 2
    assert lines[-2].startswith(f"{n_small} blocks of fewer than 5 rows")


def test_what_cannot_be_exported_is_refused(folder, tmp_path):
    with pytest.raises(InputError, match=r"'onnx'.*json, sql, rules"):
        export.run(ExportConfig(model=folder / "paid.whybox", to="onnx", out=tmp_path / "m"))
    from whybox.baselines import MajorityClassifier

    save_model(MajorityClassifier().fit([[1.0], [2.0]], ["a", "b"]), tmp_path / "m.whybox")
    with pytest.raises(InputError, match="cannot be written as 'json'"):
        export.run(ExportConfig(model=tmp_path / "m.whybox", to="json", out=tmp_path / "m"))
    with pytest.raises(InputError, match="no report of a MajorityClassifier"):
        explain.run(
            ExplainConfig(model=tmp_path / "m.whybox", source="x.csv", out=tmp_path / "r.html")
        )


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.names[0])
def test_what_serves_a_family_can_be_imported(family):
    targets = [family.train, family.explain, family.describe, *family.exporters.values()]
    assert all(callable(resolve(target)) for target in targets if target is not None)
