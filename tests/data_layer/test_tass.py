"""TASS: two layouts of XML, labels that are about the whole tweet, and documents that are refused."""

from __future__ import annotations

import pytest

from whybox.data import Records, Source, find_inputs, read_records
from whybox.errors import RunError

GENERAL = """<?xml version="1.0" encoding="UTF-8"?>
<tweets>
 <tweet>
  <tweetid>142378325086715906</tweetid><user>ann</user>
  <content><![CDATA[¡Qué día! <3 & más]]></content>
  <date>2011-12-02T00:47:32</date><lang>es</lang>
  <sentiments>
   <polarity><entity>UPyD</entity><value>N</value><type>AGREEMENT</type></polarity>
   <polarity><value>P+</value><type>AGREEMENT</type></polarity>
  </sentiments>
  <topics><topic>política</topic></topics>
 </tweet>
 <tweet>
  <tweetid>142379080808013825</tweetid><user>bob</user>
  <content>two &amp; three</content><date>2011-12-02T00:50:32</date><lang>es</lang>
  <sentiments><polarity><value>NONE</value></polarity></sentiments>
 </tweet>
</tweets>"""
INTER = """<tweets><tweet>
  <tweetid>768213876278165504</tweetid><user>eva</user><content>Sin acentos</content>
  <date>2016-08-23 22:30:35</date><lang>es</lang>
  <sentiment><polarity><value>NEU</value></polarity></sentiment></tweet>
 <tweet><tweetid>2</tweetid><user>eva</user><content>of a test set</content>
  <sentiment><polarity><value/></polarity></sentiment></tweet>
 <tweet><tweetid>3</tweetid><user>eva</user></tweet></tweets>"""
BOMB = """<!DOCTYPE t [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>
<tweets><tweet><tweetid>1</tweetid><content>&b;</content></tweet></tweets>"""
OUTSIDE = """<!DOCTYPE t [<!ENTITY x SYSTEM "file:///etc/hostname">]>
<tweets><tweet><tweetid>1</tweetid><content>&x;</content></tweet></tweets>"""


def read(tmp_path, content, format="auto", encoding="utf-8"):
    """Rows and accounts of a document."""
    path = tmp_path / "corpus.xml"
    path.write_bytes(content.encode(encoding))
    records = read_records(path, format)
    return [row for table in records for row in table.to_pylist()], records


@pytest.mark.parametrize("format", ["auto", "tass"])
def test_the_general_corpus(tmp_path, format):
    rows, records = read(tmp_path, GENERAL, format)
    assert [(row["post_id"], row["user_id"], row["label"], row["lang"]) for row in rows] == [
        ("142378325086715906", "ann", "P+", "es"),
        ("142379080808013825", "bob", "NONE", "es"),
    ]
    assert [row["text"] for row in rows] == ["¡Qué día! <3 & más", "two & three"]
    assert rows[0]["created_at"].isoformat() == "2011-12-02T00:47:32+00:00"
    assert records.counts.lines == records.counts.records == 2


def test_intertass_and_a_test_set_without_labels(tmp_path):
    rows, records = read(tmp_path, INTER)
    assert [(row["text"], row["label"]) for row in rows] == [
        ("Sin acentos", "NEU"),
        ("of a test set", None),
    ]
    assert records.counts.quarantined == {"no_text": 1}


def test_the_declared_encoding_is_used_and_recorded(tmp_path):
    rows, records = read(tmp_path, GENERAL.replace("UTF-8", "ISO-8859-1"), encoding="latin-1")
    assert rows[0]["text"] == "¡Qué día! <3 & más"
    assert records.counts.total.encoding == "iso-8859-1"


@pytest.mark.parametrize("content", [BOMB, OUTSIDE], ids=["expanding", "external"])
def test_entities_are_never_expanded(tmp_path, content):
    with pytest.raises(RunError, match="declares entities"):
        read(tmp_path, content)


def test_a_document_that_breaks_off_is_told_and_can_be_salvaged(tmp_path):
    path = tmp_path / "corpus.xml"
    path.write_text(GENERAL[: GENERAL.rindex("<content>")])
    with pytest.raises(RunError, match=r"not well-formed .* line 15.*1 whole lines"):
        list(read_records(path))
    records = Records(find_inputs(str(path), "tass"), Source("tass", salvage=True))
    assert [table.num_rows for table in records] == [1]
    assert records.counts.total.partial
