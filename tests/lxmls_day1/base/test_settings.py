"""Every classifier's constructor names its settings, and a wrong name is reported with the correct one."""

import copy
import inspect
import pickle

import pytest

from lxmls_day1 import classifiers  # Other tests open other labs; this lab stays open.
from lxmls_day1.base.errors import InputError
from lxmls_day1.base.settings import check_settings, known_settings, settings
from lxmls_day1.classifiers import Mira, NaiveBayes, OnlineClassifier, StructuredMira, StructuredSVM
from tests.wording import wording

KINDS = [kind for name in classifiers.__all__ if inspect.isclass(kind := getattr(classifiers, name))]
OF_THE_LOOP = {"nr_rounds", "averaged", "seed", "order", "cost", "track_objective", "progress"}


def by_name(kind):
    return kind.__name__


@pytest.mark.parametrize("kind", KINDS, ids=by_name)
class TestEveryClassifier:
    def test_its_constructor_names_all_settings(self, kind):
        _self, *parameters = inspect.signature(kind.__init__).parameters.values()
        assert {parameter.kind.name for parameter in parameters} <= {"POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY"}
        assert list(known_settings(kind)) == [parameter.name for parameter in parameters]
        if issubclass(kind, OnlineClassifier):
            assert set(known_settings(kind)) >= OF_THE_LOOP

    def test_each_setting_is_stored_under_its_name(self, kind):
        """A value that differs from the default passes through all constructors of the class hierarchy."""
        if kind is NaiveBayes:
            pytest.skip("keeps them in its model")
        given = {name: object() for name in known_settings(kind)}
        assert settings(kind(**given)) == given

    def test_a_wrong_name_is_answered_with_all_names(self, kind):
        with pytest.raises(InputError, match=wording("base.setting_nr_round", kind.__name__)) as caught:
            kind(nr_round=3)
        assert isinstance(caught.value, TypeError)
        assert all(name in str(caught.value) for name in known_settings(kind))

    def test_it_is_copied_and_pickled(self, kind):
        made = kind()
        assert repr(made) == f"{kind.__name__}()"
        for twin in (copy.copy(made), copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert type(twin) is kind
            assert repr(settings(twin)) == repr(settings(made))


def test_an_unknown_setting_is_reported_with_similar_names():
    expected = (
        r"no setting 'regularisation'; did you mean regularizer\? Its settings are: regularizer, nr_rounds, .*n_jobs\."
    )
    with pytest.raises(InputError, match=expected):
        Mira(regularisation=1)


def test_settings_that_differ_from_the_defaults_are_shown():
    assert repr(Mira(0.1, nr_rounds=10, order=[1, 0])) == "Mira(regularizer=0.1, order=[1, 0])"
    assert repr(NaiveBayes("multinomial", smooth_param=0.5)) == "NaiveBayes(xtype='multinomial', smooth_param=0.5)"
    mira = Mira()
    mira.seed = 3
    assert repr(mira) == "Mira(seed=3)"

    class Fixed(Mira):
        def __init__(self, rounds):
            super().__init__(nr_rounds=rounds)
            self.rounds = rounds

    assert repr(Fixed(2)) == "Fixed(rounds=2)"


def test_the_two_naive_bayes_do_not_take_the_settings_of_each_other():
    assert NaiveBayes("multinomial", smooth=False).model.smooth is False
    assert NaiveBayes(variance="pooled").model.variance == "pooled"
    with pytest.raises(InputError, match=wording("base.gaussiannaivebayes_setting_smooth_param")):
        NaiveBayes("gaussian", smooth_param=1.0)


def test_tags_have_their_own_defaults():
    assert settings(StructuredSVM())["averaged"] == "steps"
    assert (StructuredMira().regularizer, StructuredSVM().regularizer) == (1.0, 1e-5)


def test_a_class_without_a_constructor_has_no_settings():
    assert known_settings(object) == {}
    check_settings(object, [])
    with pytest.raises(InputError, match=wording("base.object_setting_none")):
        check_settings(object, ["a"])
