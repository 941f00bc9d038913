"""An object in a store that is written only while it is what we know of it.

Each write has a condition: that no object is there (If-None-Match), or that the one that is there
has the ETag that was seen (If-Match). The answer to a write may be lost, and a body may be cut on
its way; so what is stored is read back, and a write that was refused is looked at before anyone is
told of another's.
"""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import parsedate_to_datetime

from fsspec.asyn import sync

from whybox.data.remote import attempt
from whybox.data.storage import filesystem
from whybox.errors import InputError, RunError

__all__ = ["ChangedError", "Pinned", "Seen", "code_of"]

_REFUSALS = ("PreconditionFailed", "NoSuchKey")
"""How stores answer when a condition does not hold."""


class ChangedError(RunError):
    """The object is not what it was: somebody else wrote it."""


@dataclass(frozen=True)
class Seen:
    """An object as it was found.

    Parameters
    ----------
    text : bytes
    etag : str
    age : float
        Seconds since it was written; both times are the store's own.
    """

    text: bytes
    etag: str
    age: float


class Pinned:
    """A small object, and what we know of it; at first, that none is there.

    Parameters
    ----------
    url : str
        As in ``s3://bucket/key``.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.conditional = True
        """Whether the store knows conditions; without them a write only looks before."""
        self._etag: str | None = None
        self._fs, path = filesystem(url)
        bucket, key, _ = self._fs.split_path(path)
        self._place = {"Bucket": bucket, "Key": key}

    def look(self) -> Seen | None:
        """Read it, and let the next write depend on what was found.

        Returns
        -------
        Seen or None
            None if no object is there.

        Raises
        ------
        InputError
            There is no such bucket, or the object may not be read.
        RunError
            The store fails for good.
        """
        try:
            seen = attempt(self._get, self.url)
        except PermissionError as error:
            raise InputError(f"may not be read: {error}", where=self.url) from error
        self._etag = seen.etag if seen is not None else None
        return seen

    def put(self, text: bytes) -> None:
        """Write it, if it is still what we know of it.

        Parameters
        ----------
        text : bytes
            If two writers could mean different things by one text, it has to name its writer.

        Raises
        ------
        ChangedError
            It is not.
        RunError
            The store fails for good, or it may not be written.
        """
        try:
            attempt(lambda: self._put(text), self.url)
        except (FileNotFoundError, PermissionError) as error:
            raise RunError(
                f"cannot be written: {error}", where=self.url, remedy="check it"
            ) from error

    def _get(self) -> Seen | None:
        try:
            # of a range the store tells how much there is in all
            answer = self._fs.call_s3("get_object", Range="bytes=0-", **self._place)
        except FileNotFoundError as error:
            if code_of(error) == "NoSuchBucket":
                raise InputError("there is no such bucket", where=self.url) from error
            return None
        except OSError as error:
            if code_of(error) == "InvalidRange":
                raise InputError("the object is empty", where=self.url) from error
            raise
        text = sync(self._fs.loop, answer["Body"].read)
        if answer.get("ContentRange", "").rpartition("/")[2] != str(len(text)):
            raise EOFError(f"{len(text)} bytes came of {answer.get('ContentRange')}")
        now = parsedate_to_datetime(answer["ResponseMetadata"]["HTTPHeaders"]["date"])
        return Seen(text, answer["ETag"], max(0.0, (now - answer["LastModified"]).total_seconds()))

    def _put(self, text: bytes) -> None:
        """One attempt."""
        if not self.conditional and self._has_changed_to(text):
            return
        condition = {"IfNoneMatch": "*"} if self._etag is None else {"IfMatch": self._etag}
        try:
            answer = self._fs.call_s3(
                "put_object", Body=text, **self._place, **(condition if self.conditional else {})
            )
        except OSError as error:
            if code_of(error) == "NotImplemented":
                self.conditional = False  # the next attempt goes without
            if code_of(error) not in _REFUSALS or not self.conditional:
                raise
            if self._has_changed_to(text):
                return
            raise OSError("the store refused, and nothing had changed") from error
        self._etag = answer["ETag"]
        seen = self._get()
        if seen is not None and seen.etag == self._etag and seen.text != text:
            raise OSError("what is stored is not what was sent")

    def _has_changed_to(self, text: bytes) -> bool:
        """Tell whether an earlier attempt wrote it; another's writing is an error."""
        seen = self._get()
        if (seen.etag if seen is not None else None) == self._etag:
            return False
        if seen is None or seen.text != text:
            raise ChangedError("another run wrote it meanwhile", where=self.url)
        self._etag = seen.etag
        return True


def code_of(error: BaseException) -> str | None:
    """Give the store's own name of an error, None if it is not the store's."""
    response = getattr(error.__cause__, "response", None) or {}
    code: str | None = response.get("Error", {}).get("Code")
    return code
