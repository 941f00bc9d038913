"""Pseudonyms: keyed, stable, and a key that stays secret and is made once."""

from __future__ import annotations

import hashlib
import hmac
import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from whybox.data import Key, load_key
from whybox.data.pseudonym import pseudonym
from whybox.errors import InputError

SECRET = b"0123456789abcdef"


def test_a_pseudonym_is_the_hmac():
    expected = hmac.new(SECRET, "ünï".encode(), hashlib.sha256).hexdigest()[:32]
    assert pseudonym(Key(SECRET), "ünï") == expected
    assert pseudonym(Key(SECRET + b"x"), "ünï") != expected


def test_a_key_is_not_shown_and_its_id_is_no_plain_hash():
    key = Key(SECRET)
    assert SECRET.decode() not in repr(key) and len(key.id) == 12
    assert not hashlib.sha256(SECRET).hexdigest().startswith(key.id)
    assert Key(SECRET) == key and Key(SECRET + b"x").id != key.id


def test_the_users_key_is_made_once_and_private(tmp_path):
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config")}
    key = load_key(environ=environ)
    path = tmp_path / "config" / "whybox" / "key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert load_key(environ=environ) == key
    assert [entry.name for entry in path.parent.iterdir()] == ["key"]


def test_runs_at_once_agree_on_one_key(tmp_path):
    environ = {"XDG_CONFIG_HOME": str(tmp_path)}
    with ThreadPoolExecutor(8) as pool:
        keys = set(pool.map(lambda _: load_key(environ=environ), range(40)))
    assert len(keys) == 1


def test_a_file_goes_before_the_environment(tmp_path):
    (tmp_path / "key").write_bytes(SECRET + b"\n")
    environ = {"WHYBOX_KEY": "another key of 16+"}
    assert load_key(tmp_path / "key", environ) == Key(SECRET)
    assert load_key(environ=environ) == Key(b"another key of 16+")


def test_short_and_missing_keys_are_refused(tmp_path):
    with pytest.raises(InputError, match="fewer than 16"):
        load_key(environ={"WHYBOX_KEY": "short"})
    with pytest.raises(InputError, match="cannot be read"):
        load_key(tmp_path / "missing")
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="no key could be made"):
        load_key(environ={"XDG_CONFIG_HOME": str(tmp_path / "file")})
