"""The Dask wiring: where work runs, a bag of posts, and the tasks of each verb. No arithmetic."""

from whybox._lazy import lazy_exports

__all__ = [
    "Session",
    "connect",
    "encode_posts",
    "encode_texts",
    "fit_on_bag",
    "fit_on_dask",
    "fit_on_parquet",
    "fit_on_workers",
    "posts_bag",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "Session": "session",
        "connect": "session",
        "encode_posts": "expressions",
        "encode_texts": "expressions",
        "fit_on_bag": "expressions",
        "fit_on_dask": "s3d",
        "fit_on_parquet": "s3d",
        "fit_on_workers": "resampling",
        "posts_bag": "posts",
    },
)
