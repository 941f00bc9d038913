"""CLPsych: age and gender go all the way, and so does what is not known of a person."""

from __future__ import annotations

import io
import json
import tarfile

import numpy as np

from whybox.features.names import FEATURES
from whybox.pipelines.dataset import load_dataset


def tweet(number):
    """A tweet whose author is not told."""
    return {
        **{"id": number, "id_str": str(number), "text": "a good day", "user": {"id": 1}},
        "created_at": "Mon Apr 06 22:19:45 +0000 2009",
    }


def test_age_and_gender_are_two_more_features(tmp_path, extracted):
    root = tmp_path / "clpsych"
    root.mkdir()
    (root / "anonymized_user_info_by_chunk.csv").write_text(
        "anonymized_screen_name,age,num_tweets,gender,condition\n"
        "AAA,24.5,2,F,depression\nBBB,,2,M,control\n"
    )
    for chunk, name in enumerate(("AAA", "BBB", "ZZZ")):
        with tarfile.open(root / f"{chunk}.tgz", "w:gz") as archive:
            posts = (tweet(10 * chunk + n) for n in range(2))
            data = "".join(json.dumps(post) + "\n" for post in posts).encode()
            entry = tarfile.TarInfo(f"{name}.tweets")
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))
    found = extracted(root, min_posts=2)
    assert found.manifest["format"] == "clpsych" and found.totals["records"] == 6
    users = {row["user_id"]: row for row in found.rows("users")}
    assert {name: (row["label"], row["age"], row["gender"]) for name, row in users.items()} == {
        "AAA": ("depression", 24.5, 1.0),
        "BBB": ("control", None, 0.0),
        "ZZZ": (None, None, None),
    }
    data = load_dataset(found.folder, target="label")
    assert data.names == (*FEATURES, "age", "gender")
    assert np.isnan(data.X[list(data.ids).index("ZZZ"), -2:]).all()
