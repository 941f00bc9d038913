"""Delayed calls whose arguments are plain values.

Dask looks for other tasks in every argument of a delayed call, down to each field of each dataclass
in each list. A block of posts has some thousand of these, and the search then costs a client more
than all else that it does for the task.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

__all__ = ["calling"]


def calling(function: Callable[..., Any], *values: Any) -> Any:
    """Delay a function of which some arguments are known.

    Parameters
    ----------
    function : callable
        Of a module, so that a worker finds it.
    *values
        Its first arguments, handed over as they are: none of them is or holds a task or a future.

    Returns
    -------
    dask.delayed.DelayedLeaf
        To be called with the rest of the arguments, where tasks and futures may stand.

    Examples
    --------
    >>> calling(divmod, 7)(2).compute(scheduler="synchronous")
    (3, 1)
    """
    from dask.delayed import delayed

    return delayed(partial(function, *values), pure=False, traverse=False)
