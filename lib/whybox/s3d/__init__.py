"""Structured feature-space decomposition (S3D): a few features, cut into bins, that explain."""

from whybox._lazy import lazy_exports

__all__ = [
    "BlockTest",
    "S3DClassifier",
    "S3DRegressor",
    "block_test",
    "estimate_memory",
    "estimate_worker_memory",
    "rules_in_words",
    "rules_json",
    "rules_sql",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "BlockTest": "blocktest",
        "S3DClassifier": "classifier",
        "S3DRegressor": "regressor",
        "block_test": "blocktest",
        "estimate_memory": "memory",
        "estimate_worker_memory": "memory",
        "rules_in_words": "rules",
        "rules_json": "rules",
        "rules_sql": "rules",
    },
)
