"""Times: the NumPy forms against strptime, and what is no time."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from whybox.data.times import parse_times

MOMENTS = st.datetimes(datetime(1971, 1, 1), datetime(2100, 1, 1)).map(
    lambda moment: moment.replace(microsecond=0)
)
ZONES = {"UTC": 0, "GMT": 0, "PDT": -7, "PST": -8, "EDT": -4, "EST": -5, "CST": -6}
DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def form(moment: datetime, zone: str) -> str:
    """Write a time as Twitter does, whatever the locale."""
    return (
        f"{DAYS[moment.weekday()]} {MONTHS[moment.month - 1]} {moment:%d %H:%M:%S} {zone} "
        f"{moment.year:04}"
    )


@given(st.lists(st.tuples(MOMENTS, st.integers(-14 * 60, 14 * 60)), min_size=1))
def test_twitters_form_is_read_as_strptime_reads_it(cases):
    values = [
        form(moment, f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02}{abs(minutes) % 60:02}")
        for moment, minutes in cases
    ]
    expected = [
        int(m.replace(tzinfo=timezone(timedelta(minutes=minutes))).timestamp())
        for m, minutes in cases
    ]
    slow = [int(datetime.strptime(v, "%a %b %d %H:%M:%S %z %Y").timestamp()) for v in values]
    seconds, known = parse_times(values)
    assert known.all()
    assert seconds.tolist() == expected == slow


@given(st.lists(st.tuples(MOMENTS, st.sampled_from(sorted(ZONES))), min_size=1))
def test_zone_abbreviations_are_applied(cases):
    seconds, known = parse_times([form(moment, zone) for moment, zone in cases])
    expected = [
        int((m.replace(tzinfo=UTC) - timedelta(hours=ZONES[zone])).timestamp()) for m, zone in cases
    ]
    assert known.all() and seconds.tolist() == expected


@given(MOMENTS, st.sampled_from(["", "Z", "+00:00", "+05:45", " -0800"]), st.booleans())
def test_iso_forms_are_read(moment, zone, with_t):
    hours = {"+05:45": 5.75, " -0800": -8}.get(zone, 0)
    value = f"{moment:%Y-%m-%d}{'T' if with_t else ' '}{moment:%H:%M:%S}.250{zone}"
    seconds, known = parse_times([value])
    expected = moment.replace(tzinfo=UTC) - timedelta(hours=hours)
    assert known[0] and seconds[0] == int(expected.timestamp())


def test_forms_may_be_mixed_in_a_column():
    values = ["Mon Apr 06 22:19:45 PDT 2009", None, "2009-04-07T05:19:45Z", "2009-04-07"]
    seconds, known = parse_times([*values, "Tue Apr 07 05:19:45 +0000 2009"])
    assert known.tolist() == [True, False, True, True, True]
    assert np.unique(seconds[[0, 2, 4]]).tolist() == [1239081585]


def test_what_is_no_time_is_not_known():
    values = [
        "Mon Feb 30 22:19:45 +0000 2009",
        "Mon Apr 06 24:19:45 +0000 2009",
        "Mon Apr 06 22:60:45 +0000 2009",
        "Mon Foo 06 22:19:45 +0000 2009",
        "Mon Apr 06 22:19:45 XYZ 2009",
        "Mon Apr 06 22-19-45 +0000 2009",
        "Mon Apr é6 22:19:45 +0000 2009",
        "2009-13-01T00:00:00",
        "20090407",
        "yesterday",
        "",
    ]
    seconds, known = parse_times(values)
    assert not known.any() and not seconds.any()


@given(st.lists(st.none() | st.text(max_size=40) | st.text(min_size=30, max_size=30)))
def test_any_text_is_taken(values):
    seconds, known = parse_times(values)
    assert len(seconds) == len(known) == len(values)
