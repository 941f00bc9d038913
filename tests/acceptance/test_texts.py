"""A6 and A7: emoji in every form, and data that would be markup or a formula elsewhere."""

from __future__ import annotations

import csv
import io
import re
import unicodedata

import pyarrow.parquet as pq
import pytest

from whybox.config import CompareConfig, ExplainConfig, ScoreConfig, TrainConfig
from whybox.data.csvcells import csv_text, safe_cell
from whybox.pipelines import compare, explain, score, train
from whybox.text.cleaning import clean
from whybox.text.tokens import tokenize

EMOJI = "ok 👨‍👩‍👧 👍🏽 🇨🇦🇸🇮 1️⃣ ❤️ 🏳️‍🌈 😢😢😢😢😢 :-) :-* <3 مرحبا #وسم"
MARKUP = '<script>alert(1)</script> &amp;lt;b&amp;gt; =HYPERLINK("http://x","y")'


def write_csv(path, header, rows):
    """A CSV file as others write them."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, lineterminator="\n")
        writer.writerows([header, *rows])
    return path


def test_a6_emoji_and_emoticons_are_counted_as_they_are_seen(tmp_path, extracted):
    texts = [EMOJI, unicodedata.normalize("NFC", EMOJI), unicodedata.normalize("NFD", EMOJI)]
    path = write_csv(tmp_path / "emoji.csv", ["id", "text"], enumerate(texts))
    found = extracted(path, format="csv", text_column="text", id_column="id")
    rows = found.rows("posts")
    assert [(row["emoji_number"], row["emoticons"]) for row in rows] == [(12, 3)] * 3
    assert [row["text"] for row in rows] == texts
    for text in texts:
        assert sum(token.startswith("#") for token in tokenize(text)) == 1


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"),
        ("-1+1", "'-1+1"),
        ("\t=1", "'\t=1"),
        ("@x", "'@x"),
        ("+x", "'+x"),
        ("\0=1", "'\0=1"),
        ("\r=1", "'\r=1"),
        ("a=1", "a=1"),
        ("", ""),
        (-1.5, "-1.5"),
        (-3, "-3"),
        ("-1.5", "-1.5"),
    ],
)
def test_a7_cells_are_no_formulas_and_numbers_are_untouched(cell, expected):
    rows = list(csv.reader(io.StringIO(csv_text(["text"], [[cell]]), newline="")))
    assert rows == [["text"], [expected]]
    assert safe_cell(safe_cell(cell)) == safe_cell(cell)


def test_a7_nothing_in_the_data_is_alive_in_a_report(tmp_path, extracted):
    assert clean(MARKUP)[0].count("&lt;b&gt;") == 1
    names = ["=cmd|' /C calc'!A0", "<b>eve</b>"] + [f"user{n}" for n in range(30)]
    texts = [MARKUP, "-1+1", "\t=1"]
    rows = [
        (f"{user}-{n}", user, texts[n % 3] + " good" * (number % 2), label, f"2024-05-0{n + 1}")
        for number, user in enumerate(names)
        for n in range(6)
        for label in ["<i>yes</i>" if number % 2 else "=no"]
    ]
    path = write_csv(tmp_path / "markup.csv", ["id", "who", "text", "class", "when"], rows)
    found = extracted(
        path,
        **{"format": "csv", "text_column": "text", "label_column": "class"},
        **{"user_column": "who", "id_column": "id", "time_column": "when"},
    )
    assert sorted(row["user_id"] for row in found.rows("users")) == sorted(names)
    stems = pq.read_table(found.folder / "documents" / "vocabulary.parquet")["stem"].to_pylist()
    assert "good" in stems
    model, report, scores = (tmp_path / name for name in ("m.whybox", "r.html", "scores"))
    shared = {"source": str(found.folder), "scheduler": "sync"}
    names = ("posting_number", "time_distribution", "positive_words", "negative_words")
    options = {"features": names, "n_estimators": 5, "cv": "2", "contact": "<u>me</u>"}
    train.run(TrainConfig(out=model, **options, **shared))
    score.run(ScoreConfig(model=model, out=scores, **shared))
    explain.run(ExplainConfig(model=model, out=report, scores=scores, **shared))
    html = report.read_text("utf-8")
    for tag in ("<script>alert", "<i>yes", "<b>eve", "<u>me", 'href="http://x"'):
        assert tag not in html
    assert "&lt;i&gt;yes" in html  # the class is shown, as text
    assert not re.search(r"=cmd|calc'!A0", html)  # users are pseudonyms


def test_a7_names_of_columns_and_classes_are_no_formulas_in_any_csv(tmp_path):
    rows = [(n % 7 + n % 2, n % 5, ["=no", "+yes"][n % 2]) for n in range(60)]
    path = write_csv(tmp_path / "in.csv", ["=HYPERLINK(1)", "@sum", "label"], rows)
    shared = {"source": str(path), "scheduler": "sync"}
    model = tmp_path / "m.whybox"
    train.run(TrainConfig(out=model, n_estimators=3, cv="2", **shared))
    score.run(ScoreConfig(model=model, out=tmp_path / "scores", **shared))
    models = ("majority", "tree")
    compare.run(CompareConfig(out=tmp_path / "compared", models=models, cv="2", **shared))
    written = [each for each in tmp_path.rglob("*.csv") if each != path]
    assert {each.name for each in written} >= {"drift.csv", "comparison.csv", "folds.csv"}
    for each in written:
        for row in csv.reader(io.StringIO(each.read_text("utf-8"), newline="")):
            for cell in row:
                assert safe_cell(cell) == cell, (each.name, cell)
    assert any("'=HYPERLINK(1)" in each.read_text("utf-8") for each in written)
