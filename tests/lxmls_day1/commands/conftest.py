"""The folders in which tests of commands run."""

import pytest


@pytest.fixture
def somewhere(tmp_path, monkeypatch):
    """Make an empty folder the current folder."""
    monkeypatch.chdir(tmp_path)
