"""Places where a test may end this process at once, as a power cut or the kernel would.

`fault_point` does nothing unless the environment has ``WHYBOX_FAULT=name:n``: then the n-th pass of
the point of that name sends SIGKILL to the process itself.  Points stand between any two file
operations of which a dead run could have done one and not the other.
"""

from __future__ import annotations

import os
import signal
from collections import Counter

__all__ = ["fault_point"]

_passes: Counter[str] = Counter()


def fault_point(name: str) -> None:
    """Die here if the environment says so.

    Parameters
    ----------
    name : str
        As in ``WHYBOX_FAULT=name:n``; n counts the passes of this process, from 1.

    Examples
    --------
    >>> fault_point("publish.linked")
    """
    armed = os.environ.get("WHYBOX_FAULT")
    if armed is None:
        return
    wanted, _, number = armed.rpartition(":")
    if wanted == name:
        _passes[name] += 1
        if _passes[name] == int(number):
            os.kill(os.getpid(), signal.SIGKILL)
