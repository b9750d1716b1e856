"""Wrong answers without a name: grouped by behaviour, so that an instructor names each group once."""

import base64
import json

from lxmls_day1.box.limits import Limits
from lxmls_day1.course.diagnosis.answer_shapes import Answer
from lxmls_day1.course.diagnosis.expect import WrongAnswer
from lxmls_day1.course.diagnosis.recorded_answers import Pool, RecordedAnswers
from lxmls_day1.course.registry import RECORDED
from lxmls_day1.grading.gradebook import CheckGrade, ExerciseGrade, SubmissionGrade, from_plain, to_plain
from lxmls_day1.grading.reports.groups import failure_groups, failure_signature_of
from lxmls_day1.grading.running.session import GradingSession
from tests.lxmls_day1.grading.grades import mira, submission
from tests.wording import wording

INPUTS = tuple({"scores": [0, n], "true class": 0} for n in (1, 2, 3, 4))
RIGHT = tuple(Answer.from_value([n / 2, -n / 2]) for n in (1, 2, 3, 4))
HALF = tuple(Answer.from_value([n / 4, -n / 4]) for n in (1, 2, 3, 4))
POOL = Pool(INPUTS, tuple(zip(RIGHT, HALF, strict=True)), {"halved": ((1, 1, 1, 1),)})


def wrong_at(places, factor=2.0):
    return [(INPUTS[i], Answer.from_value([factor * INPUTS[i]["scores"][1], 0.5])) for i in places]


def row_of(student, wrong, exercise="1.5", **settings):
    error = WrongAnswer("2 of 4 small inputs get a wrong answer.", wrong=wrong, **settings)
    checks = (
        CheckGrade("t.py::test_a", exercise, "A", False, "ok"),
        CheckGrade(
            "t.py::test_small_inputs", exercise, "Small", False, "wrong", str(error), (), error.mistakes,
            named_as=error.diagnosis_kind, behaviour=failure_signature_of(error),
        ),
    )  # fmt: skip
    return submission(student, ExerciseGrade(exercise, "MIRA", "code", 10.0, checks))


class TestGrouping:
    def test_equal_wrong_answers_form_a_group(self):
        nearly = [(given, Answer.from_value([(1 + 1e-12) * v for v in one.values])) for given, one in wrong_at([0, 1])]
        rows = [
            row_of("ada", wrong_at([0, 1])),
            row_of("bob", wrong_at([0, 1], 3.0)),  # other answers
            row_of("cyd", wrong_at([0, 2])),  # other inputs
            row_of("dan", nearly),
            row_of("eve", wrong_at([0, 1]), exercise="1.7"),
        ]
        found = failure_groups(rows)
        assert [[row.student for row in group.rows] for group in found if len(group.rows) > 1] == [["ada", "dan"]]
        assert found[0].rows[0].student == "ada" and len(found) == 4 == len({group.id for group in found})
        assert found[0].id.startswith("1.5-") and found[0].text.startswith("2 of 4")

    def test_ids_do_not_change_when_others_hand_in(self):
        one = failure_groups([row_of("ada", wrong_at([0]))])
        rows = [row_of("zoe", wrong_at([1])), row_of("ada", wrong_at([0])), row_of("bob", wrong_at([0]))]
        assert one[0].id == failure_groups(rows)[0].id

    def test_answers_of_a_known_mistake_are_in_no_group(self):
        known = [("halved", "It is half.")]
        assert failure_groups([row_of("ada", wrong_at([0]), mistakes=known, diagnosis_kind="one")]) == []
        (group,) = failure_groups([row_of("ada", wrong_at([0]), mistakes=known, diagnosis_kind="property")])
        assert len(group.rows) == 1  # A property that fails does not name the cause.

    def test_a_behaviour_that_is_very_long_is_left_out(self):
        assert failure_signature_of(WrongAnswer("", wrong=[(INPUTS[0], Answer.from_value("x" * 30_000))])) == ""

    def test_rows_survive_being_written(self):
        row = row_of("ada", [(INPUTS[0], Answer.from_value([float("nan"), float("inf")]))])
        again = from_plain(SubmissionGrade, json.loads(json.dumps(to_plain(row))))
        assert again == row and failure_groups([again])[0].id == failure_groups([row])[0].id

    def test_not_a_number_is_like_itself(self):
        rows = [row_of(s, [(INPUTS[0], Answer.from_value([float("nan"), 0.0]))]) for s in ("ada", "bob")]
        assert len(failure_groups(rows)) == 1


class TestInARun:
    SMALL = """
def small_inputs():
    yield {"n": 1}

def small_answers(lab, inputs):
    return [7 for _ in inputs]
"""

    def checked(self, folder, **programs):
        """Return the check of the small inputs for code that answers 7 to both; the expected answers are 1 and 7."""
        path = folder / "test_1_05_small.py"
        path.write_text(self.SMALL, encoding="utf-8")
        answers = tuple(tuple(map(Answer.from_value, values)) for values in ((1, 7), (7, 8)))
        pool = Pool(({"n": 1}, {"n": 2}), answers, programs or {"a": ((0, 1),)})
        expected = RecordedAnswers(sentences={"1.5": {"a": "It is a.", "seven": "It is seven."}}, pools={"1.5": pool})
        (folder / RECORDED.name).mkdir(exist_ok=True)
        (folder / RECORDED.name / "1.5.json").write_text(expected.to_json(), encoding="utf-8")
        session = GradingSession([path], RecordedAnswers(), seed=7, limits=Limits())
        return session.run({}, None)[0][0]

    def test_the_session_saves_wrong_answers_without_a_name(self, tmp_path):
        check = self.checked(tmp_path)
        assert (check.verdict, check.mistakes) == ("wrong", ())
        (group,) = failure_groups([submission("ada", mira(check))])
        assert json.loads(check.behaviour) == [[{"n": 1}, Answer.from_value(7).to_json()]]
        assert group.exercise == "1.5" and wording("grading.small_inputs") in group.text

    def test_the_session_saves_no_wrong_answers_with_a_name(self, tmp_path):
        check = self.checked(tmp_path, seven=((1, 0),))
        assert check.mistakes == (("seven", "It is seven."),) and check.behaviour == ""

    def test_the_smallest_wrong_answer_is_drawn_if_the_exercise_has_a_picture(self, tmp_path, monkeypatch):
        path, given = tmp_path / "test_1_05_small.py", {"scores": [0.0, 1.0], "true class": 0}
        expected = RecordedAnswers(pools={"1.5": Pool((given,), ((Answer.from_value([1.0, -1.0]),),), {})})
        (tmp_path / RECORDED.name).mkdir()
        (tmp_path / RECORDED.name / "1.5.json").write_text(expected.to_json(), encoding="utf-8")

        def picture(answer, kind="steps"):
            inputs = f"def small_inputs():\n    yield {given}\n"
            path.write_text(f"{inputs}\ndef small_answers(lab, inputs):\n    return [{answer}]\n", encoding="utf-8")
            session = GradingSession([path], RecordedAnswers(), seed=7, limits=Limits(), picture_kinds={"1.5": kind})
            ((found,), _) = session.run({}, None)
            return found.verdict, base64.b64decode(found.picture)[:4]

        assert picture([0.0, 0.0]) == ("wrong", b"\x89PNG")
        assert picture([1e308, -1e308]) == ("wrong", b"\x89PNG")
        # From here on, drawing a picture would raise.
        monkeypatch.setattr("lxmls_day1.grading.running.session._picture", None)
        assert picture([0.0, 0.0, 0.0]) == ("wrong", b"")  # A wrong shape is not drawn because it may have any size.
        assert picture([0.0, 0.0], kind="") == ("wrong", b"")
        assert picture([1.0, -1.0]) == ("ok", b"")
