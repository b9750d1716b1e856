"""Taggers that learn from features of one's own, in place of templates."""

import pytest
from click.testing import CliRunner

from classifiers.structured.crf import CRF
from classifiers.structured.structured_perceptron import StructuredPerceptron
from classifiers.structured.tag_features import FeatureIndex, given_features
from lxmls_day1.commands.command_line import command_group
from lxmls_day1.errors import InputError
from readers.pos_corpus import PosCorpus

TEMPLATES = ["lower", "suffix2", "lower[-1]"]
CORPUS = PosCorpus("toy")


def features_of(sentence, form):
    """What the templates see of each word, as dictionaries or as lists of names."""
    lower = [word.lower() for word in sentence]
    found = []
    for word, before in zip(lower, ["", *lower], strict=False):
        named = {"lower": word, "lower[-1]": before} | ({"suffix2": word[-2:]} if len(word) > 2 else {})
        listed = [f"{name}={value}" for name, value in named.items()]
        found.append(
            {name: True for name in listed} | {"absent": False}
            if form == "numbers"
            else named
            if form == "texts"
            else listed
        )
    return found


@pytest.mark.parametrize("form", ["texts", "numbers", "lists"])
@pytest.mark.parametrize(
    "learner", [StructuredPerceptron(nr_rounds=4, templates=TEMPLATES), CRF(0.01, templates=TEMPLATES)]
)
def test_the_tags_are_those_of_the_same_templates(learner, form):
    expected = learner.test(CORPUS.test_X, learner.train(CORPUS.train_X, CORPUS.train_y))
    n_features = len(learner.feature_names)
    train_X, test_X = ([features_of(sentence, form) for sentence in part] for part in (CORPUS.train_X, CORPUS.test_X))
    params = learner.train(train_X, CORPUS.train_y)
    assert learner.test(test_X, params) == expected
    assert len(learner.feature_names) == n_features
    learner.train(CORPUS.train_X, CORPUS.train_y)  # and words again


def test_rare_features_are_left_out():
    index, words = FeatureIndex.learn([[{"a": "x", "b": 1}, {"a": "y", "b": 1}], [["b"]]], min_count=2)
    assert list(index.names) == ["b"]
    assert [array.tolist() for array in words] == [[0, 2, 3], [0, 1, 2, 3], [0, 0, 0]]
    assert index.features([{"b": True, "c": "new"}, {}]) == [["b"], []]


@pytest.mark.parametrize("word", [{"length": 4.5}, {"a": None}, {3: 1}, [3], {"a": ["x"]}])
def test_what_is_no_feature(word):
    with pytest.raises(InputError, match="is there or not"):
        given_features(word)


def test_words_and_features_are_not_taken_for_one_another():
    tagger = StructuredPerceptron(nr_rounds=1)
    with pytest.raises(InputError, match="each a dictionary or list of features"):
        tagger.train([["a", {"b": 1}]], [["X", "Y"]])
    params = tagger.train([[{"a": 1}, {"b": 1}]], [["X", "Y"]])
    with pytest.raises(
        InputError, match="trained on sentences of dictionaries or lists of features, but got one of words"
    ):
        tagger.test([["a", "b"]], params)
    params = tagger.train([["a", "b"]], [["X", "Y"]])
    with pytest.raises(InputError, match="trained on sentences of words, but got one of dictionaries"):
        tagger.test([[{"a": 1}]], params)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["conllu", "crfsuite"])
def test_files_on_the_command_line(tmp_path, kind):
    def line(tag, word):
        row = ["_"] * 10
        row[1], row[3] = word, tag
        return row if kind == "conllu" else [tag, f"lower={word.lower()}", f"end={word[-2:]}"]

    def text(X, y):
        blocks = []
        for words, tags in zip(X, y, strict=True):
            rows = [line(tag, word) for tag, word in zip(tags, words, strict=True)]
            if kind == "conllu":
                rows = [[str(t), *row[1:]] for t, row in enumerate(rows, start=1)]
            blocks.append("".join("\t".join(row) + "\n" for row in rows))
        return "\n".join(blocks)

    def run(*arguments, stdin=None):
        done = CliRunner().invoke(command_group, [str(one) for one in arguments], input=stdin)
        assert done.exit_code == 0, done.output
        return done

    train, test, model = (tmp_path / name for name in ("train.tsv", "test.tsv", "crf.npz"))
    train.write_text(text(CORPUS.train_X, CORPUS.train_y), encoding="utf-8")
    test.write_text(text(CORPUS.test_X, CORPUS.test_y), encoding="utf-8")
    said = run("train", "--classifier", "crf", "--file", train, "--test-file", test, "--out", model).stdout
    accuracy = said.partition(" on the test part")[0].rpartition(" ")[2]
    for done in (run("predict", model, test), run("predict", model, "-", stdin=test.read_bytes())):
        assert f"accuracy {accuracy} (" in done.stderr
        assert sum(bool(line) for line in done.stdout.splitlines()) == sum(map(len, CORPUS.test_X))
    refused = CliRunner().invoke(
        command_group, ["train", "--classifier", "crf", "--file", str(train), "--text-column", "1"]
    )
    assert "--label-column may be upos or xpos" in refused.output or "text_column" in str(refused.exception)
    assert float(accuracy) > 0.5
