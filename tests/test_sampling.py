"""Of dear tests a run takes a sample: never none, the same in all processes, in time all of them; what a file costs is told; what is measured."""

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

FILE = "tests/test_dear.py"


@pytest.fixture
def conftest(request):
    return request.config.pluginmanager.get_plugin(str(Path(__file__).resolve().parent / "conftest.py"))


class Item:
    """A case of a test, as far as drawing asks for it."""

    def __init__(self, name, share=None, by=None, file=FILE, **indices):
        self.nodeid, self.callspec = f"{file}::{name}", SimpleNamespace(indices=indices)
        self.sampled = None if share is None else pytest.mark.sampled(share, **({} if by is None else {"by": by})).mark
        self.left_to_campaigns = False

    def get_closest_marker(self, name):
        assert name == "sampled"
        return self.sampled

    def add_marker(self, mark):
        assert mark.name == "campaign"
        self.left_to_campaigns = True


def kept(conftest, monkeypatch, day, make):
    monkeypatch.setenv("LXMLS_DAY1_SAMPLE", str(day))
    items = make()
    conftest.leave_to_campaigns(items)
    return {item.nodeid for item in items if not item.left_to_campaigns}


@pytest.mark.parametrize(("n_cases", "share", "n_kept"), [(30, 4, 8), (8, 4, 2), (3, 5, 1), (1, 7, 1), (5, 1, 5)])
def test_one_case_in_n_at_least_one_and_in_time_all(conftest, monkeypatch, n_cases, share, n_kept):
    def make():
        return [Item(f"test_a[{i}]", share) for i in range(n_cases)] + [Item("test_b")]

    samples = [kept(conftest, monkeypatch, day, make) for day in range(60)]
    assert samples == [kept(conftest, monkeypatch, day, make) for day in range(60)]
    assert {len(sample) for sample in samples} == {n_kept + 1}
    assert set.union(*samples) == {item.nodeid for item in make()}
    assert len({frozenset(sample) for sample in samples}) > 1 or n_kept == n_cases


def test_by_a_parameter_all_cases_of_a_value_stay_together(conftest, monkeypatch):
    def make():
        return [
            Item(f"{test}[{level}-{i}]", 3, by="level", level=level)
            for test in ("test_a", "test_b")
            for level in range(3)
            for i in range(4)
        ]

    for day in range(20):
        found = kept(conftest, monkeypatch, day, make)
        (level,) = {name.partition("[")[2].partition("-")[0] for name in found}
        assert found == {f"{FILE}::{test}[{level}-{i}]" for test in ("test_a", "test_b") for i in range(4)}


def test_a_file_is_marked_as_a_whole_though_not_all_its_tests_have_the_parameter(conftest, monkeypatch):
    def make():
        found = [Item(f"test_a[{level}]", 3, by="level", level=level) for level in range(3)]
        plain = Item("test_b", 3, by="level")
        del plain.callspec
        return [*found, Item("test_c[0]", 3, by="level", other=0), plain]

    for day in range(20):
        found = kept(conftest, monkeypatch, day, make)
        assert len(found) == 3 and found >= {f"{FILE}::test_b", f"{FILE}::test_c[0]"}


def test_by_file_a_file_is_taken_as_a_whole(conftest, monkeypatch):
    def make():
        return [Item(f"cell {i}", 2, by="file", file=f"notebooks/{n}.ipynb") for n in range(5) for i in range(3)]

    found = kept(conftest, monkeypatch, 1, make)
    files = {name.partition("::")[0] for name in found}
    assert len(files) == 3 and len(found) == 9


def test_the_summary_names_the_dearest_files_and_those_that_cost_too_much_and_do_not_say_why(
    conftest, monkeypatch, tmp_path
):
    monkeypatch.setattr(conftest, "ROOT", tmp_path)
    (tmp_path / "a.py").write_text('"""What it shows."""')
    (tmp_path / "c.py").write_text(f'"""What it shows.\n\n(More than {conftest.DEAR} s: it has to.)\n"""')
    costs = conftest.ProcessorTime()
    for when, name, seconds in [
        *[("call", "a", 100), ("teardown", "a", 9.5), ("teardown", "a", 9)],
        *[("teardown", "b", 3), ("teardown", "c", 17), ("teardown", "d", 16)],
    ]:
        costs.pytest_runtest_logreport(
            SimpleNamespace(nodeid=f"{name}.py::test", when=when, user_properties=[(conftest.COST, seconds)])
        )
    lines = []
    costs.pytest_terminal_summary(SimpleNamespace(section=lines.append, write_line=lines.append))
    assert lines == [
        "processor time: 54 s in 4 files, the dearest",
        f"   18.5 s  a.py  more than the {conftest.DEAR} s of a file",
        "   17.0 s  c.py",
        f"   16.0 s  d.py  more than the {conftest.DEAR} s of a file",
        "    3.0 s  b.py",
    ]


@pytest.mark.slow
def test_while_numba_compiles_or_matplotlib_draws_nothing_is_traced_and_afterwards_all_is(conftest, monkeypatch):
    numba = pytest.importorskip("numba")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from numba.core.dispatcher import _FunctionCompiler

    for cls, name in ((_FunctionCompiler, "compile"), (Figure, "draw")):
        monkeypatch.setattr(cls, name, getattr(cls, name))  # put back after the test
    conftest.leave_unmeasured(*conftest.what_libraries_take_long_for())
    double, figure, traced, before = numba.njit(lambda x: 2 * x), Figure(), [], sys.gettrace()

    def afterwards():
        return double(5)

    sys.settrace(lambda frame, event, argument: traced.append(frame.f_code))
    try:
        found = double(4), afterwards()
        FigureCanvasAgg(figure).draw()
    finally:
        sys.settrace(before)
    assert found == (8, 10)
    assert not {"compiler.py", "text.py", "patches.py"} & {Path(code.co_filename).name for code in traced}
    assert afterwards.__code__ in traced
