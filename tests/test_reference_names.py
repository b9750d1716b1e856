"""The reference lab as ``lxmls_day1.classifiers`` and ``lxmls_day1.readers``, beside labs of the same names."""

import importlib
import inspect
import pickle
import pkgutil
import sys

import numpy as np
import pytest

import classifiers
import lxmls_day1.classifiers
import lxmls_day1.readers
import readers
from lxmls_day1.library_path import ReferenceFinder
from tests.python_runs import ROOT, run_python
from tests.wording import wording

pytestmark = pytest.mark.slow

X, Y = np.array([[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [-2.0, -1.0]]), np.array([0, 0, 1, 1])


def run(code, cwd=None):
    return run_python("-W", "error", "-c", code, cwd=cwd).stdout


def test_nothing_is_imported_before_it_is_needed():
    run(
        "import sys, classifiers, readers, lxmls_day1\n"
        "dir(classifiers), dir(readers), dir(lxmls_day1)\n"
        "assert 'numpy' not in sys.modules and 'lxmls_day1.lab' not in sys.modules\n"
        "from lxmls_day1 import Lab\n"
        "assert 'numpy' not in sys.modules\n"
        "from classifiers import Mira\n"
        "from readers import SentimentCorpus\n"
        "assert 'numba' not in sys.modules and 'classifiers.svm' not in sys.modules\n",
        cwd=ROOT,
    )


def test_they_offer_the_names_of_the_lab():
    for ours, of_lab in [(lxmls_day1.classifiers, classifiers), (lxmls_day1.readers, readers)]:
        assert ours.__all__ == of_lab.__all__ and ours.__doc__ == of_lab.__doc__
        assert set(ours.__all__) <= set(dir(ours))
        for name in ours.__all__:
            module = getattr(of_lab, name).__module__
            assert getattr(ours, name).__module__ == f"lxmls_day1.{module.removeprefix('lxmls_day1.')}"
            handed_on = module.startswith("lxmls_day1.")
            assert (getattr(ours, name) is getattr(of_lab, name)) == handed_on


def test_every_module_needs_only_its_own_kind():
    """No import in these modules leads to a top-level ``classifiers`` or ``readers``."""
    run(
        "import importlib, pkgutil, sys\n"
        "import lxmls_day1.classifiers, lxmls_day1.readers\n"
        "for package in (lxmls_day1.classifiers, lxmls_day1.readers):\n"
        "    names = [module.name for module in pkgutil.walk_packages(package.__path__, package.__name__ + '.')]\n"
        "    assert len(names) > 5\n"
        "    for name in names:\n"
        "        importlib.import_module(name)\n"
        "assert not [name for name in sys.modules if name.partition('.')[0] in ('classifiers', 'readers')]\n"
    )


def test_a_student_has_packages_of_the_same_names(tmp_path):
    """Neither package shadows the other, in whatever order they are imported."""
    for name in ("classifiers", "readers"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").write_text("")
    (tmp_path / "classifiers/mira.py").write_text("Mira = 'of the student'\n")
    (tmp_path / "classifiers/online_classifier.py").write_text("raise SystemExit('imported by the reference')\n")
    own = "from classifiers.mira import Mira as own\n"
    reference = "from lxmls_day1.classifiers import Mira\n"
    for order in (own + reference, reference + own):
        check = "assert own == 'of the student' and Mira.__module__ == 'lxmls_day1.classifiers.mira'\n"
        run("import sys\nsys.path.insert(0, '')\n" + order + check + "Mira(nr_rounds=2)\n", cwd=tmp_path)


def test_pickled_objects_are_loaded_in_another_process(tmp_path):
    mira = lxmls_day1.classifiers.Mira(regularizer=0.1, nr_rounds=3)
    params = mira.train(X, Y)
    (tmp_path / "mira.pickle").write_bytes(pickle.dumps((mira, params, X)))
    code = """
import pickle
mira, params, X = pickle.load(open("mira.pickle", "rb"))
print(type(mira).__module__, mira.regularizer, mira.test(X, params).tolist())
"""
    assert run(code, cwd=tmp_path) == wording("package.lxmls_day_classifiers_mira")


def test_a_saved_model_is_loaded_as_a_class_of_the_same_kind(tmp_path):
    mira = lxmls_day1.classifiers.Mira(nr_rounds=2)
    mira.save(tmp_path / "mira.npz", mira.train(X, Y))
    assert type(lxmls_day1.classifiers.LinearClassifier.load(tmp_path / "mira.npz").classifier) is type(mira)
    assert type(classifiers.LinearClassifier.load(tmp_path / "mira.npz").classifier) is classifiers.Mira


def test_results_match_the_lab():
    for name in ("Mira", "SVM", "MaxEntBatch", "GaussianNaiveBayes"):
        params = [getattr(package, name)().train(X, Y) for package in (classifiers, lxmls_day1.classifiers)]
        np.testing.assert_array_equal(*params)


def test_bytecode_is_kept_apart():
    """Bytecode of a module under one name is never used under the other."""
    code = (
        "import importlib, sys\n"
        "for name in ('lxmls_day1.classifiers.mira', 'classifiers.mira', 'lxmls_day1.classifiers.mira'):\n"
        "    for known in [name for name in sys.modules if 'classifiers' in name]:\n"
        "        del sys.modules[known]\n"
        "    base = importlib.import_module(name).Mira.__mro__[1]\n"
        "    assert base.__module__ == name.replace('mira', 'online_classifier'), base\n"
    )
    run(code)
    run(code)


def test_sources_and_lines_match_the_files():
    rule = lxmls_day1.classifiers.mira.mira_rule
    assert inspect.getsource(rule) == inspect.getsource(classifiers.mira.mira_rule)
    assert rule.__code__.co_firstlineno == classifiers.mira.mira_rule.__code__.co_firstlineno


@pytest.mark.parametrize("name", ["lxmls_day1.lab", "lxmls_day1.classifiers_of", "classifiers", "readers.splitting"])
def test_other_modules_are_not_redirected(name):
    assert ReferenceFinder().find_spec(name) is None


def test_there_is_one_finder():
    importlib.reload(lxmls_day1)
    assert sum(isinstance(finder, ReferenceFinder) for finder in sys.meta_path) == 1
    with pytest.raises(ModuleNotFoundError, match=wording("package.module_named_lxmls_day")):
        importlib.import_module("lxmls_day1.classifiers.mria")
    assert "mira" in [module.name for module in pkgutil.iter_modules(lxmls_day1.classifiers.__path__)]
