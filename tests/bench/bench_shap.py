"""Rows a second of TreeSHAP against shap's C++, on the same trees: `python tests/bench/bench_shap.py`."""

import argparse
import time

import numpy as np
import shap
from sklearn.datasets import make_classification
from sklearn.tree import DecisionTreeClassifier

from whybox.trees.shap import ensemble_shap_interactions, ensemble_shap_values, node_covers
from whybox.trees.tree import Tree


def as_tree(fitted):
    """Read a fitted scikit-learn tree as a whybox Tree."""
    t = fitted.tree_
    share = t.value[:, 0] / t.value[:, 0].sum(axis=1, keepdims=True)
    return Tree(
        children_left=t.children_left.astype(np.int32),
        children_right=t.children_right.astype(np.int32),
        feature=t.feature.astype(np.int32),
        threshold=t.threshold.astype(np.float64),
        missing_go_left=t.missing_go_to_left.astype(bool),
        n_node_samples=t.n_node_samples.astype(np.int64),
        weighted_n_node_samples=t.weighted_n_node_samples.astype(np.float64),
        value=share,
        unweighted_share=share,
    )


def as_oracle(trees, weights, dtype):
    """Hand the same trees to shap."""
    parts = np.asarray(weights) / np.sum(weights)
    model = [
        {
            "children_left": tree.children_left,
            "children_right": tree.children_right,
            "children_default": np.where(
                tree.missing_go_left, tree.children_left, tree.children_right
            ),
            "features": tree.feature,
            "thresholds": tree.threshold,
            "values": part * tree.unweighted_share,
            "node_sample_weight": node_covers(tree),
        }
        for tree, part in zip(trees, parts, strict=True)
    ]
    return shap.TreeExplainer(
        {"trees": model, "input_dtype": dtype}, feature_perturbation="tree_path_dependent"
    )


def rate(function, X):
    start = time.perf_counter()
    function(X)
    return len(X) / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trees", type=int, default=100)
    parser.add_argument("--leaves", type=int, default=200)
    args = parser.parse_args()
    X, y = make_classification(6000, 38, n_informative=20, flip_y=0.2, random_state=0)
    X = X.astype(np.float32)
    rng = np.random.default_rng(0)
    trees = []
    for seed in range(args.trees):
        rows = rng.integers(0, len(X), len(X))
        grower = DecisionTreeClassifier(
            max_leaf_nodes=args.leaves, max_features=12, random_state=seed
        )
        trees.append(as_tree(grower.fit(X[rows], y[rows])))
    weights = rng.uniform(0.5, 1.5, args.trees)
    oracle = as_oracle(trees, weights, np.float32)
    ensemble_shap_values(trees[:1], [1.0], X[:64])  # compile
    ensemble_shap_interactions(trees[:1], [1.0], X[:64])
    theirs = rate(lambda rows: oracle.shap_values(rows, check_additivity=False), X[:100])
    ours = rate(lambda rows: ensemble_shap_values(trees, weights, rows), X)
    print(f"values        shap {theirs:9.1f}  whybox {ours:9.1f} rows/s  {ours / theirs:6.1f}x")
    theirs = rate(oracle.shap_interaction_values, X[:3])
    ours = rate(lambda rows: ensemble_shap_interactions(trees, weights, rows), X[:640])
    print(f"interactions  shap {theirs:9.2f}  whybox {ours:9.1f} rows/s  {ours / theirs:6.1f}x")


if __name__ == "__main__":
    main()
