"""Generated documents for corpora on disk."""

import pytest

from lxmls_day1.engine.text import text_blocks
from lxmls_day1.engine.text.toy_stream import toy_documents


@pytest.fixture(scope="session")
def documents():
    return [document for block in toy_documents(700, seed=2, n_classes=3, n_words=30) for document in block]


@pytest.fixture(scope="session")
def source(tmp_path_factory, documents):
    path = tmp_path_factory.mktemp("source") / "mails.tsv"
    path.write_text("label\ttext\n" + "".join(f"{label}\t{text}\n" for label, text in documents))
    return path


@pytest.fixture
def small_pieces(monkeypatch):
    """Read files in pieces of a few kilobytes, so that every file has many pieces."""
    monkeypatch.setattr(text_blocks, "PIECE_BYTES", 5000)
