"""Errors that a person can act on: what happened, where, and what to do about it."""

from __future__ import annotations

__all__ = ["InputError", "RunError", "WhyboxError"]


class WhyboxError(Exception):
    """A failure explained to the person who can mend it.

    Parameters
    ----------
    what : str
        One sentence: what was got, and what was expected.
    where : str, optional
        The place: a file, a line, a column, an option.
    remedy : str, optional
        What to do about it.

    Examples
    --------
    >>> print(WhyboxError("no such file", where="posts.jsonl", remedy="check the path"))
    no such file (posts.jsonl): check the path
    """

    exit_code = 1

    def __init__(self, what: str, *, where: str | None = None, remedy: str | None = None) -> None:
        super().__init__(what, where, remedy)  # all three, so that the error pickles to the client
        self.what, self.where, self.remedy = what, where, remedy

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.where, self.remedy)

    def __str__(self) -> str:
        where = f" ({self.where})" if self.where else ""
        remedy = f": {self.remedy}" if self.remedy else ""
        return f"{self.what}{where}{remedy}"


def _rebuild(
    kind: type[WhyboxError], what: str, where: str | None, remedy: str | None
) -> WhyboxError:
    """Unpickle an error, which has keyword-only arguments."""
    return kind(what, where=where, remedy=remedy)


class InputError(WhyboxError, ValueError):
    """Wrong usage or bad input: the caller changes something and runs again (exit code 2)."""

    exit_code = 2


class RunError(WhyboxError, RuntimeError):
    """The run failed, was refused, or is degraded (exit code 1)."""
