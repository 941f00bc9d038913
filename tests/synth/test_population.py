from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.features import FEATURES
from whybox.synth import SynthConfig
from whybox.synth.population import FIGURES, Population, topic_shares
from whybox.synth.published import TABLE_S3


def test_the_figures_are_the_features():
    assert FIGURES == FEATURES


@given(st.integers(1, 300), st.floats(0, 1), st.floats(0, 1))
def test_shares_are_met_to_one_user(users, positive_share, unlabelled_share):
    config = SynthConfig(
        users,
        posts_per_user=6,
        positive_share=positive_share,
        unlabelled_share=unlabelled_share,
    )
    labels = Counter(user.label for user in Population(config))
    assert abs(labels[None] - users * unlabelled_share) <= 1
    labelled = users - labels[None]
    assert abs(labels["positive"] - labelled * positive_share) <= 1


def test_a_user_is_the_same_however_many_follow():
    few = list(Population(SynthConfig(30, seed=5)))
    many = list(Population(SynthConfig(400, seed=5)))
    for one, same in zip(few, many, strict=False):
        assert one.figures == same.figures
        assert one.topics.tolist() == same.topics.tolist()
        assert (one.label, one.posts) == (same.label, same.posts)


def test_another_seed_gives_other_users():
    one, other = (next(iter(Population(SynthConfig(1, seed=seed)))) for seed in (0, 1))
    assert one.figures != other.figures


@pytest.mark.parametrize("mean", [40, 200, 457.31, 1000])
def test_posts_per_user_is_the_mean_and_keeps_the_ratio_of_the_classes(mean):
    users = list(Population(SynthConfig(2000, posts_per_user=mean, unlabelled_share=0)))
    posts = {c: np.mean([u.posts for u in users if u.positive == c]) for c in (True, False)}
    published = TABLE_S3["posting_number"]
    ratio = published[True].mean / published[False].mean
    assert np.mean([u.posts for u in users]) == pytest.approx(mean, rel=0.02)
    assert posts[True] / posts[False] == pytest.approx(ratio, rel=0.03)
    assert min(u.posts for u in users) >= 6


def test_even_the_smallest_mean_leaves_six_posts_a_user():
    users = list(Population(SynthConfig(200, posts_per_user=6)))
    assert {u.posts for u in users if u.positive} == {6}


def test_blocks_of_64_users_hold_one_user_from_each_64th_of_a_margin():
    users = list(Population(SynthConfig(64, positive_share=1, unlabelled_share=0)))
    values = np.array([u.figures["total_favourites"] for u in users])
    margin = np.sort(values)
    assert (margin[31] <= TABLE_S3["total_favourites"][True].median * 1.03).all()
    assert (margin[32] >= TABLE_S3["total_favourites"][True].median * 0.97).all()


def test_topic_shares_sum_to_one_and_lean_as_published():
    depressed, control = topic_shares(True), topic_shares(False)
    assert depressed.sum() == pytest.approx(1)
    assert control.sum() == pytest.approx(1)
    assert depressed[1] > control[1]  # topic 2: .24 and .04
    assert depressed[15] < control[15]  # topic 16: .08 and .23


def test_candidates_have_a_class_but_no_label():
    users = [u for u in Population(SynthConfig(400)) if u.label is None]
    assert 0.3 < np.mean([u.positive for u in users]) < 0.4
