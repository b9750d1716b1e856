import io
import zipfile
from pathlib import PurePosixPath

from lxmls_day1.course.workspaces.archives import zipped

FILES = {PurePosixPath("b/ä.py"): b"x = 1\n" * 100, PurePosixPath("a.txt"): b""}


def test_the_same_files_give_the_same_bytes_in_any_order():
    assert zipped(FILES, "lab") == zipped(dict(reversed(FILES.items())), "lab")


def test_an_archive_contains_the_files():
    archive = zipfile.ZipFile(io.BytesIO(zipped(FILES, "lab")))
    assert archive.namelist() == ["lab/a.txt", "lab/b/ä.py"]
    assert archive.read("lab/b/ä.py") == FILES[PurePosixPath("b/ä.py")]
    assert {entry.external_attr >> 16 for entry in archive.infolist()} == {0o100644}
    assert {entry.date_time for entry in archive.infolist()} == {(2020, 2, 2, 0, 0, 0)}


def test_the_date_can_be_set(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert zipfile.ZipFile(io.BytesIO(zipped(FILES, "lab"))).infolist()[0].date_time == (2023, 11, 14, 22, 13, 20)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    assert zipfile.ZipFile(io.BytesIO(zipped(FILES, "lab"))).infolist()[0].date_time == (1980, 1, 1, 0, 0, 0)
