"""What to run and how to judge it: models by name, folds, metrics, thresholds, abstentions.

Everything here is a pure function of its arguments; where it runs is decided elsewhere.
"""

from whybox._lazy import lazy_exports

__all__ = [
    "Abstention",
    "Fold",
    "FoldResult",
    "FoldTask",
    "Ranges",
    "Splitter",
    "Threshold",
    "abstain",
    "best_candidate",
    "choose_threshold",
    "evaluate",
    "expand",
    "feature_ranges",
    "inner_folds",
    "known_models",
    "make_model",
    "make_splitter",
    "out_of_range",
    "paired_differences",
    "pool",
    "precision_at_base_rate",
    "read_grid",
    "run_fold",
    "summarise",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "Abstention": "abstention",
        "Fold": "splitters",
        "FoldResult": "folds",
        "FoldTask": "folds",
        "Ranges": "abstention",
        "Splitter": "splitters",
        "Threshold": "thresholds",
        "abstain": "abstention",
        "best_candidate": "grids",
        "choose_threshold": "thresholds",
        "evaluate": "metrics",
        "expand": "grids",
        "feature_ranges": "abstention",
        "inner_folds": "grids",
        "is_installed": "registry",
        "known_models": "registry",
        "make_model": "registry",
        "make_splitter": "splitters",
        "out_of_range": "abstention",
        "paired_differences": "summary",
        "pool": "summary",
        "precision_at_base_rate": "metrics",
        "read_grid": "grids",
        "run_fold": "folds",
        "summarise": "summary",
    },
)
