"""What a person or a machine sees of a run: progress and errors on standard error, results on
standard output.
"""

from __future__ import annotations

import json
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from whybox.errors import WhyboxError

if TYPE_CHECKING:
    from whybox.pipelines.outcome import Outcome

__all__ = ["Console"]

_SECONDS_BETWEEN_LINES = 5.0
_WIDTH_OF_FILES = 140


class Console:
    """Shows a run; a progress bar on a terminal, plain lines elsewhere.

    Parameters
    ----------
    as_json : bool, default False
        One JSON object on standard output.
    debug : bool, default False
        Tracebacks with errors.
    """

    def __init__(self, *, as_json: bool = False, debug: bool = False) -> None:
        from rich.console import Console as RichConsole

        self.as_json, self.debug = as_json, debug
        self._err = RichConsole(stderr=True, highlight=False, soft_wrap=True)
        width = None if sys.stdout.isatty() else _WIDTH_OF_FILES
        self._out = RichConsole(highlight=False, soft_wrap=True, width=width)

    @contextmanager
    def track(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        """Show a step of ``total`` pieces."""
        if not self._err.is_terminal:
            yield from self._track_plainly(label, total)
            return
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        from rich.progress import TimeElapsedColumn as Elapsed

        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), Elapsed())
        with Progress(*columns, console=self._err, transient=True) as bar:
            step = bar.add_task(label, total=total)
            yield lambda n: bar.advance(step, n)
        self.say(f"{label}: {total} of {total}")

    def _track_plainly(self, label: str, total: int) -> Iterator[Callable[[int], None]]:
        """A line every few seconds and one at the end, for logs."""
        done, told = 0, time.monotonic()

        def advance(n: int) -> None:
            nonlocal done, told
            done += n
            if done == total or time.monotonic() - told > _SECONDS_BETWEEN_LINES:
                told = time.monotonic()
                self.say(f"{label}: {done} of {total}")

        yield advance

    def say(self, message: str) -> None:
        """Tell one line on standard error."""
        self._err.print(message, markup=False)

    def run(self, work: Callable[[], Outcome]) -> int:
        """Do the work, show its outcome or its error, and return the exit code."""
        try:
            outcome = work()
        except WhyboxError as error:
            return self._fail(error, error.what, error.where, error.remedy, error.exit_code)
        except KeyboardInterrupt:
            self.say("interrupted; nothing unfinished was published")
            return 130
        except Exception as error:
            what = f"unexpected {type(error).__name__}: {error}"
            return self._fail(error, what, None, "run it with --debug and report it", 1)
        if self.as_json:
            sys.stdout.write(json.dumps(outcome.as_dict(), ensure_ascii=False) + "\n")
        else:
            self._show(outcome)
        return outcome.exit_code

    def _fail(
        self, error: BaseException, what: str, where: str | None, remedy: str | None, code: int
    ) -> int:
        """Tell an error in one paragraph."""
        if self.debug:
            traceback.print_exception(error)
        place = f" ({where})" if where else ""
        self.say(f"whybox: {what}{place}." + (f" To mend it: {remedy}." if remedy else ""))
        if self.as_json:
            told = {"what": what, "where": where, "remedy": remedy, "exit_code": code}
            sys.stdout.write(json.dumps({"error": told}, ensure_ascii=False) + "\n")
        return code

    def _show(self, outcome: Outcome) -> None:
        from rich import box
        from rich.table import Table

        for part in outcome.tables:
            table = Table(title=part.title, title_justify="left", box=box.SIMPLE_HEAD)
            for position, name in enumerate(part.header):
                table.add_column(name, justify="left" if position == 0 else "right")
            for row in part.rows:
                table.add_row(*map(str, row))
            self._out.print(table)
        for line in outcome.lines:
            self._out.print(line, markup=False)
