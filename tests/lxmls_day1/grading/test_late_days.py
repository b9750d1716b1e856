from datetime import datetime

import pytest

from lxmls_day1.grading.late_days import Lateness, time_in

DUE = datetime(2026, 11, 20, 12)


@pytest.mark.parametrize(
    ("handed_in", "days"),
    [
        (datetime(2026, 11, 1), 0),
        (DUE, 0),
        (datetime(2026, 11, 20, 12, 0, 1), 1),
        (datetime(2026, 11, 21, 12), 1),
        (datetime(2026, 11, 21, 12, 0, 1), 2),
        (datetime(2027, 11, 20, 12), 365),
    ],
)
def test_a_day_that_has_begun_counts(handed_in, days):
    assert Lateness(DUE, 0.1).days(handed_in) == days


def test_nobody_has_less_than_nothing():
    lateness = Lateness(DUE, 0.3)
    assert [round(lateness.kept(days), 9) for days in range(6)] == [1, 0.7, 0.4, 0.1, 0, 0]


@pytest.mark.parametrize(
    ("text", "time"),
    [
        ("2026-11-20T23:59", datetime(2026, 11, 20, 23, 59)),
        ("2026-11-20 23:59:30 +0100", datetime(2026, 11, 20, 23, 59, 30)),
        ("Day 1_ada_attempt_2026-11-20-09-05-07_2026.zip", datetime(2026, 11, 20, 9, 5, 7)),
        ("Friday, 20 November 2026, 12:15 AM", datetime(2026, 11, 20, 0, 15)),
        ("Friday, 20 November 2026, 12:15 PM", datetime(2026, 11, 20, 12, 15)),
        ("20 November 2026, 17:05", datetime(2026, 11, 20, 17, 5)),
        ("2026-13-45 23:59", None),
        ("20 Brumaire 2026, 17:05", None),
        ("12026-11-20 23:59", None),
        ("2026-11-20", None),
        ("", None),
    ],
)
def test_a_time_in_a_text(text, time):
    assert time_in(text) == time
