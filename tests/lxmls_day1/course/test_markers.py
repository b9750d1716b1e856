import ast
import random
import textwrap
from pathlib import Path

import pytest

from lxmls_day1.course.markers import (
    MarkerError,
    find_solutions,
    functions_with_exercise,
    remaining_stubs,
    remove_markers,
    replace_with_stubs,
    stub,
)
from tests.wording import wording

ROOT = Path(__file__).resolve().parents[3]
STUB = stub("1.1", "Doubling", "Twice x.", 1)


def text(source):
    return textwrap.dedent(source).lstrip("\n")


def strip(source, **settings):
    return replace_with_stubs(source, lambda solution: STUB, "mira.py", **settings)


SOURCE = text('''
    """A module."""
    import os   # kept

    class Mira:
        def steps(self, x):
            """Twice x."""
            y = x  # (K,)
            # exercise 1.1: solution (2 lines)

            # a comment of the solution
            y = (y +
                 x)
            # exercise 1.1: end
            return y   # two blanks before the comment
''')


@pytest.mark.slow
class TestStripping:
    def test_other_lines_are_not_changed(self):
        before, _, rest = SOURCE.partition("        # exercise 1.1: solution (2 lines)\n")
        after = rest.partition("# exercise 1.1: end\n")[2]
        wanted = "".join(f"        {line}\n" for line in STUB.split("\n"))
        assert strip(SOURCE) == before + wanted + after

    def test_the_stub_names_the_exercise(self):
        lines = stub("1.10", "Squishing", "From scores (K,) make d (K,). " * 9 + "\n\nCosts are ρ.", 1).split("\n")
        assert lines[0].startswith(wording("course.exercise_scores_k_make"))
        assert max(map(len, lines)) <= 112
        assert lines[-3:-1] == ["# Costs are ρ.", wording("course.reference_takes", "1", "line")]
        with pytest.raises(NotImplementedError, match=wording("course.exercise_squishing_lxmls_day")):
            exec("\n".join(lines))

    def test_a_title_with_quotes(self):
        with pytest.raises(NotImplementedError, match='a "rule"'):
            exec(stub("1.1", 'a "rule" \\', "x", 2))

    def test_the_solution_without_its_markers(self):
        lines = SOURCE.splitlines(keepends=True)
        assert remove_markers(SOURCE) == "".join(line for line in lines if "# exercise" not in line)
        assert strip(SOURCE, keep={"1.1"}) == remove_markers(SOURCE)

    def test_text_without_markers_is_not_changed_even_if_invalid(self):
        assert strip("def (:\n") == "def (:\n"

    def test_a_marker_in_a_string_is_text(self):
        source = 'x = """\n# exercise 1.1: solution (1 line)\n"""\n'
        assert find_solutions(source) == []
        assert strip(source) == source

    def test_several_regions(self):
        source = text("""
            def f(x):
                if x:
                    # exercise 1.1: solution (1 line)
                    x = 1
                    # exercise 1.1: end
                else:
                    # exercise 1.1: solution (1 line)
                    x = 2
                    # exercise 1.1: end
                return x

            def g(x):
                # exercise 1.2: solution (1 line)
                return x
                # exercise 1.2: end
        """)
        assert [(s.exercise, s.function) for s in find_solutions(source)] == [("1.1", "f"), ("1.1", "f"), ("1.2", "g")]
        stripped = strip(source)
        assert stripped.count("raise NotImplementedError") == 3
        assert functions_with_exercise(source, "1.1") == ["f"]
        assert functions_with_exercise(strip(source, keep={"1.2"}), "1.1") == ["f"]
        assert strip(source, keep={"1.1"}).count("raise NotImplementedError") == 1

    def test_any_run_of_statements_of_any_function_of_the_lab(self):
        """The oracle is the syntax tree, and the file without the inserted markers."""
        draw = random.Random(1)
        for path in sorted((ROOT / "classifiers").rglob("*.py")):
            original = remove_markers(path.read_text(encoding="utf-8"), path.name)
            functions = [node for node in ast.walk(ast.parse(original)) if isinstance(node, ast.FunctionDef)]
            nodes = [node for function in functions for node in ast.walk(function)]
            bodies = [(node, getattr(node, part, None)) for node in nodes for part in ("body", "orelse")]
            bodies = [b for node, b in bodies if isinstance(b, list) and b and b[0].lineno > node.lineno]
            bodies = [b for b in bodies if not (len(b) == 1 and isinstance(b[0], ast.If) and is_elif(original, b[0]))]
            if not bodies:
                continue
            body = draw.choice(bodies)
            first = draw.randrange(len(body))
            last = draw.randrange(first, len(body))
            if first == 0 and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant):
                continue
            begin, end = body[first].lineno - 1, body[last].end_lineno
            begin -= len(getattr(body[first], "decorator_list", []))
            lines = original.split("\n")
            count = sum(bool(s.strip()) and not s.strip().startswith("#") for s in lines[begin:end])
            indent = " " * body[first].col_offset
            lines.insert(end, f"{indent}# exercise 1.1: end")
            lines.insert(begin, f"{indent}# exercise 1.1: solution ({count} lines)")
            marked = "\n".join(lines)
            assert remove_markers(marked, path.name) == original
            stripped = strip(marked)
            kept = original.split("\n")
            kept[begin:end] = [indent + line for line in STUB.split("\n")]
            assert stripped == "\n".join(kept)
            assert remaining_stubs(stripped) == {"1.1"}


def is_elif(source, node):
    return source.split("\n")[node.lineno - 1].strip().startswith("elif")


def marked(body, count="1 line"):
    return f"def f(x):\n    # exercise 1.1: solution ({count})\n{textwrap.indent(text(body), '    ')}\n    # exercise 1.1: end\n"


BEGIN, END = "# exercise 1.1: solution (1 line)", "# exercise 1.1: end"
SECOND = "    # exercise 1.2: solution (1 line)\n    x = 1\n    # exercise 1.2: end\n"
IF_ELSE = """def f(x):
    if x:
        # exercise 1.1: solution (3 lines)
        x = 1
    else:
        x = 2
        # exercise 1.1: end
"""
IF_ELIF = """def f(x):
    if x:
        x = 1
    # exercise 1.1: solution (2 lines)
    elif x > 2:
        x = 2
    # exercise 1.1: end
"""


class TestLoudFailures:
    @pytest.mark.parametrize(
        ("source", "message"),
        [
            ("def f(x):\n    # exercise 1.1: solution (1 line)\n    return x\n", r"mira\.py:2: .* has no end"),
            ("def f(x):\n    return x\n    # exercise 1.1: end\n", r"mira\.py:3: .* none has begun"),
            (marked(f"{BEGIN}\nreturn x"), "mira.py:3: a solution begins inside the one from line 2"),
            (marked("return x").replace("1.1: end", "1.2: end"), "mira.py:4: .* belongs to another exercise"),
            (marked("return x", "2 lines"), "says 2 lines, but there are 1 lines of code"),
            (marked("return x").replace(f"    {END}", f"  {END}"), "not indented like the one in line 2"),
            (marked("return x").replace("    return", "      return"), "not indented like the statements between"),
            (marked('"""Docstring."""\nreturn x', "2 lines"), "the docstring of f belongs before the solution"),
            (marked("# nothing", "0 lines") + "    x = 1\n", "not consist of whole statements"),
            (marked("x = 2", "1 line").replace("x = 2", "x = (2 +"), "is not Python"),
            (marked("return x").replace("# exercise 1.1: end", "x  # exercise 1.1: end"), "a line of its own"),
            (marked("return x").replace("exercise 1.1: sol", "Exercise 1.1: sol"), "looks like a marker"),
            (marked("return x").replace("1.1: solution (1 line)", "1.1: solution"), "looks like a marker"),
            (marked("return x").replace("# exercise 1.1: end", "#exercise 1.1 end"), "looks like a marker"),
            (marked("return (x"), "is not Python"),
            (f"x = (1 +\n{BEGIN}\n2\n{END}\n)\n", "without the solutions this is a SyntaxError"),
            (
                f"def f(x):\n    x = 1\n    {BEGIN}\n    x = (2 +\n    {END}\n    3)\n",
                "not consist of whole statements",
            ),
            (IF_ELSE, "not consist of whole statements"),
            (IF_ELIF, "not consist of whole statements"),
            (marked("return x") + SECOND, "a function of its own"),
        ],
    )
    def test_each_error_names_its_line(self, source, message):
        with pytest.raises(MarkerError, match=message) as caught:
            strip(source)
        assert str(caught.value).startswith("mira.py")

    def test_an_unknown_exercise(self):
        with pytest.raises(MarkerError, match=wording("course.there_is_no_exercise_there")):
            find_solutions(SOURCE, "mira.py", ["1.2", "1.3"])

    def test_an_ordinary_comment_about_an_exercise_is_not_a_marker(self):
        assert find_solutions(wording("course.exercise_solution_x_end")) == []


def test_stubs_are_known_by_their_error():
    stripped = strip(SOURCE)
    assert remaining_stubs(stripped) == {"1.1"}
    assert functions_with_exercise(stripped, "1.1") == ["Mira.steps"]
    assert remaining_stubs("raise NotImplementedError('not ours')") == set() == remaining_stubs("def (:")


def test_an_exercise_may_have_a_letter():
    source = "def f(x):\n    # exercise 1.4a: solution (1 line)\n    return x\n    # exercise 1.4a: end\n"
    (solution,) = find_solutions(source, exercises=["1.4", "1.4a"])
    assert (solution.exercise, solution.function) == ("1.4a", "f")
    given = replace_with_stubs(source, lambda one: stub(one.exercise, "A rule", "Do it.", 1))
    assert remaining_stubs(given) == {"1.4a"}
    assert functions_with_exercise(given, "1.4a") == ["f"]
    assert functions_with_exercise(given, "1.4") == []
    with pytest.raises(MarkerError, match="to another exercise"):
        find_solutions(source.replace("1.4a: end", "1.4: end"))
    with pytest.raises(MarkerError, match=wording("course.looks_like_marker")):
        find_solutions(source.replace("1.4a: solution", "1.4ab: solution"))
