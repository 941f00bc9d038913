"""What a card says its figures are worth, from the command's options to the report's tables."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from whybox.config import ExplainConfig, TrainConfig
from whybox.errors import InputError
from whybox.model_io import load_card
from whybox.pipelines import explain, train


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A table in which one group's labels are guesses, and one group is small."""
    rng = np.random.default_rng(0)
    region = np.repeat(["north", "south", "tiny"], [120, 120, 6])
    signal = rng.normal(size=len(region))
    label = np.where(region == "south", rng.random(len(region)) < 0.4, signal > 0.3)
    frame = pd.DataFrame(
        {
            "friends": rng.integers(1, 90, len(region)),
            "negative_words": np.round(signal + 0.05 * rng.normal(size=len(region)), 3),
            "region": region,
            "label": np.where(label, "yes", "no"),
        }
    )
    path = tmp_path_factory.mktemp("people") / "people.csv"
    frame.sample(frac=1, random_state=0).to_csv(path, index=False)
    return path


def trained(source, out, **options):
    config = TrainConfig(
        source=str(source), out=out, n_estimators=8, cv="3", scheduler="sync", **options
    )
    train.run(config)
    return load_card(out)


@pytest.fixture(scope="module")
def study(people, tmp_path_factory):
    """A card, and the words of the report that was written with the model."""
    out = tmp_path_factory.mktemp("appraised")
    card = trained(
        people, out / "m.whybox", subgroups=("region",), base_rate=0.05, report=out / "r.html"
    )
    page = (out / "r.html").read_text("utf-8")
    return (
        out,
        card,
        re.sub(r"<[^>]+>|\s+", " ", re.sub(r"<style.*?</style>", "", page, flags=re.S)),
    )


def test_the_group_that_is_guessed_is_seen_and_the_small_one_is_not_told_of(study):
    _, card, _ = study
    groups = {each["group"]: each for each in card["appraisal"]["subgroups"]["region"]}
    assert groups["north"]["sensitivity"][1] > groups["south"]["sensitivity"][2]
    assert groups["north"]["n_people"] == 120
    assert set(groups["tiny"].values()) == {"tiny", None}


def test_the_stated_base_rate_stands_first_and_gives_bayes_precision(study):
    _, card, words = study
    known = card["appraisal"]
    stated = known["base_rates"][0]
    hits = 0.05 * known["figures"]["sensitivity"][0]
    alarms = 0.95 * (1 - known["figures"]["specificity"][0])
    assert stated["about"] == "stated"
    assert stated["right_among_flagged"][0] == pytest.approx(hits / (hits + alarms))
    assert "5.0 % (stated)" in words


def test_the_card_says_in_words_what_was_measured(study):
    _, card, _ = study
    limits = " ".join(card["limits"])
    assert "expected calibration error" in limits and "compared by region" in limits


def test_rows_that_need_no_posts_stand_beside_the_model(study):
    _, card, words = study
    models = [row["model"] for row in card["figures"]["models"]]
    assert {"majority", "metadata-only", "keyword-only"} <= set(models)
    accuracy = {row["model"]: row["accuracy_mean"] for row in card["figures"]["models"]}
    assert accuracy["keyword-only"] > accuracy["metadata-only"] + 0.1
    assert "keyword-only" in words


def test_train_writes_a_report_with_every_part(study):
    *_, words = study
    for heading in (
        "How sure the figures are",
        "Where the positive class is rarer",
        "Group by group: region",
        "Votes against probabilities",
    ):
        assert heading in words


def test_another_base_rate_and_another_model_can_be_shown(study, people, tmp_path):
    out, _card, _ = study
    trained(people, tmp_path / "other.whybox", features=("friends",))
    config = ExplainConfig(
        model=out / "m.whybox",
        source=str(people),
        out=tmp_path / "r.html",
        base_rate=0.02,
        also=tmp_path / "other.whybox",
        scheduler="sync",
    )
    explain.run(config)
    page = (tmp_path / "r.html").read_text("utf-8")
    assert "2.0 % (stated)" in page and "5.0 % (stated)" not in page
    assert "the other model" in page


def test_chosen_users_are_explained_by_pseudonym(study, people, tmp_path):
    out, _, words = study
    shown = sorted(set(re.findall(r"u-[0-9a-f]{8}", words)))
    base = {"model": out / "m.whybox", "source": str(people), "scheduler": "sync"}
    explain.run(ExplainConfig(out=tmp_path / "r.html", users=(shown[0],), max_rows=20, **base))
    page = (tmp_path / "r.html").read_text("utf-8")
    assert set(re.findall(r"u-[0-9a-f]{8}", page)) == {shown[0]}
    with pytest.raises(InputError, match="no row of"):
        explain.run(ExplainConfig(out=tmp_path / "r.html", users=("u-00000000",), **base))


@pytest.mark.parametrize(
    ("options", "message"),
    [({"subgroups": ("planet",)}, "planet"), ({"base_rate": 1.0}, "base rate")],
)
def test_what_cannot_be_judged_by_is_refused(people, tmp_path, options, message):
    with pytest.raises(InputError, match=message):
        trained(people, tmp_path / "m.whybox", **options)


@pytest.fixture(scope="module")
def kinds(tmp_path_factory):
    """Three classes, of which two are alike, and a real outcome; a row twice is one person's."""
    rng = np.random.default_rng(1)
    kind = np.repeat(["calm", "glad", "sad"], [90, 60, 30])
    signal = rng.normal(np.where(kind == "calm", -2.0, 0.0) + 0.7 * (kind == "sad"), 1.0)
    frame = pd.DataFrame(
        {"signal": np.round(signal, 2), "noise": np.round(rng.normal(size=180), 2)}
    )
    frame["paid"] = np.round(20 + 6 * signal + rng.normal(size=180), 1)
    frame["region"] = np.where(np.arange(180) % 20 == 0, "tiny", "main")
    frame["person"] = np.arange(180) // 2
    frame["kind"] = kind
    path = tmp_path_factory.mktemp("kinds") / "kinds.csv"
    frame.to_csv(path, index=False)
    return path


def words_of(page):
    text = re.sub(r"<style.*?</style>", "", page.read_text("utf-8"), flags=re.S)
    return re.sub(r"<[^>]+>|\s+", " ", text)


@pytest.mark.parametrize("model", ["cbpt", "s3d"])
def test_more_than_two_classes_are_judged_together_each_and_by_group(kinds, tmp_path, model):
    card = trained(
        kinds, tmp_path / "m.whybox", model=model, target="kind", features=("signal", "noise"),
        subgroups=("region",), group="person", report=tmp_path / "r.html",
    )  # fmt: skip
    known, own = card["appraisal"], card["figures"]["models"][0]
    counts = np.array(known["counts"])
    assert counts.sum(axis=1).tolist() == [90, 60, 30]
    value, low, high = known["figures"]["accuracy"]
    assert value == pytest.approx(np.trace(counts) / 180)
    assert value == pytest.approx(own["accuracy_mean"], abs=0.02)  # folds of unlike sizes
    assert known["commonest"]["accuracy"] == 0.5 < low < value < high
    assert known["each"]["f1"][0][0] > known["each"]["f1"][2][0]
    groups = {each["group"]: each for each in known["subgroups"]["region"]}
    assert groups["tiny"] == {"group": "tiny", "n_people": None}
    assert groups["main"]["accuracy"][1] < value < groups["main"]["accuracy"][2]
    assert "expected calibration error" in " ".join(card["limits"])
    words = words_of(tmp_path / "r.html")
    for told in ("Who is taken for whom", "Class by class", "Cohen's kappa", "region"):
        assert told.replace("'", "&#39;") in words
    assert "F1, positive class" not in words


def test_real_outcomes_are_judged_with_intervals(kinds, tmp_path):
    card = trained(
        kinds, tmp_path / "m.whybox", model="s3d", target="paid", features=("signal", "noise"),
        group="person", report=tmp_path / "r.html",
    )  # fmt: skip
    known, own = card["appraisal"], card["figures"]["models"][0]
    assert known["people"] == 90
    for name, (value, low, high) in known["figures"].items():
        assert low < value < high
        assert value == pytest.approx(own[f"{name}_mean"], rel=0.2)
    words = words_of(tmp_path / "r.html")
    assert "Errors by tenths of the answers" in words
    assert "How sure the figures are" in words


def test_a_threshold_chosen_on_these_rows_is_told_and_a_given_one_is_not(study, people, tmp_path):
    chosen = trained(
        people, tmp_path / "m.whybox", threshold="youden", features=("friends", "negative_words")
    )
    assert chosen["appraisal"]["threshold_from_these_rows"]
    _, card, words = study
    assert not card["appraisal"]["threshold_from_these_rows"]
    assert "chosen on these very rows" not in words
