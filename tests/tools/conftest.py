"""The tiny reference lab, shared with the tests of the course, and a real browser, shared with those of the browser lab."""

from tests.lxmls_day1.browser.conftest import builders, pyodide_folder, served_folder  # noqa: F401
from tests.lxmls_day1.conftest import chromium, new_page, serious  # noqa: F401
from tests.lxmls_day1.course.conftest import *  # noqa: F403  # fixtures, by their names
