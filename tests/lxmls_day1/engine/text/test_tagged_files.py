import pytest

from lxmls_day1.engine.text.tagged_files import read_sentences
from readers.pos_corpus import parse_conllu
from tests.command_runs import run
from tests.wording import wording

CONLLU = """# text = Dogs bark .
1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def tagger(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tagger.npz"
    done = run("train", "--classifier", "structured_perceptron", "--domain", "toy-sentences", "--out", path)
    assert "15 tags" in done.stdout
    return path


def test_sentences_a_line_and_conllu():
    dogs, cats = read_sentences(b"Dogs bark .\r\n\nCats  do not .", "it", parse_conllu)
    assert (dogs, cats) == ((("Dogs", "bark", "."), None), (("Cats", "do", "not", "."), None))
    assert read_sentences(CONLLU.encode(), "it", parse_conllu) == [(("Dogs", "bark", "."), ("NOUN", "VERB", "PUNCT"))]


def test_a_saved_tagger_tags_words_and_knows_how_well(tagger, write):
    done = run("predict", tagger, write(CONLLU, "dogs.conllu"))
    lines = done.stdout.split("\n")
    assert [line.split("\t")[0] for line in lines[:3]] == ["Dogs", "bark", "."]
    assert lines[2:4] == [".\tPUNCT", ""]
    right = [line.split("\t")[1] for line in lines[:3]]
    share = sum(tag == true for tag, true in zip(right, ["NOUN", "VERB", "PUNCT"], strict=True))
    assert f"accuracy {share / 3:.4f} ({share} of 3 tagged words)" in done.stderr


def test_marginals_are_printed_beside_the_tags(tmp_path, tagger):
    path = tmp_path / "crf.npz"
    run("train", "--classifier", "crf", "--domain", "toy-sentences", "--out", path)
    plain = run("predict", path, "-", stdin="Dogs bark .\n")
    done = run("predict", path, "--marginals", "-", stdin="Dogs bark .\n")
    lines = done.stdout.split("\n")
    assert ["\t".join(line.split("\t")[:2]) for line in lines] == plain.stdout.split("\n")
    for line in lines[:3]:
        _, tag, share, rest = line.split("\t")
        shares = [(name, float(number)) for name, _, number in (each.rpartition("=") for each in rest.split(" "))]
        assert len(shares) == 15 and sum(number for _, number in shares) == pytest.approx(1, abs=1e-3)
        assert [number for _, number in shares] == sorted((number for _, number in shares), reverse=True)
        assert dict(shares)[tag] == float(share)
    refused = run("predict", tagger, "--marginals", "-", stdin="Dogs bark .\n", status=1)
    assert "train with --classifier crf" in refused.stderr


WORDS_AND_TAGS = "Dogs\tNOUN\nbark\tVERB\n.\tPUNCT\n\n" * 5
FEATURES = "NOUN\tw=dogs\nVERB\tw=bark\nPUNCT\tw=.\n\n" * 5
CONLLUP = "# global.columns = FORM UPOS\n" + WORDS_AND_TAGS


@pytest.fixture(scope="module")
def feature_tagger(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    (folder / "own.crfsuite").write_text(FEATURES)
    own, path = folder / "own.crfsuite", folder / "own.npz"
    done = run("train", "--classifier", "structured_perceptron", "--file", own, "--out", path)
    assert done.stderr == wording("engine.read_own_crfsuite_tag")
    return path


@pytest.mark.parametrize(
    ("model", "name", "content", "options", "says"),
    [
        ("tagger", "a.tsv", WORDS_AND_TAGS, [], "Read a.tsv: word and tag in 2 columns; 5 sentences, 3 tags"),
        ("tagger", "a.txt", WORDS_AND_TAGS.replace("\t", " "), [], "Read a.txt: word and tag in 2 columns"),
        ("tagger", "a.conllup", CONLLUP, [], "Read a.conllup: words and UPOS tags (CoNLL-U Plus, 2 columns)"),
        ("tagger", "-", WORDS_AND_TAGS, [], "Read standard input: word and tag in 2 columns"),
        ("tagger", "a.crfsuite", FEATURES, [], "a.crfsuite does not fit the model: it holds tags and features (CRFsuite), and the model takes words"),
        ("tagger", "a.txt", FEATURES, [], "a.txt does not fit the model: it holds tags and features"),
        ("tagger", "a.conllu", CONLLU.replace("\t", "  "), [], "a.conllu, line 2: got 1 column; expected 10"),
        ("tagger", "a.txt", CONLLU.replace("\t", "  "), [], "a.txt, line 2: got 1 column; expected 10"),
        ("tagger", "a.tsv", "Dogs\tB-X\nbark\tI-X\n", [], "a.tsv does not fit the model: its tags are 'B-X', 'I-X', and the model's"),
        ("tagger", "a.tsv", WORDS_AND_TAGS, ["--format", "raw"], ""),
        ("tagger", "a.txt", "Dogs bark .\n", ["--format", "columns"], "a.txt: the last column has the tag '.' alone"),
        ("tagger", "a.txt", "Dogs bark .\n", ["--format", "processed"], "this model tags words, and takes no token:count lines"),
        ("features", "a.crfsuite", FEATURES, [], "accuracy 1.0000 (15 of 15 tagged words)"),
        ("features", "a.txt", FEATURES.replace("NOUN", "_").replace("VERB", "_").replace("PUNCT", "_"), [], "1 tag: _"),
        ("features", "a.txt", "Dogs bark .\n", [], "a.txt does not fit the model, which takes features in CRFsuite's format"),
        ("features", "-", "Dogs bark .\n", [], "standard input does not fit the model"),
        ("features", "a.conllu", CONLLU, [], "does not fit the model, which takes features in CRFsuite's format"),
        ("features", "a.txt", CONLLU.replace("\t", "  "), [], "got CoNLL-U"),
        ("features", "a.tsv", WORDS_AND_TAGS, [], "a.tsv does not fit the model: its tags are '.', 'Dogs', 'bark', and the model's"),
    ],
)  # fmt: skip
def test_files_that_do_not_fit_the_tagger_are_refused(
    write, tmp_path, monkeypatch, tagger, feature_tagger, model, name, content, options, says
):
    monkeypatch.chdir(tmp_path)
    if name != "-":
        write(content, name)
    path = feature_tagger if model == "features" else tagger
    succeeds = says == "" or says.startswith(("Read ", "accuracy ", "1 tag: "))
    done = run("predict", path, name, *options, stdin=content, status=0 if succeeds else 1)
    assert says in done.stderr and bool(done.stdout) == succeeds
