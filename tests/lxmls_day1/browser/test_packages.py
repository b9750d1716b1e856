"""Wheels that are made of installed packages, as a page takes them."""

import hashlib
import io
import zipfile
from pathlib import PurePosixPath

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.browser import packages
from lxmls_day1.browser.packages import INSTALLED_PACKAGES, Wheel, installed_wheel


@pytest.fixture
def install(tmp_path, monkeypatch):
    """A function that installs a package of these files."""

    def one(files: dict[str, str]) -> None:
        site = tmp_path / "site"
        for name, text in {**files, "made_up-2.0.dist-info/METADATA": "Name: made-up\nVersion: 2.0\n"}.items():
            (site / name).parent.mkdir(parents=True, exist_ok=True)
            (site / name).write_text(text)
        record = "\n".join(f"{path.relative_to(site)},," for path in site.rglob("*") if path.is_file())
        (site / "made_up-2.0.dist-info/RECORD").write_text(record + "\n../../bin/made-up,,\n")
        monkeypatch.syspath_prepend(str(site))

    return one


def test_it_holds_the_files_that_are_installed_and_nothing_of_this_machine(install):
    left_out = {"made_up/__pycache__/a.pyc": "", "made_up/tests/test_x.py": ""}
    install({"made_up/__init__.py": "x = 1", "made_up_too.py": "", **left_out})
    wheel = installed_wheel("made-up")
    assert (wheel.file_name, wheel.imports) == ("made_up-2.0-py3-none-any.whl", ("made_up", "made_up_too"))
    with zipfile.ZipFile(io.BytesIO(wheel.content)) as archive:
        assert archive.namelist() == ["made_up-2.0.dist-info/METADATA", "made_up/__init__.py", "made_up_too.py"]
        assert archive.read("made_up/__init__.py") == b"x = 1"
    assert installed_wheel("made-up").content == wheel.content


def test_a_compiled_package_is_refused(install):
    install({"made_up/__init__.py": "", "made_up/fast.so": ""})
    with pytest.raises(InputError, match="compiled"):
        installed_wheel("made-up")


def test_a_missing_package_is_named():
    with pytest.raises(InputError, match=r"no-such-package.*not installed.*\[browser\]"):
        installed_wheel("no-such-package")


def test_files_that_are_gone_are_said(install, tmp_path):
    install({"made_up.py": ""})
    (tmp_path / "site/made_up-2.0.dist-info/RECORD").write_text("made_up-2.0.dist-info/METADATA,,\n")
    with pytest.raises(InputError, match="install it again"):
        installed_wheel("made-up")


def test_what_a_page_is_told_of_it():
    wheel = Wheel("made-up", "2.0", "made_up-2.0-py3-none-any.whl", b"zip", ("made_up",), ("numpy",))
    entry = wheel.lock_entry("../wheels/")
    assert entry["file_name"] == "../wheels/made_up-2.0-py3-none-any.whl"
    assert entry["sha256"] == hashlib.sha256(b"zip").hexdigest() and entry["depends"] == ["numpy"]


def test_whatever_one_needs_is_in_the_table():
    assert all(needed in INSTALLED_PACKAGES for needs in INSTALLED_PACKAGES.values() for needed in needs)
    assert not packages.EXCLUDED_FILES.search(str(PurePosixPath("pytest/__init__.py")))
