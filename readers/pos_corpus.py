"""Sentences whose words have part-of-speech tags: treebanks in the CoNLL-U format, and a small example corpus.

In a CoNLL-U file each word is a line of ten columns separated by tabs, a blank line ends a sentence, and lines
that begin with # are comments::

    # text = They don't bite.
    1	They	they	PRON	PRP	…
    2-3	don't	_	_	_	…
    2	do	do	AUX	VBP	…
    3	n't	not	PART	RB	…

A tagger needs the second column, and the fourth (UPOS, the 17 tags that all languages share) or the fifth (XPOS, tags of the
language). Lines such as ``2-3``, which show how words are written together, and ``8.1``, which represent an omitted word,
are skipped.

References
----------
J. Nivre et al. (2020), *Universal Dependencies v2: An Evergrowing Multilingual Treebank Collection*, LREC 2020.
N. Silveira et al. (2014), *A Gold Standard Dependency Corpus for English*, LREC 2014: the English Web Treebank.
"""

import math
import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence, Set
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lxmls_day1.lab_api import InputError, text_data
from readers.splitting import split_ends

#: The kinds of tags in a treebank.
TAG_KINDS = ("upos", "xpos")

#: The formats of tagged words.
FORMATS = ("columns", "conllu", "crfsuite")

_COLUMNS = ["ID", "FORM", "LEMMA", "UPOS", "XPOS", "FEATS", "HEAD", "DEPREL", "DEPS", "MISC"]
_NR_COLUMNS = len(_COLUMNS)
_GLOBAL_COLUMNS = "# global.columns ="
_CONLLU_COMMENTS = (_GLOBAL_COLUMNS, "# sent_id =", "# text =", "# newdoc", "# newpar")
_FORMAT_OF_SUFFIX = {".conllu": "conllu", ".conllup": "conllu", ".crfsuite": "crfsuite"}
_WORD_COLUMN_NAMES = frozenset(("word", "words", "token", "tokens", "form", "text"))
_TAG_COLUMN_NAMES = frozenset(("tag", "tags", "pos", "upos", "xpos", "ner", "ner_tag", "pos_tag", "label", "labels"))
_MAX_TAGS_SHOWN = 6
_MIN_WORDS_FOR_TAG_CHECK = 8  # from this number of words on, more tags than half of the words are not a set of tags
_NAME_WITH_VALUE = re.compile(r".+:[-+]?[0-9.]+")
_FRACTION = re.compile(r"[-+]?[0-9]*\.[0-9]+")
_FEATURE = re.compile(r"((?:[^\\:]|\\.)+)(?::([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?))?")
_ESCAPED = re.compile(r"\\(.)")
_RANGE_OR_EMPTY = re.compile(r"[1-9][0-9]*-[1-9][0-9]*|[0-9]+\.[1-9][0-9]*")


class TaggedSentence(NamedTuple):
    """A sentence: words, and the tag of each. A word is a string, or its explicit features (`parse_crfsuite`).

    Examples
    --------
    >>> sentence = TaggedSentence(("Dogs", "bark"), ("NOUN", "VERB"))
    >>> list(zip(sentence.words, sentence.tags))
    [('Dogs', 'NOUN'), ('bark', 'VERB')]
    """

    words: tuple[Any, ...]
    tags: tuple[str, ...]


class TaggedFile(NamedTuple):
    """The sentences of a file, and the format in which the file was read."""

    sentences: list[TaggedSentence]
    form: str  # one of `FORMATS`
    described: str  # the columns, sentences and tags, in one line


# -------------------------------------------------------------------------------------------------------------- parsing


def parse_crfsuite(content: bytes, name: str = "the text given") -> list[TaggedSentence]:
    """Read the content of a file in CRFsuite's format: a line for each word, with its tag and its features between tabs.

    An empty line ends a sentence, and a line that begins with # and has no tab is a comment.
    A name may be followed by the value of the feature, as in ``length:4.5``; the default value is 1. As in CRFsuite, a colon in a
    name is written ``\\:`` and a backslash is written twice.

    Parameters
    ----------
    content : bytes
    name : str
        The name of the file in error messages.

    Returns
    -------
    list of TaggedSentence
        Each word is a tuple of feature names, or, if a value is not 1, a dictionary from names to values.

    Raises
    ------
    InputError
        If the file is not UTF-8, a line has no tag, the value of a feature is not finite, or there is no sentence.

    Examples
    --------
    >>> parse_crfsuite(b"NOUN\\tlower=dogs\\tcapital\\nVERB\\tlower=bark\\n")
    [TaggedSentence(words=(('lower=dogs', 'capital'), ('lower=bark',)), tags=('NOUN', 'VERB'))]
    >>> parse_crfsuite(b"NOUN\\tlower=dogs\\tlength:4.5\\n")[0].words
    ({'lower=dogs': 1.0, 'length': 4.5},)
    """
    sentences: list[TaggedSentence] = []
    words: list[tuple[Any, str]] = []
    for number, line in enumerate([*_lines(content, name), ""], start=1):
        if _is_comment(line):
            continue
        if line:
            tag, *features = line.split("\t")
            tag = tag.strip()
            found = [_feature(feature) for feature in features]
            if not tag or None in found:
                wrong = "no tag" if not tag else f"the feature {_quoted(features[found.index(None)])}"
                raise InputError(
                    f"{name}, line {number}: got {wrong}; expected a tag and the names of features, separated by tab characters, each "
                    "perhaps with a finite number after a colon (write a colon in a name as \\:)"
                )
            words.append((_features_of_word(found), tag))
        elif words:
            sentences.append(TaggedSentence(*zip(*words, strict=True)))
            words = []
    return _not_empty(sentences, name)


def _not_empty(sentences: list[Any], name: str) -> list[Any]:
    """Return the sentences of a file; raise an error if there are none."""
    if not sentences:
        raise InputError(f"{name}: expected sentences, got a file without any words")
    return sentences


def _feature(text: str) -> tuple[str, float] | None:
    """Return the name and the value of a feature in CRFsuite's format, or None if it is malformed."""
    match = _FEATURE.fullmatch(text)
    value = float(match[2] or 1) if match else math.inf
    return (_ESCAPED.sub(r"\1", match[1]), value) if match and math.isfinite(value) else None


def _features_of_word(features: Sequence[Any]) -> tuple[str, ...] | dict[str, float]:
    """Return the names of the features of a word, or, if their values are not all 1, a dictionary; values of repeated names are added."""
    if all(value == 1.0 for _, value in features):
        return tuple(name for name, _ in features)
    values: dict[str, float] = {}
    for name, value in features:
        values[name] = values.get(name, 0.0) + value
    return values


def read_tagged(
    content: bytes,
    name: str = "the text given",
    tags: str | int = "upos",
    form: str | None = None,
    word_column: str | int | None = None,
) -> TaggedFile:
    """Read tagged sentences, a word on each line, and report the format.

    Parameters
    ----------
    content : bytes
    name : str
        The name of the file in error messages; its suffix is the first clue to the format.
    tags : "upos", "xpos", or the name or number of a column
        The column of the tags. If the columns have no names, "upos" means the last column.
    form : {"conllu", "crfsuite", "columns"}, optional
        Default: guessed from the name, the comments, the number of columns, and the values in them.
    word_column : str or int, optional
        The column of the words, for the format "columns" only. Default: the first column that is not a counter.

    Raises
    ------
    InputError
        If the file violates its format, or its tags are not a set of tags, for example a counter, or a different tag for each word.

    Examples
    --------
    >>> read_tagged(b"Dogs\\tNOUN\\nbark\\tVERB\\n.\\tPUNCT\\n\\nDogs\\tNOUN\\nsleep\\tVERB\\n", "mine.tsv").described
    'word and tag in 2 columns; 2 sentences, 3 tags: NOUN, PUNCT, VERB'
    """
    lines = _lines(content, name)
    found = form or guess_tagged_format(lines, name)
    if found not in FORMATS:
        wanted = "tagged words: a line for each word, with the word and its tag between tabs or spaces (or CoNLL-U, or CRFsuite's format)"
        if form is not None:
            raise InputError(f"{name}: format must be {', '.join(FORMATS)} for tagged words, but is {form!r}")
        first = next(filter(None, lines), None)
        raise InputError(f"{name}: expected {wanted}, got {'no lines' if first is None else _quoted(first)}")
    if word_column is not None and found != "columns":
        raise InputError(
            f"{name} is read as {found}, which has no column of words to choose (--text-column); leave this option out, or read columns "
            "(--format columns); --label-column may be upos or xpos for CoNLL-U"
        )
    skipped: list[str] = []
    if found == "crfsuite":
        sentences, described = parse_crfsuite(content, name), "tag and features of each word (CRFsuite)"
        skipped = [line for line in lines if _is_comment(line)]
    elif found == "conllu":
        sentences = parse_conllu(content, str(tags), name)
        names = _global_columns(lines)
        described = "CoNLL-U" if names is None else f"CoNLL-U Plus, {len(names)} columns"
        described = f"words and {str(tags).upper()} tags ({described})"
    else:
        sentences, described, skipped = _parse_columns(lines, name, tags, word_column)
    used = sorted({tag for sentence in sentences for tag in sentence.tags})
    _check_tag_set(sentences, used, name, found if form is None else None)
    shown = ", ".join(used[:_MAX_TAGS_SHOWN]) + ", …" * (len(used) > _MAX_TAGS_SHOWN)
    described += f"; {_format_count(len(sentences), 'sentence')}, {_format_count(len(used), 'tag')}: {shown}"
    if skipped:
        described += f"; skipped {_format_count(len(skipped), 'line')} such as {_quoted(skipped[0])}"
    return TaggedFile(sentences, found, described)


def guess_tagged_format(lines: Sequence[str], name: str, known_tags: Sequence[str] = ()) -> str | None:
    """Return the format of a file of tagged words, one of `FORMATS`, or None if it has no columns.

    ``known_tags`` are the tags of a tagger that will tag the file, which may then also be plain text. In this case a file has columns
    only if all lines have the same number of columns and, if separated by spaces, end with a known tag.

    Examples
    --------
    >>> guess_tagged_format(["The\\tDET", "dog\\tNOUN", ".\\tPUNCT"], "mine.tsv"), guess_tagged_format(["DET\\tw=The"], "mine.txt")
    ('columns', 'crfsuite')
    """
    ending = Path(name).suffix.lower()
    if ending in _FORMAT_OF_SUFFIX or any(line.startswith(_CONLLU_COMMENTS) for line in lines):
        return _FORMAT_OF_SUFFIX.get(ending, "conllu")
    by_tabs = [_cells(line) for line in lines if line.strip() and not _is_comment(line)]
    if not any(len(row) > 1 for row in by_tabs):
        rows = [line.split() for line in lines if line.strip() and not line.startswith(("# ", "-DOCSTART-"))]
        if {len(row) for row in rows} == {_NR_COLUMNS} and rows[0][0] == "1":
            return "conllu"  # with spaces instead of tabs; the parser reports the line
        is_table = {len(row) for row in rows} in ({2}, {3}, {4}, {5}, {6})
        return "columns" if is_table and (not known_tags or {row[-1] for row in rows} <= {*known_tags}) else None
    widths = {len(row) for row in by_tabs}
    if widths == {_NR_COLUMNS} and (by_tabs[0][0] == "1" or _RANGE_OR_EMPTY.fullmatch(by_tabs[0][0])):
        return "conllu"
    behind = [cell for row in by_tabs for cell in row[1:]]
    if 2 * sum("=" in cell or _NAME_WITH_VALUE.fullmatch(cell) is not None for cell in behind) > len(behind):
        return "crfsuite"
    if known_tags and len(widths) > 1:
        return None
    tags, others = {row[0] for row in by_tabs}, {row[-1] for row in by_tabs if len(row) > 1}
    numbers = {str(n) for n in range(len(by_tabs) + 1)}
    if tags <= numbers or others <= numbers or _header_names(by_tabs[0]) or all(map(_FRACTION.fullmatch, others)):
        return "columns"  # a counter, a header, or probabilities
    if len(tags) == len(others) and sum(map(str.isupper, others)) > sum(map(str.isupper, tags)):
        return "columns"  # tags are often in capitals
    return "crfsuite" if len(tags) <= len(others) and 2 * len(tags) <= max(len(by_tabs), 4) else "columns"


def _cells(line: str) -> list[str]:
    """Return the cells of a line between tab characters, without the blanks around them."""
    return [cell.strip() for cell in line.split("\t")]


def _header_names(row: Sequence[str]) -> list[str]:
    """Return the names of the columns in lower case if a row is a header, otherwise an empty list."""
    header = [cell.strip("# ").lower() for cell in row]
    return header if _WORD_COLUMN_NAMES & {*header} and _TAG_COLUMN_NAMES & {*header} else []


def _is_comment(line: str) -> bool:
    """Return True if a line of tab-separated columns is a comment: it begins with # and has one column, but is not only the tag #."""
    return line.startswith("#") and "\t" not in line and line != "#"


def _global_columns(lines: Sequence[str]) -> list[str] | None:
    """Return the column names of a CoNLL-U Plus file, which precede its first word, or None for another format."""
    comments = takewhile(lambda line: not line or line.startswith("#"), lines)
    first = next((line for line in comments if line.startswith(_GLOBAL_COLUMNS)), None)
    return None if first is None else first.removeprefix(_GLOBAL_COLUMNS).split()


def _sentences_of_rows(lines: Sequence[str], name: str) -> tuple[list[list[tuple[int, list[str]]]], list[str]]:
    """Return the cells of the lines of each sentence, with the number of the line, and the lines that were skipped."""
    by_tabs = any("\t" in line for line in lines)
    parted: list[list[tuple[int, list[str]]]] = [[]]
    skipped, width = [], 0
    for number, line in enumerate(lines, start=1):
        cells = _cells(line) if by_tabs else line.split()
        is_comment = line.startswith("#") and (line[1:2] == " " if by_tabs else len(cells) != width)
        if not line.strip():
            parted.append([])
        elif is_comment or line.startswith("-DOCSTART-"):
            skipped.append(line)
        else:
            width = width or len(cells)
            if len(cells) != width or width < 2:
                wanted = f"{width} as in the lines before" if width > 1 else "a word and a tag"
                raise InputError(
                    f"{name}, line {number}: got {_format_count(len(cells), 'column')}; expected {wanted}, between "
                    f"{'tab characters' if by_tabs else 'spaces'}"
                )
            parted[-1].append((number, cells))
    return _not_empty([rows for rows in parted if rows], name), skipped


def _parse_columns(
    lines: Sequence[str], name: str, tags: str | int, word_column: str | int | None
) -> tuple[list[TaggedSentence], str, list[str]]:
    """Return the sentences of columns, the description of the columns, and the lines that were skipped."""
    parted, skipped = _sentences_of_rows(lines, name)
    width = len(parted[0][0][1])
    names = _header_names(parted[0][0][1])
    if names:
        skipped.insert(0, lines[parted[0][0][0] - 1])
        parted = _not_empty([rows for rows in [parted[0][1:], *parted[1:]] if rows], name)
    in_sentences = all(_is_counter([row[0] for _, row in rows]) for rows in parted) and any(rows[1:] for rows in parted)
    running = [row[0] for rows in parted for _, row in rows]  # a counter may run through the whole file
    counter = width > 2 and (in_sentences or (len(running) > 1 and _is_counter(running)))
    if counter and width >= _NR_COLUMNS - 4:
        raise InputError(
            f"{name}: got {width} columns, of which the first counts the words; CoNLL-U has {_NR_COLUMNS}, and CoNLL-U Plus names its "
            "columns in a first line such as # global.columns = ID FORM UPOS"
        )

    def column(wanted: str | int | None, usual: Set[str], default: int, option: str) -> int:
        if wanted is None:
            return next((place for place, found in enumerate(names) if found in usual), default)
        place = names.index(wanted.lower()) if isinstance(wanted, str) and wanted.lower() in names else wanted
        if not isinstance(place, int) or not 0 <= place < width:
            known = f"{', '.join(names)}, or " if names else ""
            raise InputError(f"{name} has no column {wanted!r}; {option} must be {known}a number from 0 to {width - 1}")
        return place

    word = column(word_column, _WORD_COLUMN_NAMES, int(counter), "--text-column")
    wanted = None if tags == "upos" and "upos" not in names else tags
    tag = column(wanted, _TAG_COLUMN_NAMES, width - 1, "--label-column")
    if word == tag:
        raise InputError(f"{name}: words and tags must be different columns, but both are column {word}")
    sentences = []
    for rows in parted:
        for number, row in rows:
            if not (row[word] and row[tag]):
                raise InputError(f"{name}, line {number}: got an empty word or tag; expected both")
        sentences.append(TaggedSentence(tuple(row[word] for _, row in rows), tuple(row[tag] for _, row in rows)))
    has_one_tag = len({found for sentence in sentences for found in sentence.tags}) == 1
    if tags == "upos" and not names and has_one_tag and width > 2 + counter:
        raise InputError(
            f"{name}: the last column has the tag {_quoted(sentences[0].tags[0])} alone; if the tags are in another column, give its "
            f"number, {' or '.join(map(str, range(int(counter) + 1, width - 1)))}: --label-column (tags=)"
        )
    places = "" if (word, tag) == (0, 1) == (0, width - 1) else f": word in column {word}, tag in column {tag}"
    return sentences, f"word and tag in {width} columns{places}", skipped


def _check_tag_set(sentences: Sequence[TaggedSentence], tags: Sequence[str], name: str, guessed: str | None) -> None:
    """Raise an error if the tags cannot be a tag set: word numbers, a different tag for most words, or fractions."""
    n_words = sum(len(sentence.words) for sentence in sentences)
    n_different = len({repr(word) for sentence in sentences for word in sentence.words})
    counts = all(list(sentence.tags) == [str(n + 1) for n in range(len(sentence.tags))] for sentence in sentences)
    many = n_words >= _MIN_WORDS_FOR_TAG_CHECK and 2 * len(tags) > n_words
    wrong = ""
    if counts and len(tags) > 1:
        wrong = "count the words"
    elif many or (guessed is not None and n_different < len(tags) > 2):
        wrong = f"are {len(tags)} different ones for {n_words} words"
    elif guessed is not None and all(map(_FRACTION.fullmatch, tags)):
        wrong = "are fractions"
    if wrong:
        raise InputError(
            f"{name}: the tags, such as {_quoted(tags[0])}, {wrong}, so they are not a set of tags; expected a word and its tag on each "
            "line; choose the column of the tags with --label-column (tags=), or the format with --format (form=): "
            f"{', '.join(FORMATS)}"
        )


def _is_counter(cells: Sequence[str]) -> bool:
    """Return True if the cells are the numbers 0, 1, … or 1, 2, …."""
    return any(cells == [str(n + first) for n in range(len(cells))] for first in (0, 1))


def _format_count(number: int, noun: str) -> str:
    return f"{number} {noun}{'s' * (number != 1)}"


def parse_conllu(content: bytes, tags: str = "upos", name: str = "the text given") -> list[TaggedSentence]:
    """Read the content of a file in the CoNLL-U format.

    Parameters
    ----------
    content : bytes
    tags : {"upos", "xpos"}
        The kind of tags to read.
    name : str
        The name of the file in error messages.

    Returns
    -------
    list of TaggedSentence

    Raises
    ------
    InputError
        If the file is not UTF-8, the line of a word does not have ten columns or the next number of its sentence, a form or tag
        is missing, or there is no sentence; the message names file and line.

    Examples
    --------
    >>> line = "{}\\t{}\\t_\\t{}\\t_\\t_\\t_\\t_\\t_\\t_\\n"
    >>> text = "# two words\\n" + line.format(1, "Dogs", "NOUN") + line.format(2, "bark", "VERB")
    >>> parse_conllu(text.encode())
    [TaggedSentence(words=('Dogs', 'bark'), tags=('NOUN', 'VERB'))]
    """
    lines = _lines(content, name)
    names = _global_columns(lines)
    if names is None and Path(name).suffix.lower() == ".conllup":
        raise InputError(
            f"{name}: CoNLL-U Plus names its columns, but got no line such as # global.columns = ID FORM UPOS"
        )
    _check_tag_kind(tags if names is None else "upos")
    names = names or _COLUMNS
    wanted = str(tags).upper()
    if "FORM" not in names or wanted not in names:
        raise InputError(f"{name}: global.columns names {', '.join(names)}; expected FORM and {wanted} among them")
    column, form_column, n_columns = names.index(wanted), names.index("FORM"), len(names)
    id_column = names.index("ID") if "ID" in names else None
    sentences: list[TaggedSentence] = []
    forms: list[str] = []
    labels: list[str] = []
    known: dict[str, str] = {}  # stores a word only once, even if it occurs often
    for number, line in enumerate([*lines, ""], start=1):
        if not line:
            if forms:
                sentences.append(TaggedSentence(tuple(forms), tuple(labels)))
                forms, labels = [], []
            continue
        if line[0] == "#":
            continue
        cells = line.split("\t")
        if len(cells) != n_columns:
            raise InputError(
                f"{name}, line {number}: got {_format_count(len(cells), 'column')}; expected {n_columns}, "
                "separated by tab characters, a comment that begins with #, or an empty line"
            )
        if id_column is not None and cells[id_column] != str(len(forms) + 1):
            if _RANGE_OR_EMPTY.fullmatch(cells[id_column]):
                continue
            raise InputError(
                f"{name}, line {number}: the {_ordinal(id_column)} column is {_quoted(cells[id_column])}; "
                f"expected {len(forms) + 1}, the number "
                "of the word in its sentence, or a range such as 2-3, or an empty node such as 8.1"
            )
        form, tag = cells[form_column], cells[column]
        if not form:
            raise InputError(f"{name}, line {number}: the {_ordinal(form_column)} column is empty; expected a word")
        if tag in ("", "_"):
            raise InputError(
                f"{name}, line {number}: column {column + 1} is {_quoted(tag)}; expected the {wanted} tag of "
                f"{_quoted(form)} (not every treebank has both kinds of tags)"
            )
        forms.append(known.setdefault(form, form))
        labels.append(known.setdefault(tag, tag))
    return _not_empty(sentences, name)


def read_conllu(path: str | os.PathLike[str], tags: str = "upos") -> list[TaggedSentence]:
    """Read a file in the CoNLL-U format, or another format that `read_tagged` supports.

    Parameters
    ----------
    path : path
    tags : {"upos", "xpos"}
        The kind of tags to read; see `parse_conllu`.

    Returns
    -------
    list of TaggedSentence

    Raises
    ------
    InputError
        If it is malformed, or cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> line = "{}\\t{}\\t_\\t{}\\t_\\t_\\t_\\t_\\t_\\t_\\n"
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = os.path.join(folder, "dev.conllu")
    ...     with open(file, "w", encoding="utf-8", newline="\\n") as stream:
    ...         _ = stream.write(line.format(1, "Dogs", "NOUN") + line.format(2, "bark", "VERB"))
    ...     read_conllu(file)
    [TaggedSentence(words=('Dogs', 'bark'), tags=('NOUN', 'VERB'))]
    """
    return _read_file(path, tags).sentences


def _read_file(path: Any, tags: str | int, form: str | None = None, word_column: str | int | None = None) -> TaggedFile:
    try:
        content = Path(path).read_bytes()
    except (OSError, TypeError, ValueError) as error:
        raise InputError(f"{path!r} cannot be read ({error}); check that this file exists") from error
    return read_tagged(content, str(path), tags, form, word_column)


def _lines(content: bytes, name: str) -> list[str]:
    """Decode a file as UTF-8 and return its lines. Split at line feeds only, because words may contain other line separators of Unicode."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        number = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{name}, line {number}: expected text in UTF-8, got the byte 0x{content[error.start]:02X}; "
            "save the file as UTF-8"
        ) from None
    return [line.removesuffix("\r") for line in text.split("\n")]


def _check_tag_kind(tags: str) -> None:
    if not isinstance(tags, str) or tags not in TAG_KINDS:
        raise InputError(f"tags must be one of {', '.join(map(repr, TAG_KINDS))}, but is {tags!r}")


def _ordinal(column: int) -> str:
    return {0: "first", 1: "second"}.get(column, f"{column + 1}th")


def _quoted(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")


# ------------------------------------------------------------------------------------------------------------- the data


class PosCorpus:
    """Tagged sentences in the split of their publishers.

    Parameters
    ----------
    name : str
        ``UD_English-EWT`` (16,622 sentences from the web), or ``toy`` (52 sentences that are part of the package).
    tags : {"upos", "xpos"}
        The universal tags, or the tags of the treebank: for English those of the Penn Treebank.
    data_dir : path, optional
        A folder that holds the corpus. Default: `lxmls_day1.engine.text.corpora.find_corpus` finds the corpus, and may download it.

    Attributes
    ----------
    name, tags : str
        ``tags`` is the column of the tags, or None if the column was guessed.
    train_X, dev_X, test_X : lists of tuples of str
        Sentences, each a tuple of words.
    train_y, dev_y, test_y : lists of tuples of str
        The tag of each word.
    X, y : list
        All sentences and their tags, in this order.
    word_counts : dict of str to int
        The vocabulary: each word of the training part, and its number of occurrences.
    tag_names : tuple of str
        The tags of the training part in ascending order.
    nr_examples, nr_tokens, nr_features : int
        The number of sentences, of words, and of distinct words in the training part.

    Raises
    ------
    InputError
        If the name or the kind of tags is unknown, or the files are not in `data_dir`.
    InputError
        If a file is malformed; the message names file, line and what was expected.
    CorpusUnavailable
        If the corpus is neither on this machine nor available from the network.

    Examples
    --------
    >>> corpus = PosCorpus("toy")
    >>> corpus.test_X[2]
    ('Anna', 'saw', 'the', 'light', '.')
    >>> corpus.test_y[2]
    ('PROPN', 'VERB', 'DET', 'NOUN', 'PUNCT')
    """

    def __init__(
        self, name: str = "UD_English-EWT", tags: str = "upos", data_dir: str | os.PathLike[str] | None = None
    ) -> None:
        _check_tag_kind(tags)
        paths = text_data.find_corpus("toy sentences" if name == "toy" else name, data_dir, "pos").paths
        parts = _read_parts(paths, tags)
        self.read_as = ""
        self._set_parts(name, tags, parts)

    @classmethod
    def from_files(
        cls,
        train: str | os.PathLike[str],
        test: str | os.PathLike[str] | None = None,
        dev: str | os.PathLike[str] | None = None,
        tags: str | int = "upos",
        name: str | None = None,
        form: str | None = None,
        word_column: str | int | None = None,
    ) -> "PosCorpus":
        """Read any treebank in the CoNLL-U format, or other tagged sentences (`read_tagged`); ``read_as`` describes the files.

        Parameters
        ----------
        train, test, dev : path
            The files of the parts. Without ``dev`` the development part is empty, and without ``test`` a random fifth of the sentences of
            ``train`` becomes the test part.
        tags, form, word_column
            As for `read_tagged`.
        name : str, optional
            The name of the data set. Default: the name of the training file.

        Returns
        -------
        PosCorpus
        """
        corpus = cls.__new__(cls)
        files: dict[str, Any] = {"train": train, "dev": dev, "test": test}
        found = {
            part: _read_file(path, tags, form, word_column)
            for part, path in files.items()
            if path is not None or part == "train"
        }
        parts = {part: found[part].sentences if part in found else [] for part in files}
        corpus.read_as = " | ".join(f"{Path(files[part]).name}: {file.described}" for part, file in found.items())
        if test is None:
            if len(parts["train"]) == 1:
                raise InputError(
                    f"{train}: got 1 sentence; expected several with an empty line between them, since a fifth of them is kept to test with"
                )
            order = np.random.default_rng(1).permutation(len(parts["train"])).tolist()
            end, _, _ = split_ends(len(order), (0.8, 0.0, 0.2))
            parts["train"], parts["test"] = (
                [parts["train"][i] for i in sorted(rows)] for rows in (order[:end], order[end:])
            )
        of_part = {part: {tag for sentence in sentences for tag in sentence.tags} for part, sentences in parts.items()}
        for part, path in (("dev", dev), ("test", test)):
            if path is not None and not of_part["train"] & of_part[part]:
                mine, known = (", ".join(sorted(of_part[some])[:_MAX_TAGS_SHOWN]) for some in (part, "train"))
                raise InputError(
                    f"{path} does not fit {train}: its tags are {mine}, and the training file has {known}; name a file of the same tags"
                )
        own_tags = None if tags == "upos" and found["train"].form != "conllu" else tags
        corpus._set_parts(Path(train).name if name is None else name, own_tags, parts)
        return corpus

    def _set_parts(self, name: str, tags: str | int | None, parts: Mapping[str, Sequence[TaggedSentence]]) -> None:
        self.name, self.tags = name, tags
        (self.train_X, self.train_y), (self.dev_X, self.dev_y), (self.test_X, self.test_y) = (
            ([sentence.words for sentence in parts[part]], [sentence.tags for sentence in parts[part]])
            for part in ("train", "dev", "test")
        )
        self.X = self.train_X + self.dev_X + self.test_X
        self.y = self.train_y + self.dev_y + self.test_y
        words = (word for sentence in self.train_X for word in sentence)
        self.word_counts = dict(Counter(tuple(word.items()) if isinstance(word, dict) else word for word in words))
        self.tag_names = tuple(sorted({tag for sequence in self.train_y for tag in sequence}))
        self.nr_examples, self.nr_features = len(self.X), len(self.word_counts)
        self.nr_tokens = sum(map(len, self.X))

    def get_name(self) -> str:
        """Return the name of this data set for tables and plots."""
        name = "Toy sentences" if self.name == "toy" else self.name.replace("_", " ")
        return name if self.tags is None else f"{name}: {str(self.tags).upper()}"


def _read_parts(paths: Mapping[str, Path], tags: str) -> dict[str, list[TaggedSentence]]:
    """Return the sentences of a treebank for each part, which is named at the end of a file name, as in en_ewt-ud-train.conllu."""
    return {
        part: read_conllu(next(path for name, path in paths.items() if name.endswith(f"-{part}.conllu")), tags)
        for part in ("train", "dev", "test")
    }
