import ast
from itertools import combinations
from pathlib import PurePosixPath

import pytest
from hypothesis import assume, settings
from hypothesis import given as with_examples
from hypothesis import strategies as st

from lxmls_day1.course.generation import student_files
from lxmls_day1.course.markers import without_markers
from lxmls_day1.course.registry import FILE, Exercise, Registry
from lxmls_day1.grading.gradebook import SubmissionGrade
from lxmls_day1.grading.similarity import (
    GRAM,
    LEAST_HASHES,
    LONGEST,
    MOST_HASHES,
    WINDOW,
    Alike,
    _grams,
    _tokens,
    _winnowed,
    alike,
    fingerprints,
)
from lxmls_day1.lab import reference_folder

PATH = PurePosixPath("classifiers/mira.py")
EXERCISE = Exercise("1.5", "MIRA", "code", 1, (str(PATH),), "notebooks/2.ipynb", "Task", ("a", "b", "c"))
GIVEN = '''"""MIRA."""

import numpy as np


def mira_rule(scores, label, sq_norm, step, cost):
    """The step."""
    d = np.zeros(len(scores))
    # Exercise 1.5: make it.
    raise NotImplementedError("Exercise 1.5: MIRA; `lxmls-day1 hint 1.5` helps")
    return d


class Mira:
    name = "MIRA"
'''
SOLUTION = """    predicted = np.argmax(scores)
    if predicted != label:
        loss = scores[predicted] - scores[label] + cost[predicted]
        tau = min(step, loss / (2 * sq_norm))
        d[label] = tau
        d[predicted] = -tau
"""
OTHER = """    best = int(np.flatnonzero(scores == scores.max())[0])
    while best != label:
        margin = (scores * np.eye(len(scores))[best]).sum() - float(scores[label])
        rate = np.clip((margin + cost[best]) / sq_norm / 2.0, None, step)
        return rate * (np.eye(len(scores))[label] - np.eye(len(scores))[best])
"""


def source(solution):
    begin, end = GIVEN.index("    # Exercise"), GIVEN.index("    return d")
    return GIVEN[:begin] + solution + GIVEN[end:]


def prints(text):
    content = text if isinstance(text, bytes) else text.encode()
    return fingerprints({PATH: content}, {PATH: GIVEN.encode()}, [EXERCISE])


def row(student, text):
    return SubmissionGrade(
        student, student, "", "", (), fingerprints=prints(text) if isinstance(text, str | bytes) else text
    )


def rows(**solutions):
    return [row(student, source(solution)) for student, solution in solutions.items()]


def fillers(n):
    """Rows with nothing in common."""
    return [row(f"z{i:03d}", {"1.5": (10**6 + i, 90, *range(10**7 + 100 * i, 10**7 + 100 * i + 20))}) for i in range(n)]


@pytest.mark.slow
class TestFingerprints:
    def test_renaming_comments_numbers_and_blanks_change_the_text_alone(self):
        renamed = SOLUTION.replace("predicted", "guess").replace("tau", "t").replace("2 *", "2.0  *  ") + "    # done\n"
        one, other = prints(source(SOLUTION))["1.5"], prints(source(renamed))["1.5"]
        assert one[2:] == other[2:] and len(one) > LEAST_HASHES
        assert one[0] != other[0]
        assert other[1] == one[1] + 1  # the word of the comment

    def test_line_ends_encoding_mark_and_what_was_given_change_nothing(self):
        text = source(SOLUTION)
        assert prints(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()) == prints(text)
        assert prints(text.replace('name = "MIRA"', 'name = "mine"')) == prints(text)

    def test_what_is_not_begun_has_none(self):
        assert prints(GIVEN) == {}
        assert fingerprints({}, {PATH: GIVEN.encode()}, [EXERCISE]) == {}
        assert prints(b"") == {}

    def test_helper_functions_of_their_own_count(self):
        moved = source("    return inner(scores, label, sq_norm, step, cost, d)\n")
        moved += f"\n\ndef inner(scores, label, sq_norm, step, cost, d):\n{SOLUTION}    return d\n"
        one, other = set(prints(source(SOLUTION))["1.5"][2:]), set(prints(moved)["1.5"][2:])
        assert len(one & other) >= 0.6 * len(one)

    @pytest.mark.parametrize(
        "text",
        [
            source(SOLUTION).replace("mira_rule", "my_rule"),  # the function is not there
            source(SOLUTION) + "\n\ndef broken(:\n",
            source(SOLUTION).encode() + b"# caf\xe9\n",
            source("    x = " + "(" * 3000 + ")" * 3000 + "\n" + SOLUTION),
            source("    x = " + "-" * 50_000 + "1\n" + SOLUTION),
            source("    x = '\\d'\n" + SOLUTION),
            source(SOLUTION).replace("MIRA.", "MIRA.\0"),
        ],
    )
    def test_files_in_any_state(self, text):
        one, other = set(prints(source(SOLUTION))["1.5"][2:]), set(prints(text)["1.5"][2:])
        assert len(one & other) >= 0.6 * len(one)

    @pytest.mark.parametrize(
        "more",
        [
            "x = f'" + "{a}" * 10_000 + "'",
            "x=" + "-" * 59_000 + "1",
            "(" * 59_000,
            "x=a" + "()" * 29_000,
            "x=" + "1+" * 29_000 + "1",
        ],
    )
    def test_what_is_dear_to_parse(self, more, monkeypatch):
        """Python has its trouble with each; the first one, which takes it quadratic time, it is not given at all."""
        parse, parsed = ast.parse, []
        monkeypatch.setattr(ast, "parse", lambda text, *others: parsed.append(len(text)) or parse(text, *others))
        assert len(prints(source(SOLUTION) + "\n" + more)["1.5"]) > 2
        assert (max(parsed, default=0) > 50_000) == ("{" not in more)
        assert max(parsed, default=0) <= LONGEST + 20

    def test_what_is_behind_the_longest_is_not_looked_at(self):
        long = source(SOLUTION) + "\n" + "# x\n" * LONGEST
        assert prints(long) == prints(long + "def more(): return 1\n")

    @settings(max_examples=200, deadline=None)
    @with_examples(st.text(alphabet=[*"abc \n\t\"'\\#.()0_rf:=", "é", "\ud800"], max_size=200))
    def test_every_character_that_is_no_blank_is_in_a_token_or_a_comment(self, text):
        tokens, words = _tokens(text)
        assert (len(tokens) + words > 0) or not text.strip() or set(text) <= set("# \n\t\"'")
        prints(text.encode("utf-8", "replace"))

    @pytest.mark.parametrize("piece", ['"""\\', '\\"""', "'''", '"\\', "r'", "1_", "1.", "#", '""""', "\\\n'''a"])
    def test_long_texts_come_to_an_end(self, piece):
        """With a step back for each quote this would take minutes."""
        tokens, words = _tokens(piece * 40_000)
        assert len(tokens) + words <= len(piece) * 40_000

    @settings(max_examples=200, deadline=None)
    @with_examples(st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)), st.lists(st.integers(0, 5)))
    def test_a_run_that_two_texts_share_is_found(self, shared, before, after):
        """The theorem of winnowing: a run of GRAM + WINDOW − 1 tokens in both leaves a common hash."""
        run = [str(number) for number in (shared * 9)[: max(GRAM + WINDOW - 1, len(shared))]]
        assume(len(run) >= GRAM + WINDOW - 1)
        one = _winnowed(_grams([*map(str, before), *run]))
        other = _winnowed(_grams([*run, *map(str, after)]))
        assert one & other

    def test_a_very_long_file_has_no_more_than_others_can_be_compared_with(self):
        lines = "".join(f"    x.a{i} = y.b{i * i} + z.c{i}\n" for i in range(4000))
        one, other = prints(source(lines))["1.5"], prints(source("    first = 1\n" + lines))["1.5"]
        assert len(one) == len(other) == MOST_HASHES + 2
        assert len(set(one[2:]) & set(other[2:])) > 0.95 * MOST_HASHES


@pytest.mark.slow
class TestAlike:
    def test_copied_with_other_names(self):
        copied = SOLUTION.replace("predicted", "guess").replace("tau", "t")
        (pair,) = alike(rows(ada=SOLUTION, bob=OTHER, eve=copied))
        assert pair == Alike("1.5", "ada", "eve", 1.0, False)

    def test_to_the_letter(self):
        (pair,) = alike(rows(ada=SOLUTION, bob=OTHER, eve=SOLUTION))
        assert pair == Alike("1.5", "ada", "eve", 1.0, True)

    def test_short_solutions_are_not_compared(self):
        assert alike(rows(ada="    d[label] = 1\n", bob="    d[label] = 1\n")) == []

    def test_short_ones_with_a_long_comment_of_their_own_are(self):
        comment = "    # " + " ".join(f"word{i}" for i in range(30)) + "\n    d[label] = 1\n"
        (pair,) = alike(rows(ada=comment, bob=comment))
        assert pair.identical
        assert alike(rows(ada=comment, bob="    d[label] = 1\n")) == []

    def test_what_many_have_does_not_count(self):
        variants = [SOLUTION.replace("tau", f"t{i}") for i in range(9)]
        many = [row(f"s{i}", source(text)) for i, text in enumerate(variants)]
        assert alike(many + fillers(20)) == []
        assert len(alike(many[:3] + fillers(20))) == 3

    def test_a_text_of_nearly_all_is_nobodys(self):
        same = [row(f"s{i}", source(SOLUTION)) for i in range(8)]
        assert alike(same + fillers(2)) == []
        pairs = alike(same + fillers(20))
        assert len(pairs) == 8 * 7 / 2
        assert {pair.others for pair in pairs} == {6}

    def test_rare_texts_come_first_and_the_list_has_an_end(self):
        pair = rows(ada=OTHER, bob=OTHER, zoe=OTHER.replace("best", "top"))
        same = [row(f"s{i}", source(SOLUTION)) for i in range(8)]
        found = alike(same + pair + fillers(20), at_most=5)
        assert len(found) == 5
        assert [(one.first, one.second, one.identical) for one in found[:4]] == [
            ("ada", "bob", True),
            ("ada", "zoe", False),
            ("bob", "zoe", False),
            ("s0", "s1", True),
        ]

    @settings(max_examples=50, deadline=None)
    @with_examples(st.lists(st.sets(st.integers(0, 60), max_size=40), min_size=2, max_size=20))
    def test_shares_against_all_pairs_compared_one_by_one(self, sets):
        these = [row(f"s{i:02d}", {"1.5": (i, 99, *sorted(numbers))}) for i, numbers in enumerate(sets)]
        many = max(4, len(sets) / 10)
        counts = {number: sum(number in other for other in sets) for numbers in sets for number in numbers}
        kept = [{number for number in numbers if counts[number] <= many} for numbers in sets]
        expected = {}
        for i, j in combinations(range(len(sets)), 2):
            if min(len(kept[i]), len(kept[j])) >= LEAST_HASHES:
                share = 2 * len(kept[i] & kept[j]) / (len(kept[i]) + len(kept[j]))
                if share >= 0.3:
                    expected[f"s{i:02d}", f"s{j:02d}"] = share
        assert {(pair.first, pair.second): pair.share for pair in alike(these, least=0.3)} == expected


@pytest.mark.slow
def test_the_reference_against_what_students_are_given():
    """Every coding exercise of this course leaves fingerprints, and a stub leaves none."""
    reference = reference_folder()
    given = student_files(reference)
    registry = Registry.read(reference / FILE)
    solved = {
        PurePosixPath(name): without_markers(
            (reference / name).read_text(encoding="utf-8").replace("\r\n", "\n")
        ).encode()
        for exercise in registry
        for name in exercise.files
        if name.endswith(".py")
    }
    assert fingerprints(given, given, registry) == {}
    found = fingerprints(solved, given, registry)
    assert set(found) == {exercise.id for exercise in registry if any(name.endswith(".py") for name in exercise.files)}
    assert all(len(numbers) > 2 for numbers in found.values())
