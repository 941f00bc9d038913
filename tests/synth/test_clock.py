import datetime as dt

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whybox.synth.clock import NIGHT, created_at, post_times, snowflakes
from whybox.synth.published import HOUR_SHARES


@given(st.integers(1, 400), st.floats(0, 1), st.booleans(), st.integers(0, 2**32))
def test_nights_are_as_many_as_asked_within_thirty_days(posts, share, labelled, seed):
    at_night = round(posts * share)
    times = post_times(posts, at_night, labelled, np.random.default_rng(seed))
    assert len(times) == posts
    assert np.isin(times // 3600 % 24, NIGHT).sum() == at_night
    assert (np.diff(times) >= 0).all()
    assert times[-1] - times[0] < 30 * 86_400
    years = {dt.datetime.fromtimestamp(int(t), dt.UTC).year for t in times}
    assert years <= ({2011, 2012, 2013, 2014, 2015, 2016} if labelled else {2016})


def test_hours_of_the_day_follow_the_public_profile():
    rng = np.random.default_rng(0)
    hours = np.concatenate([post_times(300, 52, True, rng) // 3600 % 24 for _ in range(300)])
    measured = np.bincount(hours, minlength=24) / len(hours)
    assert np.abs(measured - HOUR_SHARES).max() < 0.006


def test_posts_come_in_bursts():
    gaps = np.concatenate(
        [np.diff(post_times(160, 28, True, np.random.default_rng(s))) for s in range(30)]
    )
    # quartiles of two public timelines, in hours: .36 and 3.7, .03 and 8.0; if each post came by
    # chance, the first quartile of 160 posts a month would be 1.3
    assert 0.03 < np.quantile(gaps, 0.25) / 3600 < 0.36
    assert 3.7 < np.quantile(gaps, 0.75) / 3600 < 8.0


@given(st.lists(st.integers(10**9, 2 * 10**9), min_size=1, max_size=30))
def test_times_are_written_as_the_slow_way_writes_them(seconds):
    slow = [
        dt.datetime.fromtimestamp(s, dt.UTC).strftime("%a %b %d %H:%M:%S +0000 %Y") for s in seconds
    ]
    assert created_at(np.array(seconds)) == slow


@given(st.integers(1, 3000), st.integers(0, 10**6))
def test_posts_of_one_second_have_distinct_numbers(posts, number):
    times = np.full(posts, 1_400_000_000) + np.arange(posts) // 1000
    ids = snowflakes(times, number, np.random.default_rng(0))
    assert len(set(ids)) == posts
    assert all(0 < i < 2**63 for i in ids)
