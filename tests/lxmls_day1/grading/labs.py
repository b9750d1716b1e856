"""Labs that are put into boxes, and the part of a lab that is handed in."""

from pathlib import Path, PurePosixPath

MODULES = Path(__file__).parent / "boxed"
PACKAGES = ("readers", "classifiers")


def boxed_lab(*names: str) -> dict[PurePosixPath, bytes]:
    """Return the files of a lab whose classifiers are these modules of the folder ``boxed``."""
    lab = {PurePosixPath(package, "__init__.py"): b"" for package in PACKAGES}
    return lab | {PurePosixPath(f"classifiers/{name}.py"): (MODULES / f"{name}.py.txt").read_bytes() for name in names}


def code_of(files: dict[PurePosixPath, bytes]) -> dict[PurePosixPath, bytes]:
    """Return the files of a lab's packages, which hold all code that is graded."""
    return {path: content for path, content in files.items() if path.parts[0] in PACKAGES}
