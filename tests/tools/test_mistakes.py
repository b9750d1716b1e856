import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.explanations import MAX_QUESTION_CHARS
from lxmls_day1.course.registry import FILE, FOLDER, Registry
from lxmls_day1.lab import reference_folder
from tests.wording import wording
from tools.authoring.mistakes import AlternativeSolution, Program, read_mistakes

SOURCE = '''
@compiled
def rule(scores, label):
    """A rule."""
    d = 0
    # exercise 1.1: solution (3 lines)
    if label:
        d = scores
    d = 2 * d
    # exercise 1.1: end
    return d


def steps(n):
    # exercise 1.1: solution (1 line)
    return n + 1
    # exercise 1.1: end


@compiled
def other(n):
    # exercise 1.2: solution (1 line)
    return n
    # exercise 1.2: end
'''


A_MISTAKE = "[[mistake]]\nname = 'a'\nsentence = 'b'"


def made(**settings):
    return Program("a wrong program", "1.1", **settings).apply_to({"a.py": SOURCE, "b.py": "x = 1\n"})


def without_marks(source):
    return "\n".join(line for line in source.split("\n") if "# exercise" not in line)


def test_a_swap_changes_that_and_nothing_else():
    right = without_marks(SOURCE)
    assert made(swaps=(("2 * d", "d"),)) == {"a.py": right.replace("2 * d", "d")}


def test_a_whole_solution_is_indented_as_the_region():
    source = made(solution="\nif label:\n    d = 7\n", function="rule")["a.py"]
    assert "    d = 0\n    if label:\n        d = 7\n    return d" in source
    assert "return n + 1" in source


def test_swaps_are_made_in_the_first_right_solution_that_has_their_texts():
    branches = AlternativeSolution("branches", "if label:\n    d = 2 * scores\nelse:\n    d = 0", "rule")
    doubled = made(swaps=(("2 * scores", "scores"),), bases=(None, branches))["a.py"]
    assert "    if label:\n        d = scores\n    else:\n        d = 0\n    return d" in doubled
    assert made(swaps=(("2 * d", "d"),), bases=(None, branches)) == made(swaps=(("2 * d", "d"),))
    assert "    else:\n        d = 1\n" in made(swaps=(("d = 0", "d = 1"),), bases=(branches,))["a.py"]


class TestReading:
    @pytest.fixture
    def read(self, reference):
        def read(content=None):
            folder = reference / "tests/exercises"
            if content is not None:
                (folder / "mistakes/1_02_means.toml").write_text(content)
            return read_mistakes(folder, Registry.from_folder(reference)["1.2"])

        return read

    def test_mistakes_are_read_with_their_programs(self, read):
        (mistake,) = read()
        assert (mistake.exercise, mistake.name) == ("1.2", "one_too_many")
        assert mistake.programs[0].swaps == (("len(values)", "(len(values) + 1)"),)
        assert len(mistake.programs) == 1 and not mistake.question
        assert str(mistake) == wording("tools.mistake_too_many_exercise")

    def test_a_family_of_programs_and_its_question(self, read):
        content = """
[[mistake]]
name = "a"
sentence = "It is wrong."
question = "Why does it belong there?"
swap = [["x", "y"]]
variants = [
    { solution = "pass", function = "rule" },
    [["u", "v"], ["w", "x"]],
]
[[mistake]]
name = "b"
sentence = "So is it."
solution = "..."
"""
        a, b = read(content)
        assert a.question == "Why does it belong there?" and not b.question
        assert [program.swaps for program in a.programs] == [(("x", "y"),), (), (("u", "v"), ("w", "x"))]
        assert [program.solution for program in a.programs] == [None, "pass", None]
        assert a.programs[1].function == "rule"
        name = "mistake a of exercise 1.2"
        assert [str(program) for program in a.programs] == [name, f"{name}, variant 1", f"{name}, variant 2"]
        assert len(b.programs) == 1

    def test_a_list_of_texts_is_a_program_for_each_after_the_first(self, read):
        (mistake,) = read(f"{A_MISTAKE}\nswap = [['x', 'y']]\nvariants = [['x', 'z', 'zz'], [['u', 'v']]]")
        swaps = [program.swaps for program in mistake.programs]
        assert swaps == [(("x", "y"),), (("x", "z"),), (("x", "zz"),), (("u", "v"),)]

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            ("[[mistake", "this is not TOML"),
            ("x = 1", "unknown key 'x'"),
            ("[[mistake]]\nname = 'a'\nswap = []", "sentence must be a string"),
            (A_MISTAKE, "give either swap or solution"),
            (f"{A_MISTAKE}\nswap = [['x']]", "swap must be a list of pairs"),
            (f"{A_MISTAKE}\nswop = []", "unknown key 'swop'"),
            (f"{A_MISTAKE}\nswap = []\nvariants = 1", "variants must be a list"),
            (f"{A_MISTAKE}\nswap = []\nvariants = [['x']]", "variant 1: give either swap|swap must be a list of pairs"),
            (f"{A_MISTAKE}\nswap = []\nvariants = [{{}}]", "variant 1: give either swap"),
            (f"{A_MISTAKE}\nswap = []\nstyle = 'b'", "there is no style 'b'"),
            ("[[style]]\nname = 'a'", "a style needs a name"),
            (f"{A_MISTAKE}\nswap = []\n" * 2, "two known mistakes have the same name"),
        ],
    )
    def test_invalid_mistakes_are_refused(self, read, content, message):
        with pytest.raises(InputError, match=message):
            read(content)


def test_every_known_mistake_has_a_question():
    """The question is shown after the mistake was named."""
    folder = reference_folder() / FOLDER
    for exercise in Registry.read(reference_folder() / FILE):
        for mistake in read_mistakes(folder, exercise):
            assert 0 < len(mistake.question) <= MAX_QUESTION_CHARS, str(mistake)
