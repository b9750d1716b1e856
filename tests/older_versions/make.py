"""Make what an older version left behind, with its code from the history: a zip file of a few hundred kB in this folder.

    python tests/older_versions/make.py 0.2.0 8dffe70b

names the version and its last commit. `tests/lxmls_day1/test_older_versions.py` opens the files with the present version. All texts in
them are the project's own.
"""

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
#: Runs a command of the older version; the first checkpoint that it writes is copied, because a finished training removes its own.
CODE = """
import os, shutil, sys
sys.path.insert(0, {source!r})
replace = os.replace
def keep(source, target, **options):
    replace(source, target, **options)
    if str(target).endswith("mira.checkpoint") and not os.path.exists("kept.checkpoint"):
        shutil.copy(target, "kept.checkpoint")
os.replace = keep
from lxmls_day1.__main__ import main
main()
"""
COMMANDS = (
    "start ada",
    "solve --lab ada 1.4",
    "solve --lab ada 1.5",
    "submit --lab ada --name Ada --out ada.zip",
    "grade ada.zip --out marks --exercises 1.4,1.5,1.6 --sandbox process --trust-submissions",
    "train --classifier mira --domain toy --out mira.npz",
    "train --classifier crf --domain toy-sentences --out crf.npz",
    "cache reviews.tsv --out reviews.bags",
    "train --classifier mira --corpus reviews.bags --checkpoint mira.checkpoint --every 100 --out corpus.npz",
    "predict mira.npz review.txt",
)


def main() -> None:
    """Make the zip file of a version."""
    version, commit = sys.argv[1:]
    with tempfile.TemporaryDirectory() as temporary:
        folder, source = Path(temporary, "made"), Path(temporary, "source")
        folder.mkdir()
        archive = subprocess.run(["git", "archive", commit], cwd=HERE.parents[1], capture_output=True, check=True)
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as tar:
            tar.extractall(source, filter="data")
        rows = [f"{('bad', 'good')[i % 2]}\t{('dull', 'fine')[i % 2]} book {i % 7} page {i % 5}" for i in range(200)]
        (folder / "reviews.tsv").write_text("\n".join(["label\ttext", *rows, ""]), encoding="utf-8")
        (folder / "review.txt").write_text("A dull book.\n", encoding="utf-8")
        for command in COMMANDS:
            words = [sys.executable, "-P", "-c", CODE.format(source=str(source)), *command.split()]
            variables = os.environ | {"NUMBA_DISABLE_JIT": "1"}
            done = subprocess.run(words, cwd=folder, env=variables, capture_output=True, text=True)
            print(f"{done.returncode} {command}", (done.stdout + done.stderr)[-600:] if done.returncode else "")
            if command.startswith("predict"):
                (folder / "predicted.txt").write_text(done.stdout, encoding="utf-8")
        with zipfile.ZipFile(HERE / f"{version}.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for path in sorted(folder.rglob("*")):
                if path.is_file() and "__pycache__" not in path.parts and path.suffix not in (".nbc", ".nbi"):
                    packed.write(path, path.relative_to(folder))


if __name__ == "__main__":
    main()
