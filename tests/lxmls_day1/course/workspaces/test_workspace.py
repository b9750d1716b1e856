from pathlib import Path

import pytest

from lxmls_day1.base.errors import InputError
from lxmls_day1.course.workspaces import workspace as module
from lxmls_day1.course.workspaces.generation import student_files
from lxmls_day1.course.workspaces.upgrade import update
from lxmls_day1.course.workspaces.workspace import start_workspace, version_note
from tests.lxmls_day1.file_trees import tree
from tests.wording import wording


class TestStart:
    def test_the_files_of_a_student_a_welcome_and_the_state(self, reference, workspace):
        files = tree(workspace)
        assert {str(name): content for name, content in student_files(reference).items()}.items() <= files.items()
        more = set(files) - {str(name) for name in student_files(reference)}
        assert more == {"README.md", ".lab-state.json", ".gitignore", ".vscode/tasks.json"}

    def test_without_editor_files(self, reference, tmp_path):
        folder = start_workspace(tmp_path / "mine", editor_files=False)
        update(folder)
        assert not (folder / ".vscode").exists() and version_note(folder) == ""

    @pytest.mark.parametrize("name", ["notes.txt", ".hidden"])
    def test_existing_files_are_never_changed(self, reference, tmp_path, name):
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / name).write_text("mine")
        with pytest.raises(InputError, match=wording("course.exists_already_empty_nothing")):
            start_workspace(tmp_path / "mine")
        assert tree(tmp_path / "mine") == {name: b"mine"}

    @pytest.mark.parametrize("failing", [1, 3])
    def test_an_interruption_leaves_an_empty_folder_empty(self, reference, tmp_path, monkeypatch, failing):
        (tmp_path / "mine").mkdir()
        real, calls = Path.rename, []

        def rename(path, target):
            calls.append(path)
            if len(calls) == failing:
                raise KeyboardInterrupt
            return real(path, target)

        monkeypatch.setattr(Path, "rename", rename)
        with pytest.raises(KeyboardInterrupt):
            start_workspace(tmp_path / "mine")
        assert list((tmp_path / "mine").iterdir()) == []

    @pytest.mark.parametrize("error", [KeyboardInterrupt, OSError(28, "No space left on device")])
    def test_an_interruption_leaves_nothing(self, reference, tmp_path, monkeypatch, error):
        def fails(folder, files):
            (folder / "half").write_text("half")
            raise error

        monkeypatch.setattr(module, "write_files", fails)
        with pytest.raises(type(error) if isinstance(error, OSError) else error):
            start_workspace(tmp_path / "new/mine")
        assert list((tmp_path / "new").iterdir()) == []
