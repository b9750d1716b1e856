"""The owner of a key: every row of the table of cases; among several claims, the claim that is a path by itself wins."""

from pathlib import Path

import pytest

from lxmls_day1.grading.intake import identity
from lxmls_day1.grading.intake.found_submission import FoundSubmission
from lxmls_day1.grading.intake.identity import OWNER_CASES, Identification
from tests.wording import wording


def claim(file, name="", alone=True):
    """Return a submission that claims the key ``ada``; if a name is passed, Canvas wrote it."""
    parts = () if alone else ((file, ""),)
    return FoundSubmission(
        "ada", name or file, file, Path(file), parts, platform="Canvas" if name else "", identity_key="ada"
    )


OTHER_ZIP = claim("b.zip"), claim("c.zip")
WITHIN, OTHER_WITHIN = claim("a.zip", alone=False), claim("b.zip", alone=False)
EVE, MALLORY = claim("e.zip", "eve"), claim("m.zip", "mallory")


@pytest.mark.parametrize(
    ("case", "earlier", "claims", "has_the_key", "n_doubts"),
    [
        ("no owner yet", None, [claim("a.zip")], "a.zip", 0),
        ("no owner yet", None, [OTHER_WITHIN, claim("a.zip")], "a.zip", 1),
        ("no owner yet", None, [WITHIN, OTHER_WITHIN], "", 2),
        ("the owner's label among the claims", claim("a.zip"), [claim("b.zip"), claim("a.zip")], "a.zip", 1),
        ("the owner's label among the claims", WITHIN, [WITHIN, claim("x/a.zip"), EVE], "x/a.zip", 2),
        ("the owner's label among the claims", WITHIN, [WITHIN, claim("x/a.zip", alone=False)], "frozen", 2),
        ("another label, not from a platform", claim("a.zip"), [claim("b.zip")], "b.zip", 0),
        ("another label, not from a platform", claim("a.zip"), [OTHER_WITHIN, claim("c.zip")], "c.zip", 1),
        ("another label, not from a platform", claim("a.zip"), OTHER_ZIP, "frozen", 2),
        ("another label from a platform, several claims", claim("a.zip", "ada"), [EVE, MALLORY], "frozen", 2),
        ("another label from a platform, one claim", claim("a.zip", "ada"), [EVE], "frozen", 1),
    ],
)
def test_owner_of_a_key_in_every_case(tmp_path, case, earlier, claims, has_the_key, n_doubts):
    if earlier:
        Identification(tmp_path)([earlier])
    owner = identity._saved_owners(tmp_path).get("ada")
    assert case in OWNER_CASES and identity._case_of(claims, owner) == case
    identified = Identification(tmp_path)(claims)
    assert ["frozen" if one.keeps_previous_row else one.source for one in identified if one.student == "ada"] == (
        [has_the_key] if has_the_key else []
    )
    assert len({one.student for one in identified}) == len(identified)
    assert sum(len(one.owner_warnings) for one in identified) == n_doubts
    for doubt in (doubt for one in identified if one.student != "ada" for doubt in one.owner_warnings):
        assert (wording("grading.mark_ada_changed") in doubt) == bool(has_the_key)
        assert (wording("grading.so_would_another_submission") in doubt) == (not has_the_key)
    if case.endswith("one claim"):  # From now on the claim is the owner, because of --again.
        for again in (["ada"], []):
            (accepted,) = Identification(tmp_path, again)(claims)
            assert accepted.source == "e.zip" and not accepted.keeps_previous_row and not accepted.owner_warnings


def test_no_row_is_filed_under_the_name_of_another_student(tmp_path):
    identified = Identification(tmp_path)([EVE, MALLORY])
    assert sorted(one.student.rpartition("-")[0] for one in identified) == ["eve", "mallory"]
