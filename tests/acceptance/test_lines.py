"""A1 to A5: line separators, a cut file, mixed objects, ids, and a CSV in latin-1."""

from __future__ import annotations

import gzip
import json

import pytest

from whybox.config import ExtractConfig
from whybox.errors import RunError
from whybox.pipelines import extract


def dump(path, *values):
    """Write JSON lines; strings stand as they are."""
    lines = (v if isinstance(v, str) else json.dumps(v, ensure_ascii=False) for v in values)
    path.write_bytes("".join(line + "\n" for line in lines).encode("utf-8"))
    return path


def test_a1_separators_of_unicode_are_data(tmp_path, extracted):
    texts = ["a\u2028b", "c\u0085d", "e\rf", "x\u2029y"]
    path = dump(
        tmp_path / "u2028.jsonl", *({"id": i, "text": t} for i, t in enumerate(texts, start=1))
    )
    found = extracted(path)
    assert found.totals["records"] == found.totals["lines"] == 4
    assert [row["text"] for row in found.rows("posts")] == texts


def test_a2_a_cut_file_is_refused_or_salvaged(tmp_path, extracted):
    lines = [json.dumps({"id": i, "text": f"t{7919 * i}"}) + "\n" for i in range(20_000)]
    whole = gzip.compress("".join(lines).encode())
    path = tmp_path / "trunc.jsonl.gz"
    path.write_bytes(whole[: len(whole) // 2])
    config = ExtractConfig(inputs=(str(path),), out=tmp_path / "refused", scheduler="sync")
    with pytest.raises(RunError) as caught:
        extract.run(config)
    assert caught.value.exit_code == 1
    assert not config.out.exists()
    found = extracted(path, salvage=True)
    texts = [row["text"] for row in found.rows("posts")]
    assert 5_000 < len(texts) < 20_000
    assert texts == [f"t{7919 * i}" for i in range(len(texts))]
    assert found.manifest["inputs"][0]["partial"] is True
    assert str(path) in str(caught.value) and f"{len(texts)} whole lines" in str(caught.value)


def test_a3_every_line_of_a_mixture_is_classified(tmp_path, extracted):
    retweeted = {"type": "retweeted", "id": "5"}
    path = dump(
        tmp_path / "mixed.jsonl",
        {
            **{"id_str": "1", "text": "cut…", "truncated": True},
            "extended_tweet": {"full_text": "long one"},
        },
        {"id_str": "2", "full_text": "two"},
        {
            **{"id_str": "3", "full_text": "RT @u: cu…", "truncated": False},
            "retweeted_status": {"full_text": "cut no more"},
        },
        {
            "data": [
                {
                    **{"id": "4", "text": "RT @u: fo…", "author_id": "9"},
                    **{"created_at": "2021-08-06T23:10:01.000Z", "referenced_tweets": [retweeted]},
                }
            ],
            "includes": {"tweets": [{"id": "5", "text": "four full"}]},
        },
        {"delete": {"status": {"id_str": "2", "user_id_str": "7"}}},
        {"limit": {"track": 5}},
        "",
        "null",
        '"str"',
        {"id_str": "6", "text": "of nobody", "user": None},
    )
    found = extracted(path, min_posts=1)
    texts = [row["text"] for row in found.rows("posts")]
    assert texts == ["long one", "cut no more", "four full", "of nobody"]
    assert found.totals["non_records"] == {
        **{"blank": 1, "delete": 1, "deleted": 1, "limit": 1, "not_an_object": 2, "page": 1}
    }
    assert found.totals["quarantined"] == {}
    assert found.totals["lines"] == 11


def test_a4_ids_are_exact_strings(tmp_path, extracted):
    path = dump(
        tmp_path / "ids.jsonl",
        '{"id":1234567890123456789,"text":"one"}',
        '{"id":1234567890123456788,"in_reply_to_status_id":null,"text":"two"}',
        '{"id":1.2345678901234567e18,"text":"three"}',
        '{"id":17,"id_str":"18","text":"four"}',
    )
    found = extracted(path)
    ids = [row["post_id"] for row in found.rows("posts")]
    assert ids == ["1234567890123456789", "1234567890123456788", "18"]
    assert found.totals["quarantined"] == {"float_id": 1}
    assert found.totals["flagged"] == {"post_id_mismatch": 1}


def test_a5_sentiment140_in_latin1(tmp_path, extracted):
    when = '"Mon Apr 06 22:19:45 PDT 2009","NO_QUERY"'
    rows = [
        f'"0","1",{when},"u1","café ""q"" &lt;3, x"',
        f'"4","1",{when},"u1","café ""q"" &lt;3, x"',
        f'"4","2",{when},"u2","NA"',
        f'"2","3",{when},"u3","neutral"',
        f'"0","4",{when},"u4","two\nlines"',
        f'"0","5",{when},"u5",""',
    ]
    path = tmp_path / "sentiment.csv"
    path.write_bytes("".join(row + "\n" for row in rows).encode("latin-1"))
    found = extracted(path, min_posts=1)
    posts = {row["post_id"]: row for row in found.rows("posts")}
    assert {key: (row["label"], row["text"]) for key, row in posts.items()} == {
        "2": ("4", "NA"),
        "4": ("0", "two\nlines"),
        "5": ("0", ""),
    }
    assert found.totals["quarantined"] == {"conflicting_labels": 2}
    assert found.totals["non_records"] == {"label_2": 1}
    assert found.totals["flagged"] == {"empty_text": 1}
    assert found.totals["lines"] == 6
    assert found.manifest["inputs"][0]["encoding"] == "latin-1"
    assert {row["created_at"].isoformat() for row in posts.values()} == {
        "2009-04-07T05:19:45+00:00"
    }
