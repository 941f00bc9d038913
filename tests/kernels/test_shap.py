"""The walk of a tree, and that the kernels add to what is there."""

import numpy as np
from hypothesis import given

import naive_shap as naive
from whybox.kernels.shap import LANES, add_interactions, add_values, plan_walk


def plan(tree):
    return plan_walk(
        tree.children_left,
        tree.children_right,
        tree.feature,
        tree.missing_go_left,
        tree.n_node_samples.astype(float),
    )


def paths(tree, node=0, path=()):
    """List for each node the edges from the root: (node, feature asked)."""
    yield node, path
    if tree.children_left[node] >= 0:
        for child in (tree.children_left[node], tree.children_right[node]):
            yield from paths(tree, child, (*path, (child, tree.feature[node])))


@given(naive.nested_trees(4, 2, max_leaves=25))
def test_edges_know_their_depth_feature_and_ancestor(nested):
    tree = naive.flatten(nested)
    _, edges, reach, width = plan(tree)
    for node, path in paths(tree):
        if not path:
            continue
        asked = path[-1][1]
        same = [depth for depth, (_, feature) in enumerate(path, 1) if feature == asked]
        ancestor = same[-2] if len(same) > 1 else 0
        is_leaf = tree.children_left[node] < 0
        assert edges[node, [0, 1, 2, 4]].tolist() == [len(path), asked, ancestor, is_leaf]
        above = [0] + [edge for edge, _ in path[:-1]]
        ratios = [
            tree.n_node_samples[edge] / tree.n_node_samples[parent]
            for parent, (edge, feature) in zip(above, path, strict=True)
            if feature == asked
        ]
        np.testing.assert_allclose(reach[node], [np.prod(ratios[:-1]), np.prod(ratios)], rtol=1e-14)
    assert width == max(len({feature for _, feature in path}) for _, path in paths(tree))


@given(naive.nested_trees(3, 2, max_leaves=25))
def test_the_walk_goes_down_every_edge_once_and_up_every_inner_one(nested):
    tree = naive.flatten(nested)
    steps, *_ = plan(tree)
    inner = [n for n in range(1, len(tree.feature)) if tree.children_left[n] >= 0]
    assert [step for step in steps if step >= 0] == list(range(1, len(tree.feature)))  # preorder
    assert sorted(~step for step in steps if step < 0) == inner
    open_nodes = [0]
    for step in steps:
        if step < 0:
            assert open_nodes.pop() == ~step
            continue
        parent = open_nodes[-1]
        assert step in (tree.children_left[parent], tree.children_right[parent])
        if tree.children_left[step] >= 0:
            open_nodes.append(step)
    assert open_nodes == [0]


def test_kernels_add_to_what_is_there():
    """Two walks of a stump add twice its values and, having one feature, no interaction."""
    tree = naive.flatten((0, 0.0, False, [1, 0], [0, 1]))
    steps, edges, *_ = plan(tree)
    X_T = np.where(np.arange(LANES) % 2, 1.0, -1.0)[None, :]
    t = 0.5  # one feature on a path: one point, of weight 1
    held, failed = t + 0.5 * (1 - t), 0.5 * (1 - t)
    factors = np.tile(np.array([0.5, failed, held])[:, None], (3, 1, 1))
    factors *= np.array([1.0, 0.0, 1.0])[:, None, None]  # the leaves' values
    deltas = np.tile(np.array([0.0, -1 / (1 - t), 0.5 / held])[:, None], (3, 1, 1))
    out, pairs = np.zeros((1, LANES)), np.zeros((1, 1, LANES))
    for _ in range(2):
        add_values(X_T, steps, edges, np.zeros(3), factors, deltas, out)
        add_interactions(X_T, steps, edges, np.zeros(3), factors, deltas, deltas[:, 1:], pairs)
    np.testing.assert_allclose(out[0], X_T[0], atol=1e-15)
    assert not pairs.any()


def test_missing_values_pass_on_the_side_they_were_sent_to():
    for missing_go_left, kinds in ((True, [1, 2]), (False, [0, 3])):
        tree = naive.flatten((0, 0.0, missing_go_left, [1, 0], [0, 1]))
        _, edges, *_ = plan(tree)
        assert edges[1:, 3].tolist() == kinds


def test_blocks_fill_whole_vectors():
    assert LANES % 16 == 0
