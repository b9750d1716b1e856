"""Write ``lock.txt``, and ``constraints.txt`` with ``--upgrade``: what ``make lock`` runs. It needs uv.

``lock.txt`` has every package of every set-up of the Makefile with its hashes; the line above a package names the set-ups that it
belongs to. ``constraints.txt`` has the versions alone, for installations by hand. It ends with status 1 if a package has no wheel for a
system or a Python that the workflows test.
"""

import itertools
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK, CONSTRAINTS = ROOT / "lock.txt", ROOT / "constraints.txt"
#: Set-up of the Makefile -> the extras that it has; `hand` is no set-up, but what else the project offers.
EXTRAS = {
    "run": ("fast",),
    "test": ("fast", "test"),
    "check": ("fast", "test", "dev"),
    "lab": ("fast", "notebook"),
    "docs": ("fast", "docs"),
    "browser": ("fast", "browser"),
    "hand": ("cluster", "grading", "sklearn"),
}
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
#: Both kinds of Linux, and the other systems of the workflows, by uv's names.
SYSTEMS = ("x86_64-manylinux_2_28", "aarch64-manylinux_2_28", "aarch64-apple-darwin", "x86_64-pc-windows-msvc")
#: What else bounds the newest versions. Later ones of jsonschema load a library that makes each start of Jupyter 2 s slower.
BOUNDS = "jsonschema<4.25"


def compiled(extras: tuple[str, ...], options: list[str], bounds: str = "") -> dict[str, str]:
    """Map each package, with its version and marker, to its lines in a file of requirements."""
    build = "\n".join([*tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"], bounds])
    command = ["uv", "pip", "compile", "--quiet", "--universal", "--fork-strategy", "fewest"]
    command += ["--python-version", PYTHONS[0]]
    command += ["--generate-hashes", "--no-annotate", "--no-header", "--no-emit-index-url", "--no-emit-find-links"]
    command += [part for extra in extras for part in ("--extra", extra)]
    command += [*options, "pyproject.toml", "-"]
    done = subprocess.run(command, cwd=ROOT, input=build, stdout=subprocess.PIPE, text=True, check=True)
    packages, name = {}, ""
    for line in done.stdout.splitlines(keepends=True):
        name = name if line.startswith(" ") else line.removesuffix(" \\\n")
        packages[name] = packages.get(name, "") + line
    return packages


def lacking_wheels() -> list[str]:
    """Return a text for each system and Python for which a package of ``lock.txt`` has no wheel."""
    lacking = []
    command = ["uv", "pip", "install", "--dry-run", "--only-binary=:all:", "--no-deps", "--require-hashes", "-r", LOCK]
    with tempfile.TemporaryDirectory() as folder:
        for system, python in itertools.product(SYSTEMS, PYTHONS):
            options = ["--target", folder, "--python-platform", system, "--python-version", python]
            done = subprocess.run([*command, *options], capture_output=True, text=True, check=False)
            if done.returncode:
                lacking.append(f"{system}, Python {python}: {done.stderr.strip()}")
    return lacking


def main() -> None:
    """Resolve all set-ups with the versions of ``constraints.txt``, or with the newest ones, and write both files."""
    if sys.argv[1:] == ["--upgrade"]:
        every = tuple(dict.fromkeys(extra for extras in EXTRAS.values() for extra in extras))
        head = [line for line in CONSTRAINTS.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
        versions = [name.partition(" ;")[0] for name in compiled(every, ["--upgrade"], BOUNDS)]
        CONSTRAINTS.write_text("\n".join([*head, *versions, ""]), encoding="utf-8")
    members: dict[str, list[str]] = {}
    lines: dict[str, str] = {}
    for set_up, extras in EXTRAS.items():
        for name, text in compiled(extras, ["--constraints", str(CONSTRAINTS)]).items():
            members.setdefault(name, []).append(set_up)
            lines[name] = text
    LOCK.write_text("".join(f"# {' '.join(members[name])}\n{lines[name]}" for name in sorted(lines)), encoding="utf-8")
    if lacking := lacking_wheels():
        sys.exit("\n".join(["Not every package has a wheel:", *lacking]))


if __name__ == "__main__":
    main()
