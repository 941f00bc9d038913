"""What a folder holds, as hashes: two folders are equal if these are."""

from __future__ import annotations

import hashlib
from pathlib import Path


def digests(folder: Path) -> dict[str, str]:
    """A hash of every file of a folder."""
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
