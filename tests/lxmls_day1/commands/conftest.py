"""Where tests of commands run."""

import pytest


@pytest.fixture
def somewhere(tmp_path, monkeypatch):
    """An empty folder as the current one."""
    monkeypatch.chdir(tmp_path)
