"""Checks that decide: one answer has one mark, what a hidden check fails a public one shows, and forms are named.

All checks of an exercise run in this process, on wrong answers: programs of the known mistakes, mutants of the reference, and the
reference with its answers changed.
"""

import numpy as np
import pytest

from lxmls_day1.course.check_session import CheckSession
from lxmls_day1.course.checked_lab import LabCall
from lxmls_day1.course.forms import MUST_RETURN
from lxmls_day1.course.markers import without_markers
from lxmls_day1.course.mistakes import read_mistakes
from lxmls_day1.course.mutants import mutants_of
from lxmls_day1.course.pool_making import uncompiled_lab
from lxmls_day1.course.pytest_plugin import ChecksRun, check_key, is_hidden, verdict
from lxmls_day1.course.recorded_answers import RecordedAnswers
from lxmls_day1.course.registry import FOLDER, SMALL_INPUTS, Registry, check_files
from lxmls_day1.course.time_limit import OutOfTime, TimeLimit
from lxmls_day1.lab import Lab, reference_folder

pytestmark = [pytest.mark.slow(15), pytest.mark.filterwarnings("ignore")]
REFERENCE = reference_folder()
EXERCISES = [exercise for exercise in Registry.of(REFERENCE) if check_files(REFERENCE / FOLDER, exercise)]
SEEDS = (1, 2, 3)
SAMPLE = 12  # programs of an exercise, about; a campaign tries all
SECONDS = 10.0  # for one check
TRAINING = "1.7b"  # its checks train for seconds


class Checked:
    """The checks of an exercise, and the reference with other programs in the place of its solution."""

    def __init__(self, exercise, folder):
        self.folder = uncompiled_lab(REFERENCE, folder)
        self.sources = {f: (self.folder / f).read_text("utf-8") for f in exercise.files if f.endswith(".py")}
        self.programs = [program for m in read_mistakes(REFERENCE / FOLDER, exercise) for program in m.programs]
        self.programs += [m for name, source in self.sources.items() for m in mutants_of(source, exercise.id, name)]
        self.run = ChecksRun(self.folder, hidden=True, answers=RecordedAnswers())
        self.session = CheckSession(check_files(REFERENCE / FOLDER, exercise), self.run)
        self.session.collect()
        self.wanted = getattr(self.session.items[0].module, MUST_RETURN)
        self.expected = {}
        for self.run.seed in SEEDS:
            self.run.recordings = {}
            assert set(map(self.error_of, self.session.items)) == {None}
            recorded = {check: its.answers for check, its in self.run.recordings.items()}
            self.expected[self.run.seed] = RecordedAnswers(recorded)
        self.run.recordings = None

    def error_of(self, item):
        self.run.item = item
        return self.session.error_of(item)

    def ended(self, program=None, seed=SEEDS[0], public=True):
        """How the checks end, in public or hidden ones: check -> outcome, text, and the sentences on mistakes."""
        made = program.made_in(self.sources) if program else {}
        for name, source in self.sources.items():
            (self.folder / name).write_text(made.get(name, without_markers(source)), encoding="utf-8")
        Lab(self.folder).forget()
        self.run.seed, self.run._given = seed, self.expected[seed]
        found = {}
        with TimeLimit(self.folder) as limit:
            for item in self.session.items:
                if is_hidden(item) != public:
                    try:
                        with limit.of(SECONDS):
                            error = self.error_of(item)
                        ending = verdict(self.run, item, error)
                    except OutOfTime:
                        error, ending = None, ("timeout", "")
                    sentences = [sentence for _, sentence in getattr(error, "mistakes", ())]
                    found[check_key(item)] = *ending, sentences
        return found


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """The `Checked` of an exercise, made once."""
    made = {}

    def of(exercise):
        if exercise.id not in made:
            made[exercise.id] = Checked(exercise, tmp_path_factory.mktemp("lab") / "lab")
        return made[exercise.id]

    return of


def passed(ended):
    return {check for check, (outcome, *_) in ended.items() if outcome == "passed"}


@pytest.mark.one_in(4, by="exercise")
@pytest.mark.parametrize(
    "exercise",
    [pytest.param(one, marks=[pytest.mark.campaign] * (one.id == TRAINING)) for one in EXERCISES],
    ids=lambda exercise: exercise.id,
)
@pytest.mark.parametrize("all_of_them", [False, pytest.param(True, marks=pytest.mark.campaign)], ids=["some", "all"])
def test_one_answer_has_one_mark_and_fails_no_hidden_check_alone(checked, exercise, all_of_them):
    lab = checked(exercise)
    step = 1 if all_of_them else max(1, len(lab.programs) // SAMPLE)
    lucky, unseen = [], []
    for program in lab.programs[step // 2 :: step]:
        public, *hidden = [lab.ended(program), *(lab.ended(program, seed, public=False) for seed in SEEDS)]
        marks = list(map(passed, hidden))
        if any(marks[0] ^ other for other in marks):
            lucky.append((program.label, marks))
        if passed(public) == public.keys() and any(
            its != all_of.keys() for its, all_of in zip(marks, hidden, strict=True)
        ):
            unseen.append(program.label)
    assert not lucky, "these pass some hidden checks by luck"
    assert not unseen, "these pass all public checks and fail a hidden one"


FORMS = {
    "a pair": lambda answer: (answer, answer),
    "None": lambda answer: None,
    "a text": str,
    "a generator": lambda answer: (entry for entry in np.ravel(answer[0] if isinstance(answer, tuple) else answer)),
    "a dict": lambda answer: {"answer": answer},
    "a matrix of more dimensions": lambda answer: np.array([[np.ravel(answer[0])]]),
}


@pytest.mark.one_in(4, by="exercise")
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
@pytest.mark.parametrize("form", FORMS)
def test_an_answer_of_another_form_is_told_as_what_it_is(checked, monkeypatch, exercise, form):
    lab, of = checked(exercise), LabCall.of
    for function in lab.wanted:

        def changed(call, its_lab, function=function):
            answer = of(call, its_lab)
            if call.name != function or call.makes_object:
                return answer
            if call.method == "each_made":
                return [[FORMS[form](returned), *others] for returned, *others in answer]
            return list(map(FORMS[form], answer)) if call.method == "each" else FORMS[form](answer)

        monkeypatch.setattr(LabCall, "of", changed)
        ended = {check: told for check, told in lab.ended().items() if told[0] != "passed"}
        assert ended or function == "train"
        for check, (outcome, text, sentences) in ended.items():
            assert outcome == "wrong", (check, text)
            if not check.endswith(SMALL_INPUTS):
                of_any_shape = not all(shape[:1] in ("", "(") for shape in lab.wanted[function].values())
                is_told = text.startswith(f"`{function}` returned ") and "wanted" in text
                assert is_told or (of_any_shape and "shape (1, 1, 1)" in text), (check, text)
            else:
                assert sentences, text
