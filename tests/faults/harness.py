"""Runs disturbed in ways that a seed draws, then run again: what stands must be what a quiet run makes.

A seed draws the kind of disturbance, what it hits and when, and whether a version stood before.  The
same command is then given again until it is done, and all that was promised is looked at: the bytes
of the published version, every user once, nothing left over, nobody locked out, and a further run
that touches nothing.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import shutil
import signal
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from cluster import Cluster, kill
from dying import begin, end, in_own_process

import whybox
from scored import file_digests, make_crawl, make_model, read_scores, touched
from whybox.config import ScoreConfig
from whybox.data.workplace import peek

PARTS, USERS = 6, 40


def fault_points():
    """The names of all fault points of the program."""
    text = "".join(p.read_text("utf-8") for p in Path(whybox.__file__).parent.rglob("*.py"))
    named = set(re.findall(r'fault_point\("([a-z.]+)"\)', text))
    return named | {
        f"{point}.{moment}"
        for point in re.findall(r'replace\(\w+, \w+, "([a-z]+)"\)', text)
        for moment in ("written", "placed")
    }


@dataclass
class Study:
    """What all seeds share: a model, posts, a folder with a version, and what quiet runs make."""

    folder: Path
    cluster: Cluster
    given: dict = field(default_factory=dict)
    quiet: dict = field(default_factory=dict)

    @classmethod
    def make(cls, folder):
        """Run it quietly, with and without a version before."""
        crawl = tuple(map(str, make_crawl(folder / "crawl", n_users=USERS)))
        made = cls(folder, Cluster(folder))
        made.given = {"model": make_model(folder / "m.whybox"), "parts": PARTS, "keep": 2}
        first = made.config(folder / "before", source=crawl[:4])
        made.given["source"] = crawl
        assert in_own_process(first) == 0
        subprocess.run(["cp", "-a", folder / "before", folder / "later"], check=True)
        for name, began in (("first", None), ("later", folder / "before")):
            assert in_own_process(made.config(folder / name)) == 0
            known = [file_digests(folder / name / "current")]
            made.quiet[name] = known + ([] if began is None else [file_digests(began / "current")])
        return made

    def config(self, out, scheduler="sync", **changed):
        """The command."""
        return ScoreConfig(out=str(out), scheduler=scheduler, **(self.given | changed))


class Trial:
    """One seed."""

    def __init__(self, study, seed, kinds, folder):
        self.study, self.random, self.folder = study, random.Random(seed), folder
        self.kind = kinds[seed % len(kinds)]
        self.name, self.keep = self.random.choice(("first", "later")), self.random.choice((1, 2))
        self.out, self.log = folder / "out", folder / "log.txt"
        self.told, self.exact, self.scheduler = [], True, "sync"

    @property
    def config(self):
        """The command that is given again and again."""
        return self.study.config(self.out, self.scheduler, keep=self.keep)

    def start(self):
        """Put a version there, if one stands before; a copy keeps hard links."""
        shutil.rmtree(self.out, ignore_errors=True)
        if self.name == "later":
            subprocess.run(["cp", "-a", self.study.folder / "before", self.out], check=True)

    def run(self, **options):
        """The command, to its end."""
        return in_own_process(self.config, log=self.log, **options)

    def disturb(self):
        """Do what the seed draws, and look at what a reader then sees."""
        getattr(self, f"_{self.kind}")()
        if self.kind != "spoilt" and (self.out / "current").is_symlink():
            assert file_digests(self.out / "current") in self.study.quiet[self.name]

    def resume(self):
        """Give the command again, at most a few times; whatever fails has to explain itself."""
        codes = []
        while 0 not in codes:
            codes.append(self.run())
            assert len(codes) < 4, (codes, self.log.read_text("utf-8"))
        told = self.log.read_text("utf-8")
        assert "locked" not in told and "unexpected" not in told, told

    def check(self):
        """Look at all that was promised."""
        quiet = self.study.quiet[self.name][0]
        found = file_digests(self.out / "current")
        if self.exact:
            assert found == quiet
        scores = {name: digest for name, digest in quiet.items() if name.startswith("scores/")}
        assert {n: d for n, d in found.items() if n.startswith("scores/")} == scores
        users = read_scores(self.out)["user"].to_pylist()
        assert len(users) == len(set(users)) == USERS
        if self.kind == "client":  # what was under way on the workers may have ended later
            assert self.run() == 0
        assert peek(str(self.out)).is_tidy(self.keep)
        work = self.out / "work"
        assert not [p for p in work.rglob("*") if "partial" in p.name or "parked/" in str(p)]
        before = touched(self.out)
        assert self.run() == 0
        assert touched(self.out) == before

    def _point(self):
        """Killed between two file operations."""
        code = 0
        while code == 0:  # until the point is one that this run passes
            self.start()
            point = self.random.choice([p for p in sorted(fault_points()) if "store." not in p])
            number = self.random.choice((1, 1, 2, 3, 5))
            code = self.run(fault=f"{point}:{number}")
        self.told.append(f"{point}:{number}")
        assert code == -9

    def _moment(self):
        """Killed at a moment."""
        self._kill_when_drawn(lambda run: kill(run.pid))

    def _spoilt(self):
        """A file that a run left is flipped, cut or emptied, in the middle of the work or after it."""
        when = self.random.choice(("before", "midway", "after"))
        if when == "before":
            self.name = "later"
            self.start()
        elif when == "midway":
            points = ("ledger.after:4", "cell.placed:9", "part.placed:3", "publish.built:1")
            assert self.run(fault=self.random.choice(points)) == -9
        else:
            assert self.run() == 0
        listed = sorted(p for p in self.out.rglob("*") if p.is_file() and not p.is_symlink())
        path = self.random.choice([path for path in listed if path.name != "lock"])
        data, how = path.read_bytes(), self.random.choice(("flip", "flip", "cut", "empty"))
        at = self.random.randrange(max(1, len(data)))
        flipped = data[:at] + bytes([data[at] ^ 1 << self.random.randrange(8)]) + data[at + 1 :]
        with path.open("r+b") as stream:  # in its place: a hard link is the same file
            stream.write(flipped if how == "flip" else data[: at if how == "cut" else 0])
            stream.truncate()
        self.told += [when, how, at, path.relative_to(self.out).as_posix()]
        shared = path.stat().st_nlink > 1
        in_version = "versions" in path.parts or shared
        lost = {"manifest.json"} | ({"drift.json"} if self.keep == 1 else set())
        # what was published cannot be had back where it is what drift is measured against
        self.exact = not in_version or (when == "after" and path.name not in lost)

    def _limit(self):
        """A disk that takes no file larger than this."""
        limit = int(2 ** self.random.uniform(6, 15))
        while self.run(file_bytes=limit) == 0:  # it wrote no file as large
            limit //= 2
            self.start()
        self.told.append(limit)

    def _full(self):
        """A disk with little room."""
        room = int(2 ** self.random.uniform(12, 18))
        disk = self.folder / "disk"
        disk.mkdir()
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk], check=True)
        try:
            here, self.out = self.out, disk / "out"
            self.start()
            ballast = disk / "ballast"
            free = shutil.disk_usage(disk).free
            ballast.write_bytes(bytes(max(0, free - room)))
            code = self.run()
            self.told += [room, code]
            assert code in (0, 1)
            ballast.unlink()
            shutil.rmtree(here, ignore_errors=True)
            subprocess.run(["cp", "-a", self.out, here], check=True)
            self.out = here
        finally:
            subprocess.run(["umount", disk], check=True)

    def _worker(self):
        """A worker dies; its nanny starts another."""
        self._on_cluster(lambda run: kill(self.random.choice(self.study.cluster.workers())))

    def _armed(self):
        """A worker dies between two file operations."""
        self._mend()
        points = ("cell.written", "cell.placed", "part.written", "part.placed")
        fault = f"{self.random.choice(points)}:{self.random.randint(1, 4)}"
        self.study.cluster.arm(fault)
        self.told += [fault, self.run()]
        self._mend()

    def _nanny(self):
        """A nanny dies, and its worker with it."""
        nannies = self.study.cluster.nannies
        self._on_cluster(lambda run: kill(self.random.choice(nannies).process.pid))

    def _scheduler(self):
        """The scheduler dies."""
        self._on_cluster(lambda run: kill(self.study.cluster.scheduler.process.pid))

    def _client(self):
        """The client dies; its workers go on."""
        self._on_cluster(lambda run: kill(run.pid))

    def _frozen(self):
        """A worker stands still for a while, and goes on or dies."""
        last = self.random.choice((signal.SIGCONT, signal.SIGCONT, signal.SIGKILL))
        self.told.append(last.name)

        def freeze(run):
            pid = self.random.choice(self.study.cluster.workers())
            os.kill(pid, signal.SIGSTOP)
            time.sleep(self.random.uniform(0.2, 3))
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, last)

        self._on_cluster(freeze)

    def _mend(self):
        self.study.cluster.mend()
        self.scheduler = self.study.cluster.address

    def _on_cluster(self, hit):
        self._mend()
        self._kill_when_drawn(hit)
        self._mend()

    def _kill_when_drawn(self, hit):
        """Hit when so many files more are there, or the run is over."""
        more = self.random.randint(0, 20 if self.name == "first" else 10)
        pause, n_files, alive = self.random.uniform(0, 0.05), self._n_files(), False
        while not alive:
            run = begin(self.config, log=self.log)
            while run.is_alive() and self._n_files() < n_files + more:
                time.sleep(0.002)
            time.sleep(pause)
            alive = run.is_alive()
            if alive:
                hit(run)
            code = end(run)
            self.told.append((more, code))
            assert code in (0, 1, -9)
            if not alive:  # it was over: earlier, from the beginning
                more, pause = more // 2, pause / 2
                self.start()

    def _n_files(self):
        folders = (self.out / "work" / name for name in ("cells", "parts"))
        return sum(len(os.listdir(folder)) for folder in folders if folder.is_dir())
