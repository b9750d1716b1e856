"""What the README shows is run, so that it stays true."""

import importlib.util
import re
from pathlib import Path

import numpy as np
import pytest

from classifiers.perceptron import Perceptron

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
EXAMPLE, OF_DICTIONARIES, INSTALLED, OWN_RULE, IN_SCIKIT_LEARN, REPORT = BLOCKS


def test_the_example_in_python(capsys):
    exec(compile(EXAMPLE, "README.md", "exec"), {})
    assert 0.9 <= float(capsys.readouterr().out) <= 1


def test_the_example_of_dictionaries(capsys):
    exec(compile(OF_DICTIONARIES, "README.md", "exec"), {})
    assert capsys.readouterr().out == "".join(line + "\n" for line in re.findall(r"# (\[.*\])", OF_DICTIONARIES))


def test_what_an_installed_package_offers():
    names = {}
    exec(compile(INSTALLED, "README.md", "exec"), names)
    assert {"Lab", "Mira", "SentimentCorpus"} <= set(names)


@pytest.mark.slow
def test_the_example_in_scikit_learn(capsys):
    names = {}
    exec(compile(IN_SCIKIT_LEARN, "README.md", "exec"), names)
    assert capsys.readouterr().out.endswith("['+']\n")
    exec(compile(REPORT, "README.md", "exec"), names)
    report = capsys.readouterr().out
    assert "precision    recall  f1-score" in report and report.endswith("[[10  0]\n [ 0 10]]\n")


@pytest.fixture
def own_rule(tmp_path):
    """The README's learner as a module in a file of its own."""
    path = tmp_path / "passive_aggressive_2.py"
    path.write_text(OWN_RULE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("passive_aggressive_2", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 5])
def test_an_own_rule_learns_as_the_formula_says(own_rule, n_classes):
    """Against Crammer et al. 2006, section 4: τ = ℓ / (‖f(x, y) − f(x, r)‖² + 1/(2C)), with every W in full."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % n_classes
    g, W, total = np.hstack([np.ones((40, 1)), X]), np.zeros((4, n_classes)), np.zeros((4, n_classes))
    order = rng.permutation(40)
    for m in order:
        scores = g[m] @ W
        rival = max((k for k in range(n_classes) if k != y[m]), key=lambda k: scores[k])
        loss = max(0.0, 1 + scores[rival] - scores[y[m]])
        difference = np.zeros_like(W)
        difference[:, y[m]], difference[:, rival] = g[m], -g[m]
        W = W + loss / ((difference**2).sum() + 1 / 2) * difference
        total += W
    learner = own_rule.PassiveAggressive2(nr_rounds=1, order=order)
    np.testing.assert_allclose(learner.train(X, y), total / 40, atol=1e-9)


@pytest.mark.slow
def test_an_own_rule_has_the_compiled_speed(own_rule):
    """It is machine code of the same loop as the perceptron's (how fast that is, the benchmarks tell)."""
    from lxmls_day1.compiled import sparse_rows

    signatures = [sparse_rows.compile_rule(rule).nopython_signatures for rule in (own_rule.pa2_rule, Perceptron.rule)]
    assert signatures[0] == signatures[1] == [sparse_rows.RULE_SIGNATURE]
    assert len(OWN_RULE.split('"""')[0].splitlines() + OWN_RULE.split('"""')[2].splitlines()) <= 25


def test_every_file_that_the_readme_names_is_there():
    root = Path(__file__).resolve().parent.parent
    named = set(re.findall(r"`((?:readers|classifiers|lxmls_day1|docs|tests)/[\w/.]+\.\w+)`", README))
    named |= set(re.findall(r"\]\(((?!http)[^)#]+)\)", README))
    assert len(named) > 10
    assert [name for name in sorted(named) if not (root / name).exists()] == []
