"""Every file is hashed once, whatever its neighbours are, in tasks of a bearable size."""

from __future__ import annotations

import hashlib

import pytest

from whybox.errors import RunError
from whybox.graph.hashing import hash_files, hashing_tasks
from whybox.graph.session import Session

MiB = 1 << 20


@pytest.mark.parametrize(
    ("sizes", "n_tasks"),
    [
        ([], 0),
        ([None] * 200, 1),
        ([0] * 201, 2),
        ([64 * MiB], 1),
        ([64 * MiB, 1], 2),
        ([1, 64 * MiB], 2),
        ([900 * MiB, 900 * MiB], 2),
        ([20 * MiB] * 6, 2),
    ],
)
def test_tasks_are_many_enough_to_share_out_and_few_enough_to_bear(sizes, n_tasks):
    assert len(hashing_tasks([(f"file-{i}", size) for i, size in enumerate(sizes)])) == n_tasks


def test_each_file_has_its_own_hash(tmp_path, monkeypatch):
    monkeypatch.setattr("whybox.graph.hashing._BYTES_A_TASK", 20)
    sizes = {}
    for number in range(12):
        path = tmp_path / f"{number}.txt"
        path.write_bytes(b"x" * number)
        sizes[str(path)] = number if number % 3 else None
    expected = {
        path: hashlib.sha256(b"x" * number).hexdigest() for number, path in enumerate(sizes)
    }
    assert hash_files(Session(), sizes) == expected


def test_a_file_that_grew_is_refused(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("ab")
    with pytest.raises(RunError, match="2 bytes and had 1"):
        hash_files(Session(), {str(path): 1})
