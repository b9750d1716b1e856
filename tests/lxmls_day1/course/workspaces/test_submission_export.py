import io
import json
import zipfile

from lxmls_day1.course.workspaces import submission_export as module
from lxmls_day1.course.workspaces.submission_export import collect_submission, pack_submission

STEPS = "classifiers/steps.py"


class TestSubmit:
    def test_what_is_packed(self, workspace):
        (workspace / "classifiers/__pycache__").mkdir()
        (workspace / "classifiers/__pycache__/x.py").write_text("")
        (workspace / "classifiers/mine.py").write_text("x = 1\n")
        (workspace / "classifiers/notes.txt").write_text("private")
        submission = collect_submission(workspace)
        assert submission.missing == () and submission.unsolved == ("1.1", "1.2", "1.3")
        name, content = pack_submission(workspace, submission, "Ada Lovelace, Ä")
        assert name == "submission-ada-lovelace-ä.zip"
        archive = zipfile.ZipFile(io.BytesIO(content))
        names = {entry.partition("/")[2] for entry in archive.namelist()}
        assert {STEPS, "classifiers/mine.py", "notebooks/1_first.ipynb", "submission.json"} <= names
        assert not [n for n in names if "pycache" in n or "notes" in n or "tests" in n or n.startswith(".")]
        manifest = json.loads(archive.read("ada-lovelace-ä/submission.json"))
        assert manifest["name"] == "Ada Lovelace, Ä" and manifest["unsolved"] == ["1.1", "1.2", "1.3"]
        assert set(manifest["files"]) == names - {"submission.json"}
        assert pack_submission(workspace, submission, "Ada Lovelace, Ä")[1] == content

    def test_what_is_missing(self, workspace):
        (workspace / STEPS).unlink()
        (workspace / "classifiers/means.py").write_bytes(b"# \xff\n")
        (workspace / "classifiers/mine.py").write_text("x = (\n")
        (workspace / "notebooks/1_first.ipynb").write_text("{")
        assert set(collect_submission(workspace).missing) == {
            "classifiers/steps.py is not there; `lxmls-day1 reset 1.1` puts it back.",
            "classifiers/means.py: this is not text in UTF-8; save the file as UTF-8.",
            "classifiers/mine.py:1: this is not Python: '(' was never closed.",
            "notebooks/1_first.ipynb is not a notebook.",
        }

    def test_a_huge_notebook(self, workspace, monkeypatch):
        monkeypatch.setattr(module, "LARGEST_FILE", 100)
        assert "is too large" in " ".join(collect_submission(workspace).missing)
