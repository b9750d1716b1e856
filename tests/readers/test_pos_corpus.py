import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lxmls_day1.base.errors import InputError
from readers.pos_corpus import PosCorpus, parse_conllu, parse_crfsuite, read_conllu, read_tagged
from tests.wording import wording


def word(number, form, upos="NOUN", xpos="NN"):
    return "\t".join([str(number), form, "_", upos, xpos, "_", "0", "root", "_", "SpaceAfter=No"])


GOOD = f"""# sent_id = 1
# text = They don't bite.
{word(1, "They", "PRON", "PRP")}
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\t_
{word(2, "do", "AUX", "VBP")}
{word(3, "n't", "PART", "RB")}
{word(4, "bite", "VERB", "VB")}
4.1\tthem\t_\tPRON\tPRP\t_\t_\t_\t_\t_
{word(5, ".", "PUNCT", ".")}

{word(1, "#")}

"""


# -------------------------------------------------------------------------------------------------------------- parsing


def test_comments_ranges_and_empty_nodes_are_skipped():
    sentences = parse_conllu(GOOD.encode())
    assert sentences == [
        (("They", "do", "n't", "bite", "."), ("PRON", "AUX", "PART", "VERB", "PUNCT")),
        (("#",), ("NOUN",)),
    ]
    assert [tags for _, tags in parse_conllu(GOOD.encode(), "xpos")] == [("PRP", "VBP", "RB", "VB", "."), ("NN",)]


@pytest.mark.parametrize(
    "content",
    [
        GOOD.rstrip("\n").encode(),  # The file does not end in a line end.
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.encode("utf-8-sig"),
        ("\n\n" + GOOD).encode(),
    ],
    ids=["no last line end", "CRLF", "byte order mark", "blank lines first"],
)
def test_harmless_variants_of_a_file(content):
    assert parse_conllu(content) == parse_conllu(GOOD.encode())


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (word(3, "x").replace("\t_", "", 1), "got 9 columns; expected 10"),
        (word(3, "x") + "\t_", "got 11 columns; expected 10"),
        ("3 x _ NOUN NN _ _ _ _ _", "got 1 column; expected 10"),
        ("   ", "got 1 column; expected 10"),
        (word(4, "x"), "the first column is '4'; expected 3"),
        (word(1, "x"), "the first column is '1'; expected 3"),
        (word("", "x"), "the first column is ''; expected 3"),
        (word("3-", "x"), "the first column is '3-'; expected 3"),
        (word("03", "x"), "the first column is '03'; expected 3"),
        (word(3, ""), "the second column is empty; expected a word"),
        (word(3, "x", "_"), "column 4 is '_'; expected the UPOS tag of 'x'"),
        (word(3, "x", ""), "column 4 is ''; expected the UPOS tag of 'x'"),
    ],
)
def test_a_malformed_line_is_reported_with_its_number(line, says, write):
    path = write("# one\n" + word(1, "a") + "\n" + word(2, "b") + "\n" + line + "\n", "bad.conllu")
    with pytest.raises(InputError, match=f"^{re.escape(f'{path}, line 4: {says}')}"):
        read_conllu(path)


@pytest.mark.parametrize("content", [b"", b"\n\n", b"# only a comment\n", b"1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_\n"])
def test_a_file_without_words(content, write):
    with pytest.raises(InputError, match=wording("readers.empty_conllu_expected_sentences")):
        read_conllu(write(content, "empty.conllu"))


cells = st.text(st.characters(codec="utf-8", exclude_characters="\t\n\r"), min_size=1).filter(lambda c: c != "_")


@pytest.mark.slow
@given(st.lists(st.lists(st.tuples(cells, cells), min_size=1, max_size=4), min_size=1, max_size=4))
def test_whatever_is_written_is_read_back(sentences):
    text = "".join(
        "# a comment\n" + "".join(word(n, form, tag) + "\n" for n, (form, tag) in enumerate(sentence, 1)) + "\n"
        for sentence in sentences
    )
    assert parse_conllu(text.encode()) == [tuple(zip(*sentence, strict=True)) for sentence in sentences]


@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(content):
    try:
        sentences = parse_conllu(content)
    except InputError:
        return
    assert all(len(words) == len(tags) > 0 for words, tags in sentences)


# -------------------------------------------------------------------------------------------------------------- corpora


@pytest.mark.parametrize("tags", ["upos", "xpos"])
def test_the_toy_sentences(tags):
    corpus = PosCorpus("toy", tags=tags)
    assert [len(part) for part in (corpus.train_X, corpus.dev_X, corpus.test_X)] == [36, 6, 10]
    assert corpus.nr_examples == len(corpus.X) == len(corpus.y) == 52
    assert all(len(words) == len(labels) > 0 for words, labels in zip(corpus.X, corpus.y, strict=True))
    # No tag is new after the training part.
    assert {tag for labels in corpus.y for tag in labels} == set(corpus.tag_names)
    assert corpus.get_name() == f"Toy sentences: {tags.upper()}"


def test_a_users_own_files_are_read(tmp_path):
    for name, n in {"a": 2, "b": 1, "c": 3}.items():
        (tmp_path / f"{name}.conllu").write_text((word(1, name, "X", "FW") + "\n\n") * n, encoding="utf-8")
    corpus = PosCorpus.from_files(tmp_path / "a.conllu", tmp_path / "b.conllu", tmp_path / "c.conllu", tags="xpos")
    assert [len(part) for part in (corpus.train_X, corpus.dev_X, corpus.test_X)] == [2, 3, 1]
    assert corpus.test_y == [("FW",)] and corpus.get_name() == "a.conllu: XPOS" and corpus.word_counts == {"a": 2}
    without = PosCorpus.from_files(tmp_path / "a.conllu", tmp_path / "b.conllu", name="Mine")
    assert without.dev_X == [] and without.get_name() == "Mine: UPOS"


def test_a_treebank_is_found_by_its_folder(tmp_path):
    folder = tmp_path / "pos" / "UD_English-EWT"
    folder.mkdir(parents=True)
    for part, form in {"train": "a", "dev": "b", "test": "c"}.items():
        (folder / f"en_ewt-ud-{part}.conllu").write_text(word(1, form) + "\n", encoding="utf-8")
    corpus = PosCorpus(data_dir=tmp_path)
    assert (corpus.train_X, corpus.dev_X, corpus.test_X) == ([("a",)], [("b",)], [("c",)])
    (folder / "en_ewt-ud-dev.conllu").write_text("nonsense\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"en_ewt-ud-dev\.conllu, line 1"):
        PosCorpus(data_dir=tmp_path)


@pytest.mark.slow
def test_the_treebank_has_the_published_sizes(real_data):
    """The expected counts are in the treebank's own statistics (release 2.16), with the share of test words that are absent from the
    training part.
    """
    own = PosCorpus(tags="xpos", data_dir=real_data)
    universal = read_conllu(real_data / "pos/UD_English-EWT/en_ewt-ud-test.conllu")
    assert [len(part) for part in (own.train_X, own.dev_X, own.test_X)] == [12544, 2001, 2077]
    assert [sum(map(len, part)) for part in (own.train_X, own.dev_X, own.test_X)] == [204577, 25147, 25094]
    assert (len({tag for _, tags in universal for tag in tags}), len(own.tag_names)) == (17, 49)
    unseen = [w not in own.word_counts for sentence in own.test_X for w in sentence]
    assert round(100 * sum(unseen) / len(unseen), 2) == 9.13


# ------------------------------------------------------------------------------------------------- a user's own features

CRFSUITE = "DET\tlower=the\tcapital\nNOUN\tlower=dog:1\tend\\:er=og\n\n# no comment\tlower=x\\\\y\n"


def test_crfsuites_format_is_read():
    assert parse_crfsuite(CRFSUITE.encode()) == [
        ((("lower=the", "capital"), ("lower=dog", "end:er=og")), ("DET", "NOUN")),
        ((("lower=x\\y",),), ("# no comment",)),
    ]
    (numbers,) = parse_crfsuite(b"A\ta\tb:-.5\tc\\:d:2e-1\tb:3\nB\ta:1.0\ta:1\nC\n")
    assert numbers.words == ({"a": 1.0, "b": 2.5, "c:d": 0.2}, ("a", "a"), ())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "DET\ta\nNOUN\tb:c:0.5\n",
            r"it, line 2: got the feature 'b:c:0\.5'; expected a tag and the names of features",
        ),
        ("DET\ta:x\n", "it, line 1: got the feature 'a:x'.* each perhaps with a finite number after a colon"),
        ("DET\ta:\n", "it, line 1: got the feature 'a:'"),
        ("DET\ta:nan\n", "it, line 1: got the feature 'a:nan'"),
        ("DET\ta:1_0\n", "it, line 1: got the feature 'a:1_0'"),
        ("DET\ta\tb:1e999\n", "it, line 1: got the feature 'b:1e999'"),
        ("\tb\n", "it, line 1: got no tag"),
        ("DET\t\n", "it, line 1: got the feature ''"),
        ("\n\n", "it: expected sentences, got a file without any words"),
    ],
)
def test_ambiguous_lines_of_crfsuite_are_refused(text, says):
    with pytest.raises(InputError, match=says):
        parse_crfsuite(text.encode(), "it")


def test_formats_are_recognised_and_a_fifth_is_the_test_part(write):
    with pytest.raises(InputError, match=wording("readers.tsv_got_sentence_expected")):
        PosCorpus.from_files(write("A\tx\nB\ty\n", "one.tsv"))
    own = PosCorpus.from_files(write("A\tx\n\n" * 6 + "B\ty\n\n" * 4, "own.tsv"))
    treebank = PosCorpus.from_files(write(GOOD * 5, "ud.conllu"), tags="xpos")
    assert (len(own.train_X), len(own.dev_X), len(own.test_X)) == (8, 0, 2)
    assert sorted(own.X) == [(("x",),)] * 6 + [(("y",),)] * 4
    assert (len(treebank.train_X), len(treebank.test_X)) == (8, 2) and "PRP" in treebank.tag_names


# ----------------------------------------------------------------------------------------------- recognition of formats

SENTENCES = [
    (("The", "dog", "barks", "."), ("DET", "NOUN", "VERB", "PUNCT")),
    (("Dogs", "run", "."), ("NOUN", "VERB", "PUNCT")),
] * 2


def lines_of(line, end="\n", start=""):
    """Return a file of `SENTENCES` with ``line`` for each word: n counts the words of a sentence, and N the words of the file."""
    blocks, total = [], 0
    for words, tags in SENTENCES:
        rows = []
        for n, (form, tag) in enumerate(zip(words, tags, strict=True), start=1):
            total += 1
            rows.append(line.format(n=n, zero=n - 1, N=total, word=form, tag=tag, size=len(form)) + end)
        blocks.append("".join(rows))
    return (start + end.join(blocks)).encode()


COUNTED = "; 4 sentences, 4 tags: DET, NOUN, PUNCT, VERB"
THIRD = "word and tag in 3 columns: word in column {}, tag in column 2" + COUNTED

#: The name of a file, its content, and the description of how it was read.
TAGGED = [
    ("a.tsv", lines_of("{word}\t{tag}"), "word and tag in 2 columns" + COUNTED),
    ("a.tsv", lines_of("{word}\t{tag}", "\r\n"), "word and tag in 2 columns" + COUNTED),
    ("a.tsv", lines_of("{word}\t{tag}", start="# by hand\n"), "word and tag in 2 columns" + COUNTED + "; skipped 1 line such as '# by hand'"),
    ("a.txt", lines_of("{word} {tag}"), "word and tag in 2 columns" + COUNTED),
    ("a.txt", lines_of("{word}\t{tag}", start="token\tpos\n"), "word and tag in 2 columns" + COUNTED + "; skipped 1 line such as 'token\\tpos'"),
    ("eng.conll", lines_of("{word} X {tag}", start="-DOCSTART- -X- O\n\n"), THIRD.format(0) + "; skipped 1 line such as '-DOCSTART- -X- O'"),
    ("a.tsv", lines_of("{word}\t{size}\t{tag}"), THIRD.format(0)),
    ("a.tsv", lines_of("{n}\t{word}\t{tag}"), THIRD.format(1)),
    ("a.conll", lines_of("{zero} {word} {tag}"), THIRD.format(1)),
    ("a.tsv", lines_of("{N}\t{word}\t{tag}"), THIRD.format(1)),
    ("a.tsv", lines_of("{tag}\t{word}", start="tag\tword\n"), "word and tag in 2 columns: word in column 1, tag in column 0"
        + COUNTED + "; skipped 1 line such as 'tag\\tword'"),
    ("a.conllup", lines_of("{n}\t{word}\t{tag}", start="# global.columns = ID FORM UPOS\n"), "words and UPOS tags (CoNLL-U Plus, 3 columns)" + COUNTED),
    ("a.txt", lines_of("{tag}\t{word}", start="# global.columns = UPOS FORM\n"), "words and UPOS tags (CoNLL-U Plus, 2 columns)" + COUNTED),
    ("a.conllu", lines_of("{n}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_"), "words and UPOS tags (CoNLL-U)" + COUNTED),
    ("a.txt", lines_of("{n}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_\t_"), "words and UPOS tags (CoNLL-U)" + COUNTED),
    ("a.crfsuite", lines_of("{tag}\tw={word}", start="# features\n"), "tag and features of each word (CRFsuite)" + COUNTED + "; skipped 1 line such as '# features'"),
    ("a.txt", lines_of("{tag}\tw={word}\tlen:{size}"), "tag and features of each word (CRFsuite)" + COUNTED),
]  # fmt: skip


@pytest.mark.parametrize(("name", "content", "described"), TAGGED)
def test_formats_are_recognised_and_reported(name, content, described):
    found = read_tagged(content, name)
    assert found.described == described
    assert [tags for _, tags in found.sentences] == [tags for _, tags in SENTENCES]
    if found.form != "crfsuite":
        assert found.sentences == SENTENCES


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("a.conllu", lines_of("{n}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_"), ", line 1: got 9 columns; expected 10"),
        ("a.txt", lines_of("{n}\t{word}\t_\t{tag}\t_\t_\t_\t_\t_"), ": got 9 columns, of which the first counts the words; CoNLL-U has 10"),
        ("a.conllu", lines_of("{n}  {word}  _  {tag}  _  _  _  _  _  _"), ", line 1: got 1 column; expected 10"),
        ("a.txt", lines_of("{n}  {word}  _  {tag}  _  _  _  _  _  _"), ", line 1: got 1 column; expected 10"),
        ("a.conllup", lines_of("{n}\t{word}\t{tag}"), ": CoNLL-U Plus names its columns, but got no line such as # global"),
        ("a.conllup", lines_of("{n}\t{word}\t{tag}", start="# global.columns = ID FORM XPOS\n"), ": global.columns names ID, FORM, XPOS; expected FORM and UPOS"),
        ("a.conllup", lines_of("{n}\t{word}", start="# global.columns = ID FORM UPOS\n"), ", line 2: got 2 columns; expected 3"),
        ("a.tsv", lines_of("{word}\t{tag}\tO"), ": the last column has the tag 'O' alone; if the tags are in another column, give its number, 1: --label-column"),
        ("a.crfsuite", lines_of("{word}\t{tag}"), ": the tags, such as '.', are 6 different ones for 14 words, so they are not a set of tags"),
        ("a.crfsuite", lines_of("{n}\tw={word}"), ": the tags, such as '1', count the words"),
        ("a.tsv", lines_of("{word}\t{N}"), ": the tags, such as '1', are 14 different ones for 14 words"),
        ("a.tsv", lines_of("{word}\t{tag}\t.{n}5"), ": the tags, such as '.15', are fractions, so they are not a set of tags"),
        ("a.txt", b"The dog barks .\nDogs run .\n", ": expected tagged words: a line for each word, with the word and its tag"),
        ("a.tsv", lines_of("{word}\t{tag}").replace(b"run\tVERB", b"run"), ", line 7: got 1 column; expected 2 as in the lines before"),
        ("a.tsv", b"", ": expected tagged words"),
    ],
)  # fmt: skip
def test_files_that_make_no_sense_are_refused(name, content, says):
    with pytest.raises(InputError, match=f"^{re.escape(name + says)}"):
        read_tagged(content, name)


@pytest.mark.parametrize("end", [" ", "\u00a0", " \r"])
def test_blanks_around_words_and_tags_are_not_part_of_them(end):
    assert (
        read_tagged(lines_of(" {word}{tab}{tag}".replace("{tab}", f"{end}\t "), f"{end}\n"), "a.tsv").sentences
        == SENTENCES
    )
    assert parse_crfsuite(f" A{end}\tx\nA\tx\n".encode())[0].tags == ("A", "A")
    of_few = read_tagged(f"The\tDET\ndog\tnoun\nbarks\tVERB{end}\n\n".encode() * 10, "a.tsv")
    assert (of_few.form, of_few.sentences[9].tags) == ("columns", ("DET", "noun", "VERB"))
    with pytest.raises(InputError):
        read_tagged(f"A\tDET\n{end}\tNOUN\n".encode(), "a.tsv", form="columns")


def test_a_test_file_without_any_known_tag_is_refused(write):
    train, other = (write(lines_of("{word}\t" + tag), f"{name}.tsv") for name, tag in (("a", "{tag}"), ("b", "X{tag}")))
    with pytest.raises(InputError, match=wording("readers.other_tags")):
        PosCorpus.from_files(train, other)
    assert PosCorpus.from_files(train, write("x\tNOUN\ny\tNEW\n", "c.tsv")).test_y == [("NOUN", "NEW")]


def test_every_guess_can_be_overruled(write):
    content = lines_of("{tag}\t{word}\tO")
    found = read_tagged(content, "a.tsv", tags=0, form="columns", word_column=1)
    assert found.sentences == SENTENCES
    of_features = read_tagged(content, "a.conllu", form="crfsuite")
    assert of_features.sentences[1].words == (("Dogs", "O"), ("run", "O"), (".", "O"))
    corpus = PosCorpus.from_files(write(content, "a.tsv"), tags=0, form="columns", word_column=1)
    assert corpus.get_name() == "a.tsv: 0" and corpus.read_as == f"a.tsv: {found.described}"
    of_columns = ({"form": "columns"} | setting for setting in ({"tags": 3}, {"tags": "pos"}, {"word_column": 2}))
    for settings in ({"form": "xml"}, *of_columns):
        with pytest.raises(InputError):
            read_tagged(content, "a.tsv", **settings)
