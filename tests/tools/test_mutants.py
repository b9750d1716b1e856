import textwrap

import pytest

from lxmls_day1.course.registry import FILE, Registry
from lxmls_day1.lab import reference_folder
from tools.authoring.mutants import mutants_of

FUNCTION = '''
import numpy as np


def rule(scores, label, step, cost):
    """A rule."""
    # exercise 1.1: solution ({count} line{s})
    {body}
    # exercise 1.1: end
'''


def mutated(body):
    """Return the texts of the mutants of a solution."""
    lines = body.split("\n")
    source = FUNCTION.format(count=len(lines), s="s" * (len(lines) != 1), body="\n    ".join(lines))
    return [mutant.solution for mutant in mutants_of(source, "1.1")]


@pytest.mark.parametrize(
    ("body", "slips"),
    [
        ("return step * 2 + 1", ["return step * 2 - 1", "return step * 3 + 1", "return step / 2 + 1", "return step * 2", "return 1"]),
        ("return step - scores[label]", ["return scores[label] - step", "return step", "return step + scores[label]"]),
        ("return scores[1]", ["return scores[2]", "return scores[0]", "return cost[1]"]),
        ("return scores[1:-1]", ["return scores[:-1]", "return scores[1:]", "return scores[2:-1]"]),
        ("return scores.sum(axis=0)", ["return scores.sum(axis=1)", "return scores.sum()", "return scores.mean(axis=0)"]),
        ("return np.argmax(scores)", ["return np.argmin(scores)", "return np.argmax(cost)"]),
        ("return min(step, 1)", ["return max(step, 1)", "return step", "return 1"]),
        ("return np.log(np.sqrt(step))", ["return np.sqrt(step)", "return np.log(step)"]),
        ("return step**2", ["return step", "return 2 ** step", "return step * 2"]),
        ("return range(step)", ["return range(step + 1)", "return range(step - 1)"]),
        ("return np.outer(scores, cost)", ["return np.outer(cost, scores)", "return np.outer(cost, cost)"]),
        ("return scores.T @ cost", ["return scores @ cost", "return cost @ scores.T"]),
        ("return scores * step", ["return cost * step", "return scores * label"]),
        ("if step < 1 and label != 0:\n    return cost\nreturn scores", ["if step <= 1 and label != 0:\n    return cost\nreturn scores",
            "if step < 1 or label != 0:\n    return cost\nreturn scores", "if step < 1 and label == 0:\n    return cost\nreturn scores",
            "if label != 0:\n    return cost\nreturn scores", "return cost\nreturn scores", "pass\nreturn scores"]),
        ("scores[label] = -step\nreturn scores", ["scores[label] = step\nreturn scores", "scores[label] += -step\nreturn scores",
            "cost[label] = -step\nreturn scores", "pass\nreturn scores"]),
    ],
)  # fmt: skip
def test_mutants_contain_the_expected_slips(body, slips):
    assert set(slips) <= set(mutated(body))


def test_a_loop_that_does_not_end_raises_an_error():
    (endless,) = [text for text in mutated("n = 0\nwhile n < 3:\n    n += 1\nreturn n") if "n -= 1" in text]
    program = {}
    exec("def rule():\n" + textwrap.indent(endless, "    "), program)
    with pytest.raises(RuntimeError) as raised:
        program["rule"]()
    assert raised.type.__name__ == "EndlessLoop"


@pytest.mark.one_in(4)
@pytest.mark.parametrize("exercise", [e for e in Registry.read(reference_folder() / FILE) if e.kind == "code"], ids=str)
def test_every_exercise_has_mutants_that_are_programs(exercise):
    """Each mutant can replace the solution."""
    (path,) = exercise.files
    source = (reference_folder() / path).read_text(encoding="utf-8")
    mutants = mutants_of(source, exercise.id)
    assert len(mutants) >= 20
    (made,) = mutants[0].apply_to({path: source}).values()
    compile(made, path, "exec")
