import pytest
from click.testing import CliRunner

from lxmls_day1.commands.command_line import command_group
from lxmls_day1.engine.text.tagged_files import read_sentences
from readers.pos_corpus import parse_conllu

CONLLU = """# text = Dogs bark .
1\tDogs\tdog\tNOUN\tNNS\t_\t2\tnsubj\t_\t_
2\tbark\tbark\tVERB\tVBP\t_\t0\troot\t_\t_
3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_

"""


@pytest.fixture(scope="module")
def tagger(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "tagger.npz"
    arguments = ["train", "--classifier", "structured_perceptron", "--domain", "toy-sentences", "--out", str(path)]
    done = CliRunner().invoke(command_group, arguments)
    assert done.exit_code == 0, done.output
    assert "15 tags" in done.stdout
    return str(path)


def test_sentences_a_line_and_conllu():
    assert read_sentences(b"Dogs bark .\r\n\nCats  do not .", "it", parse_conllu) == [
        (("Dogs", "bark", "."), None),
        (("Cats", "do", "not", "."), None),
    ]
    assert read_sentences(CONLLU.encode(), "it", parse_conllu) == [(("Dogs", "bark", "."), ("NOUN", "VERB", "PUNCT"))]


def test_a_saved_tagger_tags_words_and_knows_how_well(tagger, tmp_path):
    path = tmp_path / "dogs.conllu"
    path.write_text(CONLLU, encoding="utf-8")
    done = CliRunner().invoke(command_group, ["predict", tagger, str(path)])
    assert done.exit_code == 0, done.output
    lines = done.stdout.split("\n")
    assert [line.split("\t")[0] for line in lines[:3]] == ["Dogs", "bark", "."]
    assert lines[2:4] == [".\tPUNCT", ""]
    right = [line.split("\t")[1] for line in lines[:3]]
    share = sum(tag == true for tag, true in zip(right, ["NOUN", "VERB", "PUNCT"], strict=True))
    assert f"accuracy {share / 3:.4f} ({share} of 3 tagged words)" in done.stderr


def test_marginals_stand_beside_the_tags(tmp_path, tagger):
    path = str(tmp_path / "crf.npz")
    done = CliRunner().invoke(
        command_group, ["train", "--classifier", "crf", "--domain", "toy-sentences", "--out", path]
    )
    assert done.exit_code == 0, done.output
    plain = CliRunner().invoke(command_group, ["predict", path, "-"], input="Dogs bark .\n")
    done = CliRunner().invoke(command_group, ["predict", path, "--marginals", "-"], input="Dogs bark .\n")
    assert done.exit_code == 0, done.output
    lines = done.stdout.split("\n")
    assert ["\t".join(line.split("\t")[:2]) for line in lines] == plain.stdout.split("\n")
    for line in lines[:3]:
        _, tag, share, rest = line.split("\t")
        shares = [(name, float(number)) for name, _, number in (each.rpartition("=") for each in rest.split(" "))]
        assert len(shares) == 15 and sum(number for _, number in shares) == pytest.approx(1, abs=1e-3)
        assert [number for _, number in shares] == sorted((number for _, number in shares), reverse=True)
        assert dict(shares)[tag] == float(share)
    done = CliRunner().invoke(command_group, ["predict", tagger, "--marginals", "-"], input="Dogs bark .\n")
    assert done.exit_code != 0 and "train with --classifier crf" in done.stderr
