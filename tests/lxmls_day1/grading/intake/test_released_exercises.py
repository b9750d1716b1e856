"""Grading marks the exercises that the course released, and no single student changes that."""

import json

import pytest

from lxmls_day1.course.registry import FILE, Registry
from lxmls_day1.course.workspace_state import WorkspaceState
from lxmls_day1.course.workspaces.packed_work import collect_submission, pack_submission
from lxmls_day1.course.workspaces.upgrade import add, update
from lxmls_day1.course.workspaces.workspace import start_workspace
from lxmls_day1.grading.intake.finding_submissions import find_submissions
from lxmls_day1.grading.intake.released_exercises import released_exercises
from lxmls_day1.lab import reference_folder
from tests.lxmls_day1.grading.test_hostile_names import download, packed
from tests.wording import wording

REGISTRY = Registry.read(reference_folder() / FILE)
CORE = [exercise.id for exercise in REGISTRY if exercise.is_core]
BROKEN = [
    {},
    {"exercises": None},
    {"exercises": 3},
    {"exercises": [["1.2"]]},
    {"exercises": {}},
    {"exercises": ["9.9", 1]},
]


def said_by(tmp_path, *manifests):
    files = {f"s{n}.zip": packed(True, name=f"s{n}", **manifest) for n, manifest in enumerate(manifests)}
    return released_exercises(find_submissions([download(tmp_path / "all.zip", files)]), REGISTRY)


@pytest.mark.parametrize(
    ("said", "expected", "text"),
    [
        (
            [CORE] * 3,
            CORE,
            "8 exercises (1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8), as 3 of 3 submissions say. --exercises",
        ),
        ([CORE, CORE, ["1.2"]], CORE, "Others differ: 1 says not 1.1, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8."),
        ([CORE, CORE, [*CORE, "1.9"]], CORE, "Others differ: 1 says 1.9 too."),
        # If two submissions differ, neither removes an exercise from the other.
        ([CORE, ["1.2"]], CORE, "Others differ"),
        ([["1.2"], CORE], CORE, "Others differ"),
        (
            [CORE[::-1], ["1.5", "1.5", "nothing"], ["1.5"]],
            ["1.5"],
            "Marked out of 10 points: 1 exercise (1.5), as 2 of 3",
        ),
        ([CORE, *[None] * 3], CORE, "Others differ: 3 say nothing."),
    ],
)
def test_the_most_common_answer_counts(tmp_path, said, expected, text):
    exercises, sentence = said_by(tmp_path, *({"exercises": ids} for ids in said))
    assert exercises == expected and text in sentence


@pytest.mark.parametrize("manifest", BROKEN)
def test_all_exercises_are_graded_if_no_manifest_can_be_read(tmp_path, manifest):
    exercises, sentence = said_by(tmp_path, manifest, manifest)
    assert exercises is None and wording("grading.marked_out_of_all", len(REGISTRY.ids)) in sentence


def test_released_exercises_of_a_workspace(tmp_path):
    """Also after parts were added or updated, for a zip file or a folder, and for a workspace of an older version."""
    assert len(REGISTRY.ids) > len(CORE) == 8
    for is_day, given in ((True, CORE), (False, list(REGISTRY.ids))):
        folder = start_workspace(tmp_path / f"lab{is_day}", core_only=is_day)
        add(folder, ["5_structured"])
        update(folder)
        (found,) = find_submissions([folder])
        assert released_exercises([found], REGISTRY)[0] == given
        name, content = pack_submission(folder, collect_submission(folder), "Ada")
        (folder.parent / name).write_bytes(content)
        assert released_exercises(find_submissions([folder.parent / name]), REGISTRY)[0] == given
    state = WorkspaceState.from_folder(folder)
    older = json.loads((folder / ".lab-state.json").read_text())
    del older["origin"]["exercises"]
    (folder / ".lab-state.json").write_text(json.dumps(older))
    assert WorkspaceState.from_folder(folder).origin.files == state.origin.files
    assert released_exercises([found], REGISTRY)[0] is None
