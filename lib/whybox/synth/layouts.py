"""The three folder layouts: of the Tsinghua set, of a stream's files, and of Sentiment140."""

from __future__ import annotations

import csv
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from typing import TextIO

import numpy as np

from whybox.synth.clock import created_at
from whybox.synth.timeline import Timeline
from whybox.synth.tweets import tweet_lines, user_line

__all__ = ["WRITERS", "Sentiment140Writer", "TtddWriter", "TwitterV1Writer", "Writer"]

POSTS_A_PART = 40_000
"""Lines of a JSON lines file after which a new one is begun: about 100 MB."""

_SPLIT_EVERY = 16  # one user in so many has two files


class Writer(AbstractContextManager["Writer"]):
    """Writes users into a folder; ``plain`` asks for texts without emoji and emoticons.

    Examples
    --------
    >>> sorted(WRITERS)
    ['sentiment140', 'ttdd', 'twitter-v1']
    """

    plain = False

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open_files = ExitStack()

    def write(self, timeline: Timeline) -> None:
        """Add one user."""
        raise NotImplementedError

    def __exit__(self, *error: object) -> None:
        self._open_files.close()


class TtddWriter(Writer):
    """``labeled/{positive,negative}/data/{timeline,tweet,users}/`` and ``unlabeled/data/timeline/``.

    ``timeline/`` has one post a line; one user in 16 has two files there. ``tweet/`` repeats the
    user's last post (of positives: the anchor), ``users/`` has the account.

    Examples
    --------
    >>> TtddWriter.plain
    False
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        for label in ("positive", "negative"):
            for kind in ("timeline", "tweet", "users"):
                (folder / "labeled" / label / "data" / kind).mkdir(parents=True)
        (folder / "unlabeled" / "data" / "timeline").mkdir(parents=True)

    def write(self, timeline: Timeline) -> None:
        """Add one user: a timeline in one or two files, and if labelled the anchor and account."""
        lines = list(tweet_lines(timeline))
        label = timeline.traits.label
        folder = self.folder / (f"labeled/{label}" if label else "unlabeled") / "data"
        names = [f"{timeline.screen_name}created_at{salt}.json" for salt in _salts(timeline)]
        cut = len(lines) // len(names)
        _write(folder / "timeline" / names[0], lines[len(lines) - cut :])
        for name in names[1:]:
            _write(folder / "timeline" / name, lines[: len(lines) - cut])
        if label:
            _write(folder / "tweet" / names[0], lines[-1:])
            _write(folder / "users" / names[0], [user_line(timeline)])


class TwitterV1Writer(Writer):
    """``posts-00000.jsonl`` and on, full objects; the labels in ``labels/users.csv``.

    Examples
    --------
    >>> TwitterV1Writer.plain
    False
    """

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        (folder / "labels").mkdir()
        self._labels = self._open_files.enter_context(
            (folder / "labels" / "users.csv").open("w", encoding="utf-8", newline="")
        )
        self._labels.write("user_id,label\n")
        self._lines, self._parts = 0, self._next_part()

    def write(self, timeline: Timeline) -> None:
        """Add one user's posts; a user may go on in the next part."""
        self._labels.write(f"{timeline.user_id},{timeline.traits.label or ''}\n")
        for line in tweet_lines(timeline, full=True):
            next(self._parts).write(line)

    def _next_part(self) -> Generator[TextIO, None, None]:
        """Give the file for each line: a new one after ``POSTS_A_PART`` lines."""
        part = 0
        while True:
            path = self.folder / f"posts-{part:05d}.jsonl"
            with path.open("w", encoding="utf-8", newline="") as file:
                for _ in range(POSTS_A_PART):
                    yield file
            part += 1

    def __exit__(self, *error: object) -> None:
        self._parts.close()
        super().__exit__(*error)


class Sentiment140Writer(Writer):
    """One CSV of six quoted columns, latin-1, without header, emoji and emoticons.

    The polarity is the sign of the text's signed words (4 positive, 0 negative); where they
    balance it is chance, so that no classifier can be always right.

    Examples
    --------
    >>> Sentiment140Writer.plain
    True
    """

    plain = True

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._file = self._open_files.enter_context(
            (folder / "sentiment140.csv").open("w", encoding="latin-1", newline="")
        )
        self._rows = csv.writer(self._file, quoting=csv.QUOTE_ALL, lineterminator="\n")

    def write(self, timeline: Timeline) -> None:
        """Add one user's posts."""
        when = created_at(timeline.times, "PDT", -7 * 3600)
        columns = (_polarity(timeline), timeline.ids, when, timeline.texts.texts)
        for polarity, number, time, text in zip(*columns, strict=True):
            self._rows.writerow((polarity, number, time, "NO_QUERY", timeline.screen_name, text))


WRITERS: dict[str, Callable[[Path], Writer]] = {
    "ttdd": TtddWriter,
    "twitter-v1": TwitterV1Writer,
    "sentiment140": Sentiment140Writer,
}
"""Layout -> its writer."""


def _polarity(timeline: Timeline) -> list[int]:
    """Give each text's polarity; where signed words balance, the time's last bit decides."""
    balance = timeline.counts.positive - timeline.counts.negative
    chance = (np.array(timeline.ids) >> 22) % 2 * 2 - 1  # of the millisecond
    polarity: list[int] = np.where(np.where(balance == 0, chance, balance) > 0, 4, 0).tolist()
    return polarity


def _salts(timeline: Timeline) -> list[int]:
    """Give the numbers in the file names: of some users two."""
    two = timeline.traits.number % _SPLIT_EVERY == _SPLIT_EVERY - 1
    return [timeline.salt, -timeline.salt - 1] if two else [timeline.salt]


def _write(path: Path, lines: list[str]) -> None:
    """Write whole lines, ends as they are."""
    path.write_text("".join(lines), encoding="utf-8", newline="")
