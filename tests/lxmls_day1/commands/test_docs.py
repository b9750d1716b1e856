import webbrowser

import pytest
from click.testing import CliRunner

import lxmls_day1.library_path
from lxmls_day1.commands.command_line import command_group


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A checkout with a blank in its name, whose documentation is not built yet."""
    folder = tmp_path / "day 1"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs/conf.py").touch()
    monkeypatch.setattr(lxmls_day1.library_path, "reference_place", lambda: str(folder))
    return folder


@pytest.fixture
def opened(monkeypatch):
    addresses = []
    monkeypatch.setattr(webbrowser, "open", lambda address: addresses.append(address) or len(addresses) == 1)
    return addresses


def docs(*arguments):
    return CliRunner().invoke(command_group, ["docs", *arguments])


def test_the_built_book_is_opened(checkout, opened):
    (checkout / "out/docs").mkdir(parents=True)
    (checkout / "out/docs/index.html").touch()
    address = (checkout / "out/docs/index.html").as_uri()
    assert "day%201" in address
    done = docs()
    assert (done.exit_code, done.output, opened) == (0, f"{address}\n", [address])
    again = docs()  # where there is no browser
    assert again.exit_code == 0 and "open this address" in again.output
    assert docs("--no-browser").output == f"{address}\n" and len(opened) == 2


def test_what_is_not_built_is_said_with_how_to_build_it(checkout, opened):
    done = docs()
    assert done.exit_code == 1 and not opened
    assert "`make docs`" in done.output and str(checkout) in done.output


def test_an_installation_says_that_it_comes_without(tmp_path, monkeypatch, opened):
    monkeypatch.setattr(lxmls_day1.library_path, "reference_place", lambda: str(tmp_path))
    done = docs()
    assert done.exit_code == 1 and not opened
    assert "checkout" in done.output and "`make docs`" in done.output
