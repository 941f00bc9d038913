import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whybox.synth import SynthConfig
from whybox.synth.counts import deal, post_counts
from whybox.synth.population import Population

USERS = list(Population(SynthConfig(60, posts_per_user=80, seed=1)))
users = st.sampled_from(USERS)
seeds = st.integers(0, 2**32)


@given(users, seeds)
def test_totals_are_the_users_figures_rounded(user, seed):
    counts = post_counts(user, np.random.default_rng(seed))
    for name, per_post in {
        "favourites_count": counts.favourites,
        "retweet_count": counts.retweets,
        "mention_count": counts.mentions,
        "negative_words": counts.negative,
        "positive_words": counts.positive,
        "emoji_number": counts.emoji,
        "emoticons": counts.emoticons,
        "time_distribution": np.array([counts.at_night]),
    }.items():
        assert abs(per_post.sum() - user.figures[name] * user.posts) < 1, name
        assert per_post.min() >= 0


@given(users, seeds)
def test_a_retweet_has_the_originals_retweets_its_author_and_no_favourites(user, seed):
    counts = post_counts(user, np.random.default_rng(seed))
    again = counts.is_retweet
    assert (counts.favourites[again] == 0).all()
    assert (counts.retweets[again] >= 1).all()
    assert (counts.mentions[again] >= 1).all()
    assert not again[-1]
    assert counts.at_night <= user.posts


def test_rounding_is_right_on_average():
    user = USERS[0]
    sums = [post_counts(user, np.random.default_rng(s)).negative.sum() for s in range(400)]
    assert np.mean(sums) == pytest.approx(user.figures["negative_words"] * user.posts, abs=0.1)


def test_retweets_gather_nearly_all_retweets():
    counts = [post_counts(user, np.random.default_rng(user.number)) for user in USERS]
    of_retweets = sum(int(c.retweets[c.is_retweet].sum()) for c in counts)
    assert of_retweets > 0.95 * sum(int(c.retweets.sum()) for c in counts)
    assert 0.12 < np.mean(np.concatenate([c.is_retweet for c in counts])) < 0.32


@given(st.integers(0, 10**12), st.lists(st.floats(0, 1e6), min_size=1, max_size=20), seeds)
def test_dealing_keeps_the_total_and_gives_nothing_for_no_weight(total, weights, seed):
    weights = np.array([1.0, *weights])
    dealt = deal(total, weights, np.random.default_rng(seed))
    assert dealt.sum() == total
    assert (dealt[weights == 0] == 0).all()
