"""Scoring 58,810 rows of 38 features with 500 trees beside onnxruntime, scikit-learn and shap.

`python tests/bench/bench_scoring.py` (kernel time, one thread, all in one run), or, end to end,
`python tests/bench/bench_scoring.py --posts 1000000` (raw posts to scores on local workers).
"""

import argparse
import os
import resource
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np
from bench_shap import as_oracle, as_tree
from sklearn.datasets import make_classification
from sklearn.ensemble import RandomForestClassifier

from whybox.kernels.forest import leaf_sums
from whybox.trees.predict import sum_leaves
from whybox.trees.shap import ensemble_shap_values

ROWS, FEATURES, TREES = 58_810, 38, 500


def seconds(function, repeats=3):
    """Median processor seconds."""
    taken = []
    for _ in range(repeats):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return float(np.median(taken))


def forest(leaves):
    """A forest of scikit-learn, its trees as whybox has them, and rows to score."""
    X, y = make_classification(6000, FEATURES, n_informative=20, flip_y=0.2, random_state=0)
    X = X.astype(np.float32)  # what scikit-learn and onnxruntime compare
    fitted = RandomForestClassifier(TREES, max_leaf_nodes=leaves, random_state=0, n_jobs=1)
    fitted.fit(X, y)
    random = np.random.default_rng(0)
    rows = X[random.integers(0, len(X), ROWS)] + random.normal(0, 0.1, (ROWS, FEATURES))
    return fitted, [as_tree(tree) for tree in fitted.estimators_], rows.astype(np.float32)


def onnx_session(fitted):
    """The same forest for onnxruntime, one thread; None without its packages."""
    try:
        import onnxruntime
        from onnx import TensorProto, helper
    except ImportError:
        return None
    ids = {name: [] for name in ("tree", "node", "feature", "value", "mode", "true", "false")}
    leaf = {name: [] for name in ("tree", "node", "class", "weight")}
    for k, estimator in enumerate(fitted.estimators_):
        t = estimator.tree_
        share = t.value[:, 0] / t.value[:, 0].sum(axis=1, keepdims=True) / TREES
        for n in range(t.node_count):
            is_leaf = t.children_left[n] < 0
            ids["tree"].append(k)
            ids["node"].append(n)
            ids["feature"].append(0 if is_leaf else int(t.feature[n]))
            ids["value"].append(0.0 if is_leaf else float(np.float32(t.threshold[n])))
            ids["mode"].append("LEAF" if is_leaf else "BRANCH_LEQ")
            ids["true"].append(max(0, int(t.children_left[n])))
            ids["false"].append(max(0, int(t.children_right[n])))
            if is_leaf:
                for c in range(2):
                    leaf["tree"].append(k)
                    leaf["node"].append(n)
                    leaf["class"].append(c)
                    leaf["weight"].append(float(share[n, c]))
    node = helper.make_node(
        "TreeEnsembleClassifier", ["X"], ["label", "shares"], domain="ai.onnx.ml",
        nodes_treeids=ids["tree"], nodes_nodeids=ids["node"], nodes_featureids=ids["feature"],
        nodes_values=ids["value"], nodes_modes=ids["mode"], nodes_truenodeids=ids["true"],
        nodes_falsenodeids=ids["false"], class_treeids=leaf["tree"], class_nodeids=leaf["node"],
        class_ids=leaf["class"], class_weights=leaf["weight"], classlabels_int64s=[0, 1],
        post_transform="NONE",
    )  # fmt: skip
    graph = helper.make_graph(
        [node], "forest",
        [helper.make_tensor_value_info("X", TensorProto.FLOAT, [None, FEATURES])],
        [helper.make_tensor_value_info("label", TensorProto.INT64, [None]),
         helper.make_tensor_value_info("shares", TensorProto.FLOAT, [None, 2])],
    )  # fmt: skip
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(model.SerializeToString(), options)


def kernels(leaves):
    """Print processor seconds of predictions and of exact values."""
    fitted, trees, X = forest(leaves)
    shares = [tree.unweighted_share for tree in trees]
    mean = np.mean([tree.n_leaves for tree in trees])
    print(f"{ROWS:,} rows x {FEATURES}, {TREES} trees of {mean:.0f} leaves, one thread")
    ours = sum_leaves(trees, X, shares) / TREES
    routing = tuple(np.concatenate(a) for a in zip(*(t.routing for t in trees), strict=True))
    roots = np.cumsum([0, *(tree.n_nodes for tree in trees[:-1])])
    values = np.concatenate(shares)
    leaf_sums(X[:64], routing, roots, values)
    peers = {
        "whybox": lambda: sum_leaves(trees, X, shares),
        "whybox, row by row": lambda: leaf_sums(X, routing, roots, values),
        "scikit-learn": lambda: fitted.predict_proba(X),
    }
    session = onnx_session(fitted)
    if session is not None:
        theirs = session.run(None, {"X": X})[1]
        print(f"largest difference to onnxruntime: {np.abs(ours - theirs).max():.1e}")
        peers["onnxruntime"] = lambda: session.run(None, {"X": X})
    for name, predict in peers.items():
        print(f"  probabilities  {name:20s} {seconds(predict):7.2f} s")
    weights = np.ones(TREES)
    ensemble_shap_values(trees[:1], [1.0], X[:64])
    own = seconds(lambda: ensemble_shap_values(trees, weights, X[:6400]), 1) * ROWS / 6400
    oracle = as_oracle(trees, weights, np.float32)
    few = X[:40]
    theirs = seconds(lambda: oracle.shap_values(few, check_additivity=False), 1) * ROWS / len(few)
    print(f"  exact values   whybox               {own:7.0f} s (of 6,400 rows)")
    print(f"  exact values   shap                 {theirs:7.0f} s (of {len(few)} rows)")


def end_to_end(n_posts, workers):
    """Score raw posts on local workers; print throughput and the largest memory of any process."""
    from whybox.config import ExtractConfig, ScoreConfig, SynthesisConfig, TrainConfig
    from whybox.pipelines import extract, score, synth, train

    mean = 40.0
    with tempfile.TemporaryDirectory(prefix="whybox-bench-") as made:
        root = Path(made)
        synth.run(SynthesisConfig(out=root / "few", users=600, posts_per_user=mean))
        extract.run(ExtractConfig(inputs=(str(root / "few"),), out=str(root / "features")))
        model = root / "m.whybox"
        train.run(TrainConfig(source=str(root / "features"), out=model, cv="0"))
        synth.run(
            SynthesisConfig(
                out=root / "many", users=int(n_posts / mean), posts_per_user=mean,
                layout="twitter-v1", seed=1,
            )
        )  # fmt: skip
        size = sum(path.stat().st_size for path in (root / "many").rglob("*.jsonl"))
        given = {
            "model": model,
            "source": (str(root / "many" / "*.jsonl"),),
            "out": str(root / "scores"),
        }
        for what in ("first run", "again, nothing new"):
            start = time.perf_counter()
            outcome = score.run(ScoreConfig(workers=workers, **given))
            taken = time.perf_counter() - start
            print(f"{what}: {taken:.1f} s, {outcome.status}")
            if what == "first run":
                posts = sum(entry["records"] for entry in _manifest(root / "scores")["inputs"])
                print(
                    f"  {posts:,} posts ({size / 2**30:.2f} GiB) of {outcome.values['users']:,} "
                    f"users: {posts / taken:,.0f} posts/s; 27 million in {27e6 / posts * taken / 60:.0f} min"
                )
        peak = max(
            resource.getrusage(who).ru_maxrss
            for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
        )
        print(f"largest memory of a process: {peak / 1024:,.0f} MiB")


def _manifest(out):
    import json

    return json.loads((out / "manifest.json").read_text("utf-8"))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--leaves", type=int, default=400)
    parser.add_argument("--posts", type=int, help="score so many raw posts end to end instead")
    parser.add_argument("--workers", type=int)
    args = parser.parse_args()
    if args.posts:
        end_to_end(args.posts, args.workers)
    else:
        kernels(args.leaves)


if __name__ == "__main__":
    main()
