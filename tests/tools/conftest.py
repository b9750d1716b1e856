"""The tiny reference lab, shared with the tests of the course."""

from tests.lxmls_day1.course.conftest import *  # noqa: F403  # fixtures, by their names
