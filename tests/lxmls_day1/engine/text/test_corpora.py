import contextlib
import functools
import gzip
import hashlib
import io
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from lxmls_day1.base.errors import CorpusUnavailable, InputError
from lxmls_day1.engine.text.corpora import CORPORA, Corpus, corpus_named, find_corpus, sha256_of_files
from lxmls_day1.engine.text.downloads import CorpusFile, Network, PlainFiles, TarArchive
from tests.serving import running
from tests.wording import wording

ROOT = Path(__file__).parents[4]
ONCE = Network(connect_timeout=5, read_timeout=0.5, retries=0)
CONTENT = {
    (name, f"{label}.review"): f"{label}:1 {name}:{i} #label#:{label}\n".encode() * 50
    for i, name in enumerate(("books", "dvd", "kitchen"), start=1)
    for label in ("positive", "negative")
}


def answer(body, status=200, declared_length=None, stall=None):
    """Return the server's answer for one address; the body stops in the middle until the event `stall`."""
    return {"body": body, "status": status, "declared_length": declared_length, "stall": stall}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked_for.append(self.path)
        given = self.server.answers.get(self.path, answer(b"not here", 404))
        given = given.pop(0) if isinstance(given, list) else given
        body = given["body"]
        self.send_response(given["status"])
        self.send_header("Content-Length", str(given["declared_length"] or len(body)))
        self.end_headers()
        with contextlib.suppress(OSError):  # The client may have disconnected.
            if given["stall"]:
                self.wfile.write(body[: len(body) // 2])
                self.wfile.flush()
                given["stall"].wait(30)
                body = body[len(body) // 2 :]
            self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    """Yield a web server on loopback: `answers` maps paths to answers, `asked_for` lists the requests."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with running(ThreadingHTTPServer(("127.0.0.1", 0), Handler)) as http:
        http.answers, http.asked_for = {}, []
        http.url = f"http://127.0.0.1:{http.server_port}"
        yield http
        for given in http.answers.values():
            if isinstance(given, dict) and given["stall"]:
                given["stall"].set()


@pytest.fixture(autouse=True)
def online_without_data(monkeypatch):
    monkeypatch.delenv("LXMLS_DAY1_OFFLINE")
    monkeypatch.delenv("LXMLS_DAY1_DATA", raising=False)


def content_of(name):
    return {file: content for (corpus, file), content in CONTENT.items() if corpus == name}


def row(name, source):
    hashes = {file: hashlib.sha256(content).hexdigest() for file, content in content_of(name).items()}
    files = tuple(CorpusFile(file, sha256, max_bytes=10_000) for file, sha256 in hashes.items())
    return Corpus(name, f"sentiment/{name}", files, source)


@pytest.fixture
def table(server):
    archive = TarArchive(f"{server.url}/all.tar.gz")
    plain = PlainFiles(f"{server.url}/plain/")
    return {"books": row("books", plain), "dvd": row("dvd", archive), "kitchen": row("kitchen", archive)}


@pytest.fixture
def find(table, tmp_path):
    """Return `find_corpus` for this table and an empty cache."""
    return functools.partial(find_corpus, table=table, cache_dir=tmp_path / "cache", network=ONCE)


def serve_books(server, **changes):
    for label in ("positive", "negative"):
        server.answers[f"/plain/{label}.review"] = answer(CONTENT["books", f"{label}.review"], **changes)


def tar_gz(members):
    """Return an archive of (name or TarInfo, content) pairs."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for member, content in members:
            info = member if isinstance(member, tarfile.TarInfo) else tarfile.TarInfo(member)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return buffer.getvalue()


def good_members(*domains, under="processed_acl/"):
    return [(f"{under}{name}/{file}", content) for (name, file), content in CONTENT.items() if name in domains]


def files_under(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def assert_is(found, name, origin):
    assert found.origin == origin
    assert {file: path.read_bytes() for file, path in found.paths.items()} == content_of(name)


def put(folder, name="books"):
    folder.mkdir(parents=True)
    for file, content in content_of(name).items():
        (folder / file).write_bytes(content)
    return folder


# ---------------------------------------------------------------------------------------------------------- the table


def test_the_table_pins_the_real_files(real_data):
    paths = {real_data / corpus.folder / file.name: file.sha256 for corpus in CORPORA.values() for file in corpus.files}
    present = [path for path in paths if path.is_file()]
    assert present
    assert sha256_of_files(present) == [paths[path] for path in present]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("electronic", "there are books, dvd, electronics, kitchen, toy; did you mean 'electronics'"),
        ("Books", "did you mean 'books'"),
        ("zzz", "toy$"),
        (3, "there is no corpus 3"),
    ],
)
def test_an_unknown_name_is_reported_with_the_known_names(wrong, message):
    with pytest.raises(InputError, match=message):
        corpus_named(wrong, "sentiment")


# ---------------------------------------------------------------------------------------------------- on this machine


@pytest.mark.parametrize("below", ["sentiment/books", "books", "."])
def test_data_dir_may_be_any_of_three_folders(find, tmp_path, below, server):
    root = tmp_path / "books" if below == "." else tmp_path / "data"
    folder = put(root / below)
    found = find("books", root)
    assert found.folder == folder
    assert_is(found, "books", "data_dir")
    assert server.asked_for == []


def test_the_folder_of_another_domain_is_not_used(find, tmp_path):
    folder = put(tmp_path / "books")
    with pytest.raises(InputError, match=wording("engine.does_hold_dvd_corpus")):
        find("dvd", folder)


@pytest.mark.parametrize("below", ["sentiment/books", "books"])
def test_the_environment_names_a_data_folder(find, tmp_path, monkeypatch, below, server):
    put(tmp_path / "data" / below)
    monkeypatch.setenv("LXMLS_DAY1_DATA", str(tmp_path / "data"))
    assert_is(find("books"), "books", "environment")
    assert server.asked_for == []


def test_the_toy_corpus_needs_nothing(monkeypatch):
    monkeypatch.setenv("LXMLS_DAY1_OFFLINE", "1")
    assert find_corpus("toy").origin == "package"


def test_files_copied_into_the_cache_are_found(find, tmp_path, server):
    put(tmp_path / "cache" / "corpora" / "sentiment" / "books")
    assert_is(find("books"), "books", "cache")
    assert server.asked_for == []


@pytest.mark.parametrize("value", ["1", "true", "yes"])
def test_offline_skips_the_network(find, tmp_path, monkeypatch, server, value):
    serve_books(server)
    monkeypatch.setenv("LXMLS_DAY1_OFFLINE", value)
    monkeypatch.setenv("LXMLS_DAY1_DATA", str(tmp_path / "nowhere"))
    with pytest.raises(CorpusUnavailable) as raised:
        find("books")
    message = str(raised.value)
    assert server.asked_for == []
    assert "LXMLS_DAY1_OFFLINE is set" in message
    assert str(tmp_path / "nowhere" / "sentiment" / "books") in message
    assert wording("engine.set_lxmls_day_data") in message
    assert wording("engine.put_these_files", tmp_path / "cache" / "corpora" / "sentiment" / "books") in message


# -------------------------------------------------------------------------------------------------------- plain files


def test_a_download_is_kept_and_used_again(find, tmp_path, server):
    serve_books(server)
    found = find("books")
    assert_is(found, "books", "download")
    assert sorted(server.asked_for) == ["/plain/negative.review", "/plain/positive.review"]
    assert_is(find("books"), "books", "cache")
    assert len(server.asked_for) == 2
    assert files_under(tmp_path / "cache/corpora/sentiment/books") == ["negative.review", "positive.review"]
    assert len(files_under(tmp_path / "cache")) == 2


GOOD = CONTENT["books", "positive.review"]
BAD_ANSWERS = {
    "truncated": (answer(GOOD[:100], declared_length=len(GOOD)), "the connection was lost before the end"),
    "short": (answer(GOOD[:100]), "the downloaded file has the wrong checksum"),
    "corrupted": (answer(GOOD[:-2] + b"?\n"), "the downloaded file has the wrong checksum"),
    "empty": (answer(b""), "the downloaded file has the wrong checksum"),
    "too large": (answer(b"x" * 10_001), "larger than 10000 bytes"),
    "not found": (answer(b"no such thing", 404), "the server answered 404 for http://127.0.0.1:"),
    "failing": (answer(b"oops", 500), "the server answered 500"),
}


def assert_fails_then_works(find, name, tmp_path, server, message, repair):
    with pytest.raises(CorpusUnavailable) as raised:
        find(name)
    text = str(raised.value)
    assert message in text
    assert server.url in text
    assert "set LXMLS_DAY1_DATA" in text
    assert "\n" not in text
    bad = [path for path in files_under(tmp_path / "cache") if path not in known_good(tmp_path / "cache")]
    assert bad == []
    assert list((tmp_path / "cache" / "corpora").glob("lxmls-day1-*")) == []
    repair()
    assert_is(find(name), name, "download")


def known_good(cache):
    return {
        f"corpora/sentiment/{name}/{file}"
        for (name, file), content in CONTENT.items()
        if (path := cache / "corpora" / "sentiment" / name / file).is_file() and path.read_bytes() == content
    }


@pytest.mark.parametrize("bad_file", ["positive.review", "negative.review"])
@pytest.mark.parametrize(("bad", "message"), BAD_ANSWERS.values(), ids=BAD_ANSWERS)
def test_a_bad_answer_is_an_error_and_leaves_nothing_bad(find, tmp_path, server, bad, message, bad_file):
    serve_books(server)
    server.answers[f"/plain/{bad_file}"] = bad
    assert_fails_then_works(find, "books", tmp_path, server, message, repair=lambda: serve_books(server))


def test_an_unreachable_server_is_an_error(find, table):
    table["books"] = replace(table["books"], source=PlainFiles("http://127.0.0.1:9/"))
    with pytest.raises(CorpusUnavailable, match=wording("engine.server_cannot_reached")):
        find("books")


def test_only_a_damaged_file_in_the_cache_is_downloaded_again(find, tmp_path, server):
    serve_books(server)
    find("books")
    server.asked_for.clear()
    (tmp_path / "cache/corpora/sentiment/books/negative.review").write_bytes(b"damaged")
    assert_is(find("books"), "books", "download")
    assert server.asked_for == ["/plain/negative.review"]


def test_an_unwritable_cache_is_reported(find, tmp_path, server):
    serve_books(server)
    (tmp_path / "cache").write_text("in the way of a folder")
    with pytest.raises(CorpusUnavailable, match=wording("engine.cache_cannot_written")):
        find("books")


DOWNLOAD_IN_ANOTHER_PROCESS = """
import sys
from pathlib import Path
from lxmls_day1.engine.text.corpora import Corpus, find_corpus
from lxmls_day1.engine.text.downloads import CorpusFile, PlainFiles
url, cache, *checksums = sys.argv[1:]
files = tuple(CorpusFile(f"{label}.review", sha) for label, sha in zip(("positive", "negative"), checksums))
table = {"books": Corpus("books", "sentiment/books", files, PlainFiles(url))}
print(find_corpus("books", table=table, cache_dir=cache).origin)
"""


def start_download(server, cache):
    checksums = [hashlib.sha256(CONTENT["books", f"{label}.review"]).hexdigest() for label in ("positive", "negative")]
    command = [sys.executable, "-c", DOWNLOAD_IN_ANOTHER_PROCESS, f"{server.url}/plain/", str(cache), *checksums]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for another process")
def test_an_interrupt_leaves_nothing_that_the_next_run_trusts(find, tmp_path, server):
    release = threading.Event()
    serve_books(server)
    server.answers["/plain/negative.review"] = answer(CONTENT["books", "negative.review"], stall=release)
    with start_download(server, tmp_path / "cache") as process:
        wait_until(lambda: "/plain/negative.review" in server.asked_for)
        process.send_signal(signal.SIGINT)
        process.wait(30)
        assert "KeyboardInterrupt" in process.stderr.read()
    release.set()
    cache = tmp_path / "cache"
    assert files_under(cache) == sorted(known_good(cache)) == ["corpora/sentiment/books/positive.review"]
    assert [path.name for path in (cache / "corpora").iterdir()] == ["sentiment"]
    serve_books(server)
    assert_is(find("books"), "books", "download")


def wait_until(condition):
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


# ----------------------------------------------------------------------------------------------------------- archives


def test_an_archive_is_read_by_name_and_gives_all_its_corpora(find, tmp_path, server):
    members = [
        ("processed_acl/README", b"read me"),
        ("processed_acl/books/unlabeled.review", b"x" * 100_000),
        *good_members("dvd", "kitchen"),
    ]
    server.answers["/all.tar.gz"] = answer(tar_gz(members))
    assert_is(find("dvd"), "dvd", "download")
    assert_is(find("kitchen"), "kitchen", "cache")
    assert server.asked_for == ["/all.tar.gz"]
    both = ["negative.review", "positive.review"]
    kept = [f"corpora/sentiment/{name}/{file}" for name in ("dvd", "kitchen") for file in both]
    assert files_under(tmp_path / "cache") == kept


def link(name, target, kind=tarfile.SYMTYPE):
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


def hostile_archive(tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_bytes(CONTENT["dvd", "negative.review"])
    return tar_gz(
        [
            ("../../../escaped.txt", b"out"),
            (str(tmp_path / "absolute.txt"), b"out"),
            (link("processed_acl/dvd", str(tmp_path / "elsewhere")), b""),
            (link("processed_acl/dvd/negative.review", str(outside)), b""),
            (link("x/dvd/negative.review", str(outside), tarfile.LNKTYPE), b""),
            (link("y/dvd/positive.review", "/dev/zero", tarfile.CHRTYPE), b""),
            ("../dvd/positive.review", b"not what was pinned"),
            ("processed_acl/dvd/positive.review", b"x" * 10_001),
        ]
    )


def cut_archive():
    return tar_gz([("filler", os.urandom(50_000)), *good_members("dvd")])[:-20_000]


def damaged_gzip():
    content = bytearray(tar_gz(good_members("dvd")))
    content[len(content) // 2] ^= 0xFF
    return bytes(content)


def huge_header():
    """Return a header that announces a file name of ten gigabytes."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 10 * 2**30
    return gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(100_000))


BAD_ARCHIVES = {
    "hostile": (hostile_archive, "does not hold positive.review and negative.review with the right checksum"),
    "without the members": (lambda _: tar_gz([("processed_acl/README", b"")]), "does not hold positive.review"),
    "with one of two": (lambda _: tar_gz(good_members("dvd")[:1]), "does not hold negative.review with the right"),
    "huge header": (lambda _: huge_header(), "the downloaded archive is damaged"),
    "cut": (lambda _: cut_archive(), "downloaded archive is damaged"),
    "damaged": (lambda _: damaged_gzip(), "did not deliver it"),
    "not an archive": (lambda _: b"<html>Welcome</html>", "the downloaded archive is damaged"),
    "no tar": (lambda _: gzip.compress(b"hello"), "the downloaded archive is damaged"),
}


@pytest.mark.parametrize(("make", "message"), BAD_ARCHIVES.values(), ids=BAD_ARCHIVES)
def test_a_bad_archive_is_an_error_and_leaves_nothing_bad(find, tmp_path, server, make, message):
    server.answers["/all.tar.gz"] = answer(make(tmp_path))
    before = files_under(tmp_path)

    def repair():
        new = set(files_under(tmp_path)) - set(before)
        assert new <= {f"cache/{path}" for path in known_good(tmp_path / "cache")}
        server.answers["/all.tar.gz"] = answer(tar_gz(good_members("dvd")))

    assert_fails_then_works(find, "dvd", tmp_path, server, message, repair)
