"""Build the wheel and the sdist of a tagged version in ``out/dist``, try the wheel, and write the changelog's section: `make dist` runs it.

    python .ci/make_release.py v0.3.0

It refuses a tag that is not the version of the package, of CITATION.cff and of the newest dated section of CHANGELOG.md. The wheel is
built from the sdist, installed without extras in a new environment, and does a student's core day there. Without a tag only the packages
are made.
"""

import re
import subprocess
import sys
import tarfile
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "out/dist"


def version_faults(tag: str, version: str, citation: str, changelog: str) -> list[str]:
    """Return what does not fit the tag: the version of the package, that of the citation, or the changelog.

    Examples
    --------
    >>> changes = "## [Unreleased]\\n\\n## [1.1] - 2026-02-03\\n\\n- A change."
    >>> version_faults("v1.1", "1.0", "version: 1.1\\ndate-released: 2026-02-03", changes)
    ['lxmls_day1/__init__.py: the version is 1.0']
    """
    number = tag.removeprefix("v")
    cited = dict(re.findall(r"^(version|date-released): (\S+)", citation, re.MULTILINE))
    (_, unreleased), (newest, notes), *_ = [*sections(changelog), ("nothing", "")]
    faults = [f"lxmls_day1/__init__.py: the version is {version}"] * (version != number)
    faults += [f"CITATION.cff: the version is {cited.get('version')}"] * (cited.get("version") != number)
    heading = f"[{number}] - {cited.get('date-released')}"
    faults += [f"CHANGELOG.md: the newest section is {newest!r}, not {heading!r}"] * (newest != heading or not notes)
    return faults + [f"CHANGELOG.md: Unreleased still lists changes: {unreleased[:60]!r}"] * bool(unreleased)


def sections(changelog: str) -> list[tuple[str, str]]:
    """Return the headings and the texts of a changelog."""
    parts = re.split(r"^## (.+)$", changelog, flags=re.MULTILINE)[1:]
    return [(heading.strip(), text.strip()) for heading, text in zip(parts[::2], parts[1::2], strict=True)]


def main() -> None:
    """Build, try and describe the release."""
    tag = sys.argv[1] if len(sys.argv) > 1 else ""
    version = re.search(r'^__version__ = "(.+)"', read("lxmls_day1/__init__.py"), re.MULTILINE)
    if tag and (
        faults := version_faults(tag, version[1] if version else "", read("CITATION.cff"), read("CHANGELOG.md"))
    ):
        sys.exit(f"{tag} cannot be released:\n  " + "\n  ".join(faults))
    OUT.mkdir(parents=True, exist_ok=True)
    for path in OUT.iterdir():
        path.unlink()
    with tempfile.TemporaryDirectory() as temporary:
        run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", str(OUT), folder=ROOT)
        (sdist,) = OUT.glob("*.tar.gz")
        with tarfile.open(sdist) as archive:
            archive.extractall(temporary, filter="data")
        unpacked = Path(temporary, sdist.name.removesuffix(".tar.gz"))
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(OUT), folder=unpacked)
        (wheel,) = OUT.glob("*.whl")
        venv.create(Path(temporary, "venv"), with_pip=True)
        python = str(Path(temporary, "venv/bin/python"))
        run(python, "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints.txt"), str(wheel), folder=ROOT)
        run(python, "-P", str(ROOT / ".ci/core_day.py"), folder=Path(temporary))
    (OUT / "notes.md").write_text(sections(read("CHANGELOG.md"))[1 if tag else 0][1] + "\n", encoding="utf-8")
    print(*(f"{path}: {path.stat().st_size / 1e6:.1f} MB" for path in (wheel, sdist)), sep="\n")


def read(name: str) -> str:
    """Return the text of a file of the repository."""
    return (ROOT / name).read_text(encoding="utf-8")


def run(*command: str, folder: Path) -> None:
    """Run a command in a folder; exit with its status if it fails."""
    if status := subprocess.run(command, cwd=folder).returncode:
        sys.exit(status)


if __name__ == "__main__":
    main()
