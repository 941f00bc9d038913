"""Cost-sensitive boosting of pruned trees (CBPT), and AdaBoost of the same trees."""

from whybox._lazy import lazy_exports

__all__ = ["AdaBoostPTClassifier", "CBPTClassifier"]

__getattr__, __dir__ = lazy_exports(
    __name__, {"AdaBoostPTClassifier": "classifier", "CBPTClassifier": "classifier"}
)
