"""Labs that are put into boxes."""

from pathlib import Path, PurePosixPath

MODULES = Path(__file__).parent / "boxed"


def boxed_lab(*names: str) -> dict[PurePosixPath, bytes]:
    """Return the files of a lab whose classifiers are these modules of the folder ``boxed``."""
    lab = {PurePosixPath(package, "__init__.py"): b"" for package in ("classifiers", "readers")}
    return lab | {PurePosixPath(f"classifiers/{name}.py"): (MODULES / f"{name}.py.txt").read_bytes() for name in names}
