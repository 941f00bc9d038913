"""Plain models that the readable ones are held against, and adapters of the peers."""

from whybox._lazy import lazy_exports

__all__ = [
    "CodedLabels",
    "KiGBClassifier",
    "LogitBoostClassifier",
    "MajorityClassifier",
    "RealAdaBoostClassifier",
    "few_columns_logistic",
    "scaled_logistic",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "CodedLabels": "peers",
        "KiGBClassifier": "kigb",
        "LogitBoostClassifier": "logitboost",
        "MajorityClassifier": "majority",
        "RealAdaBoostClassifier": "real_adaboost",
        "few_columns_logistic": "columns",
        "scaled_logistic": "peers",
    },
)
