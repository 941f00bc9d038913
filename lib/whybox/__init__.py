"""Whybox: readable models of short texts and online behaviour, as batch jobs on Dask.

The names below are imported when they are first used.

Examples
--------
>>> import whybox
>>> "CBPTClassifier" in dir(whybox)
True
"""

from whybox._lazy import lazy_exports

__version__ = "0.1.0"
__all__ = [
    "AdaBoostPTClassifier",
    "CBPTClassifier",
    "DiscriminatoryExpressions",
    "S3DClassifier",
    "S3DRegressor",
    "__version__",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "AdaBoostPTClassifier": "cbpt",
        "CBPTClassifier": "cbpt",
        "DiscriminatoryExpressions": "expressions",
        "S3DClassifier": "s3d",
        "S3DRegressor": "s3d",
    },
)
