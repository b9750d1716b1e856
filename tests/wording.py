"""The sentences that tests expect in messages, in one table: rewording a message changes the code and the table, but no test."""

import functools
import tomllib
from pathlib import Path

TABLE = Path(__file__).with_suffix(".toml")


@functools.cache
def sentences():
    """Return the table: "section.key" -> sentence."""
    sections = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    return {f"{section}.{key}": sentence for section, rows in sections.items() for key, sentence in rows.items()}


def wording(key, *values):
    """Return a sentence of the table, its {0}, {1} … filled in with values."""
    return sentences()[key].format(*values) if values else sentences()[key]
