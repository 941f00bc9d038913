"""The Dask wiring: where work runs, a bag of posts, and the tasks of each verb. No arithmetic."""

from whybox._lazy import lazy_exports

__all__ = ["Session", "connect", "fit_on_workers", "posts_bag"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "Session": "session",
        "connect": "session",
        "fit_on_workers": "resampling",
        "posts_bag": "posts",
    },
)
