"""Decision trees on flat node arrays: growing, pruning, landing, and SHAP values."""

from whybox._lazy import lazy_exports

__all__ = [
    "RegressionForest",
    "RegressionRows",
    "SortedRows",
    "Tree",
    "ensemble_base_values",
    "ensemble_shap_interactions",
    "ensemble_shap_values",
    "grow_sorted",
    "grow_tree",
    "land",
    "on_grid",
    "prune_sequence",
    "prune_tree",
    "recount",
    "subtree_errors",
    "sum_leaves",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "RegressionForest": "regression",
        "RegressionRows": "regression",
        "SortedRows": "sorted_rows",
        "Tree": "tree",
        "ensemble_base_values": "shap",
        "ensemble_shap_interactions": "shap",
        "ensemble_shap_values": "shap",
        "grow_sorted": "grow",
        "grow_tree": "grow",
        "land": "predict",
        "on_grid": "weights",
        "prune_sequence": "prune",
        "prune_tree": "prune",
        "recount": "predict",
        "subtree_errors": "prune",
        "sum_leaves": "predict",
    },
)
