"""Processes that tests start and stop: schedulers, workers, daemons; and certificates for them."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
DASK = (sys.executable, "-m", "dask")


@dataclass
class Daemon:
    """A process in a group of its own, and what it wrote."""

    process: subprocess.Popen
    log: Path

    def wait_for(self, pattern: str, seconds: float = 60) -> re.Match[str]:
        """The first match in the log; AssertionError with the log's end if none comes."""
        end = time.monotonic() + seconds
        while True:
            ended = self.process.poll() is not None
            found = re.search(pattern, self.log.read_text("utf-8", "replace"))
            if found:
                return found
            assert not ended and time.monotonic() < end, (
                f"no {pattern!r} in {self.log}:\n{self.log.read_text('utf-8', 'replace')[-2000:]}"
            )
            time.sleep(0.05)

    def stop(self) -> None:
        """End the group: kindly, then not."""
        for signum, patience in ((signal.SIGTERM, 10), (signal.SIGKILL, 10)):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.process.pid, signum)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(patience)
        assert self.process.poll() is not None


@contextlib.contextmanager
def running(
    command: Sequence[str], log: Path, *, env: Mapping[str, str] | None = None
) -> Iterator[Daemon]:
    """Start a process, and stop it when the block ends."""
    with log.open("wb") as stream:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdout=stream,
            stderr=subprocess.STDOUT,
            env={**os.environ, **(env or {})},
            start_new_session=True,
        )
    daemon = Daemon(process, log)
    try:
        yield daemon
    finally:
        daemon.stop()


@contextlib.contextmanager
def open_folder() -> Iterator[Path]:
    """A folder into which other users may look; pytest's own are its user's alone."""
    with tempfile.TemporaryDirectory(prefix="whybox-", ignore_cleanup_errors=True) as name:
        Path(name).chmod(0o755)
        yield Path(name)


def make_certificates(folder: Path, *options: str) -> Path:
    """Certificates of a new authority, by the script that users have."""
    script = ROOT / "deploy" / "tls" / "make_certificates.py"
    subprocess.run(
        [sys.executable, str(script), str(folder), *options], check=True, capture_output=True
    )
    return folder
