"""What a store holds of versions that nobody needs any more: old ones, and what dead runs left.

What stands at ``manifest.json`` lists the versions before it; of these the newest few stay, and what
else is under ``versions`` goes. Only the holder of the lease removes anything, and only after its
mark is on ``manifest.json``: a run that lost its lease in the very moment of publishing cannot let
a version stand any more that is removed here.
"""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor

from whybox._faults import fault_point
from whybox.data.lease import Lease
from whybox.data.pinned import Pinned
from whybox.data.remote import attempt
from whybox.data.storage import filesystem
from whybox.data.versions import AT_ONCE, MANIFEST, VERSIONS, Standing, listed, named, point
from whybox.errors import RunError

__all__ = ["retain", "surplus"]


def surplus(address: str, keep: int) -> list[str]:
    """List the versions that nobody needs; nothing is touched.

    Parameters
    ----------
    address : str
        As in ``s3://bucket/folder``.
    keep : int
        Versions that stay, the one that stands among them.

    Returns
    -------
    list of str
        Their folders, relative to the address.  None if no version stands, or it was published
        without a lease that excludes others: who else publishes is not known then.

    Raises
    ------
    InputError, RunError
        The address cannot be read.
    """
    found = named(Pinned(_pointer(address)).look(), address)
    return _surplus(found, keep) if found is not None and found.lease is not None else []


def retain(address: str, keep: int, lease: Lease) -> None:
    """Remove the versions that nobody needs.

    Parameters
    ----------
    address : str
        As in ``s3://bucket/folder``.
    keep : int
        Versions that stay, the one that stands among them.
    lease : Lease
        On the address; one that excludes nobody removes nothing.

    Raises
    ------
    RunError
        Another run took the lease, or the store fails for good.
    """
    pointer = Pinned(_pointer(address))
    seen = pointer.look() if lease.is_exclusive else None
    found = named(seen, address)
    if seen is None or found is None or not (gone := _surplus(found, keep)):
        return
    if found.lease != lease.mark:
        point(pointer, json.loads(seen.text), lease)
    for folder in gone:
        lease.check()
        _remove(f"{found.address}/{folder}")
        fault_point("store.removed")


def _pointer(address: str) -> str:
    return f"{address.rstrip('/')}/{MANIFEST}"


def _surplus(found: Standing, keep: int) -> list[str]:
    kept = {found.folder, *found.older[: max(0, keep - 1)]}
    there = sorted(listed(f"{found.address}/{VERSIONS}"))
    ours = (f"{VERSIONS}/{name}" for name in there if re.fullmatch("[0-9a-f]{32}", name))
    return [folder for folder in ours if folder not in kept]


def _remove(address: str) -> None:
    """Remove all objects under an address, one request each: not every store knows more."""
    fs, path = filesystem(address)

    def remove(key: str) -> None:
        attempt(lambda: fs.rm_file(key), str(fs.unstrip_protocol(key)))

    try:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            list(pool.map(remove, attempt(lambda: fs.find(path), address)))
    except FileNotFoundError:
        return  # a dead run's request came late, or a rule of the bucket's was faster
    except PermissionError as error:
        raise RunError(
            f"an old version cannot be removed: {error}",
            where=address,
            remedy="let the run delete objects there, or keep more versions; what it published stands",
        ) from error
