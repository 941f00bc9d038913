from __future__ import annotations

import whybox.features
from whybox.features.names import AVERAGED, FEATURES, PROFILE


def test_the_features_are_thirteen_in_the_published_order():
    assert FEATURES == (
        "total_favourites", "friends", "followers", "listed_count", "favourites_count",
        "retweet_count", "mention_count", "posting_number", "time_distribution", "negative_words",
        "positive_words", "emoji_number", "emoticons",
    )  # fmt: skip
    assert whybox.features.FEATURES is FEATURES


def test_all_but_the_number_of_posts_are_means_of_a_column():
    assert [name for name in FEATURES if name not in AVERAGED] == ["posting_number"]
    assert len(set(AVERAGED.values())) == 12
    assert FEATURES[:4] == PROFILE
