"""Wrong answers without a name: grouped by behaviour, and named once for all that are alike."""

import base64
import json
import shutil

import pytest
from click.testing import CliRunner

from lxmls_day1.box.limits import Limits
from lxmls_day1.commands.grade import _name_group, command
from lxmls_day1.course.expect import WrongAnswer
from lxmls_day1.course.mistakes import read_mistakes
from lxmls_day1.course.naming import named
from lxmls_day1.course.pool_making import made_pool
from lxmls_day1.course.recorded_answers import Answer, Pool, RecordedAnswers
from lxmls_day1.course.registry import FILE, FOLDER, RECORDED, Registry
from lxmls_day1.errors import InputError
from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, SubmissionGrade, from_plain, to_plain
from lxmls_day1.grading.grading_run import keep
from lxmls_day1.grading.groups import behaviour_of, groups, name_group
from lxmls_day1.grading.one_submission import Graded
from lxmls_day1.grading.session import GradingSession
from lxmls_day1.lab import reference_folder

INPUTS = tuple({"scores": [0, n], "true class": 0} for n in (1, 2, 3, 4))
RIGHT = tuple(Answer.of([n / 2, -n / 2]) for n in (1, 2, 3, 4))
HALF = tuple(Answer.of([n / 4, -n / 4]) for n in (1, 2, 3, 4))
POOL = Pool(INPUTS, tuple(zip(RIGHT, HALF, strict=True)), {"halved": ((1, 1, 1, 1),)})


def wrong_at(places, factor=2.0):
    return [(INPUTS[i], Answer.of([factor * INPUTS[i]["scores"][1], 0.5])) for i in places]


def row_of(student, wrong, exercise="1.5", **settings):
    error = WrongAnswer("2 of 4 small inputs get a wrong answer.", wrong=wrong, **settings)
    checks = (
        CheckGrade("t.py::test_a", exercise, "A", False, "ok"),
        CheckGrade(
            "t.py::test_small_inputs", exercise, "Small", False, "wrong", str(error), (), error.mistakes,
            named_as=error.named_as, behaviour=behaviour_of(error),
        ),
    )  # fmt: skip
    return SubmissionGrade(student, student.title(), "", "", (ExerciseGrade(exercise, "MIRA", "code", 10.0, checks),))


class TestGrouping:
    def test_those_who_answer_alike_stand_together(self):
        nearly = [(given, Answer.of([(1 + 1e-12) * v for v in answer.values])) for given, answer in wrong_at([0, 1])]
        rows = [
            row_of("ada", wrong_at([0, 1])),
            row_of("bob", wrong_at([0, 1], 3.0)),  # other answers
            row_of("cyd", wrong_at([0, 2])),  # other inputs
            row_of("dan", nearly),
            row_of("eve", wrong_at([0, 1]), exercise="1.7"),
        ]
        found = groups(rows)
        assert [[row.student for row in group.rows] for group in found if len(group.rows) > 1] == [["ada", "dan"]]
        assert found[0].rows[0].student == "ada" and len(found) == 4 == len({group.id for group in found})
        assert found[0].id.startswith("1.5-") and found[0].text.startswith("2 of 4")

    def test_ids_stay_when_others_hand_in(self):
        one = groups([row_of("ada", wrong_at([0]))])
        more = groups([row_of("zoe", wrong_at([1])), row_of("ada", wrong_at([0])), row_of("bob", wrong_at([0]))])
        assert one[0].id == more[0].id

    def test_what_a_known_mistake_explains_is_in_no_group(self):
        known = [("halved", "It is half.")]
        assert groups([row_of("ada", wrong_at([0]), mistakes=known, named_as="one")]) == []
        (group,) = groups([row_of("ada", wrong_at([0]), mistakes=known, named_as="property")])
        assert len(group.rows) == 1  # that a property fails is no name of the cause

    def test_a_behaviour_that_is_very_long_is_left_out(self):
        assert behaviour_of(WrongAnswer("", wrong=[(INPUTS[0], Answer.of("x" * 30_000))])) == ""

    def test_rows_survive_being_written(self):
        row = row_of("ada", [(INPUTS[0], Answer.of([float("nan"), float("inf")]))])
        again = from_plain(SubmissionGrade, json.loads(json.dumps(to_plain(row))))
        assert again == row and groups([again])[0].id == groups([row])[0].id

    def test_not_a_number_is_like_itself(self):
        rows = [row_of(s, [(INPUTS[0], Answer.of([float("nan"), 0.0]))]) for s in ("ada", "bob")]
        assert len(groups(rows)) == 1


@pytest.fixture
def reference(tmp_path):
    """The checks of the reference lab, with a pool of our own for exercise 1.5."""
    folder = tmp_path / "reference"
    shutil.copytree(reference_folder() / FOLDER, folder / FOLDER, ignore=shutil.ignore_patterns("__pycache__"))
    recorded = RecordedAnswers(sentences={"1.5": {"halved": "It is half."}}, pools={"1.5": POOL})
    (folder / RECORDED).write_text(recorded.to_json(), encoding="utf-8")
    return folder


class TestNaming:
    SENTENCE = "The step is four times too long."

    @pytest.fixture
    def name(self, reference):
        """Name the only group of rows with these wrong answers."""

        def name(wrong, name="four_times", sentence=self.SENTENCE, question="", id=None):
            rows = [row_of("ada", wrong), row_of("bob", wrong)]
            (group,) = groups(rows)
            return name_group(rows, id or group.id, name, sentence, question, reference)

        return name

    def test_it_is_an_entry_of_the_file_of_mistakes(self, name, reference):
        exercise = Registry.read(reference / FILE)["1.5"]
        before = read_mistakes(reference / FOLDER, exercise)
        taught, path = name(wrong_at([0, 1, 3]), sentence='A "long"\n step \\ λ.', question="Why?")
        assert read_mistakes(reference / FOLDER, exercise, taught=True) == [taught]
        assert (taught.sentence, taught.question) == ('A "long" step \\ λ.', "Why?")
        assert read_mistakes(reference / FOLDER, exercise) == before and path.name == "1_05_mira.toml"
        assert path.read_text().startswith(
            (reference_folder() / FOLDER / "mistakes/1_05_mira.toml").read_text().rstrip()
        )

    def test_all_who_answer_so_are_told(self, name, reference):
        name(wrong_at([0, 1, 3]), question="Why?")
        recorded = RecordedAnswers.read(reference / RECORDED)
        pool = recorded.pools["1.5"]
        theirs = [wrong_at([i])[0][1] if i != 2 else RIGHT[2] for i in range(4)]
        assert named(pool, pool.places(theirs)).names == ("four_times",)
        assert named(pool, pool.places(HALF)).names == ("halved",)
        assert named(pool, pool.places(RIGHT)).names == ()
        assert recorded.sentences["1.5"] == {"halved": "It is half.", "four_times": self.SENTENCE}
        assert recorded.questions == {"1.5": {"four_times": "Why?"}}

    def test_nothing_of_a_student_is_in_it(self, name, reference):
        """Neither code nor names, nor a text that the code has made."""
        said = Answer.of(["Ada was here", "x"])
        own = Answer.of("raises AdaLovelaceError")
        wrong = [*wrong_at([0, 1]), (INPUTS[2], said), (INPUTS[3], own)]
        taught, path = name(wrong)
        assert [given for given, _ in taught.answers] == list(INPUTS[:2])
        for text in (path.read_text(), (reference / RECORDED).read_text()):
            assert "Ada" not in text and "ada" not in text

    def test_the_kind_of_an_exception_is_kept(self, name):
        taught, _ = name([*wrong_at([0, 1]), (INPUTS[3], Answer.of("raises IndexError"))])
        assert taught.answers[2][1] == Answer.of("raises IndexError")

    @pytest.mark.parametrize("bad", ["", "Cap", "no cap", "../x", "a" * 100, "9a", "cap\n"])
    def test_what_is_no_name(self, name, bad):
        with pytest.raises(InputError, match="cannot be the name of a mistake: it is no valid name"):
            name(wrong_at([0]), name=bad)

    def test_a_name_is_taken_once(self, name):
        with pytest.raises(InputError, match=r"exercise 1\.5 has a mistake with that name"):
            name(wrong_at([0]), name="no_cap")
        name(wrong_at([0, 1, 3]))
        with pytest.raises(InputError, match=r"exercise 1\.5 has a mistake with that name"):
            name(wrong_at([0, 1, 2]))

    @pytest.mark.parametrize("bad", ["", " \n", "x" * 600, "a\x1b[2J"])
    def test_what_is_no_sentence(self, name, bad):
        with pytest.raises(InputError, match="the sentence must"):
            name(wrong_at([0]), sentence=bad)

    def test_a_group_that_is_not_there(self, name):
        with pytest.raises(InputError, match=r"there is no group '1\.5-xxxxxx' of wrong answers; there are: 1\.5-"):
            name(wrong_at([0]), id="1.5-xxxxxx")
        with pytest.raises(InputError, match="the last run left none"):
            name_group([], "1.5-xxxxxx", "a_name", "A sentence.")

    def test_other_small_inputs_than_those_of_the_run(self, name):
        with pytest.raises(
            InputError, match=r"the small inputs of exercise 1\.5 have changed since that run; grade again"
        ):
            name([*wrong_at([0]), ({"scores": [0, 99], "true class": 0}, RIGHT[0])])

    def test_answers_that_are_no_evidence_are_not_named(self, name, reference):
        before = (reference / RECORDED).read_bytes()
        with pytest.raises(InputError, match="these answers do not identify a mistake"):
            name([(INPUTS[0], Answer.of(["some", "text"]))])  # nothing of it may be kept
        assert (reference / RECORDED).read_bytes() == before
        assert read_mistakes(reference / FOLDER, Registry.read(reference / FILE)["1.5"], taught=True) == []


def test_recording_anew_keeps_what_a_class_has_taught():
    """Of three hundred proposed inputs the one that was answered to stays in the pool, whatever else is chosen."""
    inputs = [{"n": n} for n in range(300)]
    right = [Answer.of(float(n)) for n in range(300)]
    off = [Answer.of(float(n + (n < 10))) for n in range(300)]
    pool = made_pool(inputs, [right, off], [("off_by_one", 1)], [inputs[251], {"n": 999}])
    taught = pool.taught("a_jump", [(inputs[251], Answer.of(0.5)), ({"n": 999}, Answer.of(1.0))])
    place = pool.inputs.index(inputs[251])
    assert taught.programs["a_jump"][0][place] == 1 and sum(taught.programs["a_jump"][0]) == 1
    assert taught.answers[place] == (right[251], Answer.of(0.5))
    assert taught.programs["off_by_one"] == pool.programs["off_by_one"]


class TestInARun:
    SMALL = """
def small_inputs():
    yield {"n": 1}

def small_answers(lab, inputs):
    return [7 for _ in inputs]
"""

    def checked(self, folder, **programs):
        """The check of small inputs, of somebody who answers 7 where 1 and 7 are right."""
        path = folder / "test_1_05_small.py"
        path.write_text(self.SMALL, encoding="utf-8")
        pool = Pool(
            ({"n": 1}, {"n": 2}),
            ((Answer.of(1), Answer.of(7)), (Answer.of(7), Answer.of(8))),
            programs or {"a": ((0, 1),)},
        )
        expected = RecordedAnswers(sentences={"1.5": {"a": "It is a.", "seven": "It is seven."}}, pools={"1.5": pool})
        session = GradingSession([path], expected, seed=7, limits=Limits())
        return session.run({}, None).checks[0]

    def test_the_session_keeps_wrong_answers_without_a_name(self, tmp_path):
        check = self.checked(tmp_path)
        assert (check.verdict, check.mistakes) == ("wrong", ())
        row = SubmissionGrade("ada", "Ada", "", "", (ExerciseGrade("1.5", "MIRA", "code", 10.0, (check,)),))
        (group,) = groups([row])
        assert group.wrong == (({"n": 1}, Answer.of(7)),) and "1 of 2 small inputs" in group.text

    def test_and_none_that_have_one(self, tmp_path):
        check = self.checked(tmp_path, seven=((1, 0),))
        assert check.mistakes == (("seven", "It is seven."),) and check.behaviour == ""

    def test_the_smallest_wrong_answer_is_drawn_where_the_exercise_says_how(self, tmp_path, monkeypatch):
        path, given = tmp_path / "test_1_05_small.py", {"scores": [0.0, 1.0], "true class": 0}
        expected = RecordedAnswers(pools={"1.5": Pool((given,), ((Answer.of([1.0, -1.0]),),), {})})

        def picture(answer, kind="steps"):
            path.write_text(
                f"def small_inputs():\n    yield {given}\n\ndef small_answers(lab, inputs):\n    return [{answer}]\n",
                encoding="utf-8",
            )
            session = GradingSession([path], expected, seed=7, limits=Limits(), drawn={"1.5": kind})
            (found,) = session.run({}, None).checks
            return found.verdict, base64.b64decode(found.picture)[:4]

        assert picture([0.0, 0.0]) == ("wrong", b"\x89PNG")
        assert picture([1e308, -1e308]) == ("wrong", b"\x89PNG")
        monkeypatch.setattr("lxmls_day1.grading.session._picture", None)  # what it is given it keeps, too
        assert picture([0.0, 0.0, 0.0]) == ("wrong", b"")  # of another form: it may be any size
        assert picture([0.0, 0.0], kind="") == ("wrong", b"")
        assert picture([1.0, -1.0]) == ("ok", b"")


class TestCommand:
    def test_a_group_of_the_last_run_is_named(self, tmp_path, reference, monkeypatch, capsys):
        monkeypatch.setattr("lxmls_day1.grading.groups.reference_folder", lambda: reference)
        row = row_of("ada", wrong_at([0, 1, 3]))
        keep(tmp_path / "marks", Graded(row, {}))
        _name_group(tmp_path / "marks", groups([row])[0].id, "four_times", "It is four times too long.", "Why?")
        said = capsys.readouterr().err
        assert "is the known mistake four_times of exercise 1.5 now" in said and "1_05_mira.toml" in said
        (taught,) = read_mistakes(reference / FOLDER, Registry.read(reference / FILE)["1.5"], taught=True)
        assert (taught.name, taught.question) == ("four_times", "Why?")

    def test_a_question_needs_its_group(self, tmp_path):
        result = CliRunner().invoke(command, [str(tmp_path), "--out", str(tmp_path / "marks"), "--question", "Why?"])
        assert result.exit_code == 2 and "--question needs exactly one --name-group" in result.output
