import hashlib
import json
import os
import subprocess
import sys
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import pytest

from whybox.errors import InputError
from whybox.synth import SynthConfig, synthesise
from whybox.synth.population import Population


def digest(folder: Path) -> str:
    """Hash names and bytes of all files."""
    state = hashlib.sha256()
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        state.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return state.hexdigest()


@pytest.mark.parametrize("layout", ["ttdd", "twitter-v1", "sentiment140"])
def test_equal_configurations_give_equal_bytes_and_another_seed_others(tmp_path, layout):
    digests = []
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        config = SynthConfig(users=12, posts_per_user=20, layout=layout, seed=seed)
        synthesise(tmp_path / name, config)
        digests.append(digest(tmp_path / name))
    assert digests[0] == digests[1] != digests[2]


def test_hash_seed_time_zone_and_locale_change_nothing(tmp_path):
    script = (
        "import sys; from pathlib import Path; from whybox.synth import SynthConfig, synthesise\n"
        "synthesise(Path(sys.argv[1]), SynthConfig(users=12, posts_per_user=20))"
    )
    digests = set()
    for i, zone in enumerate(("UTC", "Asia/Kathmandu")):
        environment = os.environ | {
            "PYTHONHASHSEED": str(i),
            "TZ": zone,
            "LC_ALL": ("C", "C.UTF-8")[i],
            "PYTHONUTF8": str(i),
        }
        out = tmp_path / str(i)
        subprocess.run([sys.executable, "-c", script, str(out)], check=True, env=environment)
        digests.add(digest(out))
    assert len(digests) == 1


def test_a_users_files_are_the_same_however_many_follow(tmp_path):
    for name, users in (("few", 10), ("many", 40)):
        synthesise(tmp_path / name, SynthConfig(users=users, posts_per_user=20))
    few = list((tmp_path / "few").rglob("*created_at*.json"))
    assert len(few) >= 10
    for path in few:
        twin = tmp_path / "many" / path.relative_to(tmp_path / "few")
        assert twin.read_bytes() == path.read_bytes()


def test_a_folder_with_something_in_it_is_refused_and_left_alone(tmp_path):
    out = tmp_path / "set"
    out.mkdir()
    (out / "mine.txt").write_text("keep me")
    with pytest.raises(InputError, match="set"):
        synthesise(out, SynthConfig(users=1, posts_per_user=6))
    assert [p.name for p in tmp_path.rglob("*")] == ["set", "mine.txt"]


def test_an_empty_folder_is_filled(tmp_path):
    out = tmp_path / "set"
    out.mkdir()
    summary = synthesise(out, SynthConfig(users=2, posts_per_user=6))
    assert [p.name for p in tmp_path.iterdir()] == ["set"]
    assert (
        len([p for p in out.rglob("*") if p.is_file() and p.name != "_whybox.json"])
        == summary.files
        > 0
    )


def test_nothing_is_published_when_a_run_fails(tmp_path, monkeypatch):
    def users(self):
        yield from ()
        raise OSError("disk full")

    monkeypatch.setattr(Population, "__iter__", users)
    with pytest.raises(OSError, match="disk full"):
        synthesise(tmp_path / "set", SynthConfig(users=2, posts_per_user=6))
    assert list(tmp_path.iterdir()) == []


def test_progress_hears_of_every_user(tmp_path):
    heard = []

    class Listener:
        @contextmanager
        def track(self, label, total):
            heard.append(total)
            yield heard.append

        def say(self, message):
            pass

    synthesise(tmp_path / "set", SynthConfig(users=7, posts_per_user=6), Listener())
    assert heard == [7, *[1] * 7]


@pytest.mark.parametrize("layout", ["twitter-v1", "sentiment140"])
def test_memory_does_not_grow_with_the_number_of_users(tmp_path, layout):
    peaks = []
    for users in (30, 30, 240):  # the first run also pays for imports
        config = SynthConfig(users, posts_per_user=12, positive_share=1, layout=layout)
        tracemalloc.start()
        synthesise(tmp_path / f"{users}-{len(peaks)}", config)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    largest = max(u.posts for u in Population(SynthConfig(240, 12, positive_share=1)))
    assert peaks[2] < 1.3 * peaks[1] + 12_000 * largest  # one user's posts, not all users'
    assert peaks[2] < 4e6


def test_its_own_folder_is_replaced_and_says_what_it_is(tmp_path):
    out = tmp_path / "set"
    synthesise(out, SynthConfig(users=2, posts_per_user=8))
    synthesise(out, SynthConfig(users=3, posts_per_user=8))
    told = json.loads((out / "_whybox.json").read_text("utf-8"))
    assert told["kind"] == "synthetic timelines"
    assert told["config"]["users"] == told["summary"]["users"] == 3
