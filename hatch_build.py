"""The build hook of the wheel: the files of the reference lab as modules of the package.

In a wheel ``lxmls_day1.classifiers`` and ``lxmls_day1.readers`` are real files, which editors and type checkers read; in a checkout
`lxmls_day1.library_path.ReferenceFinder` makes the same modules of the lab's files while the program runs.
"""

import ast
import runpy
import shutil
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Makes the modules in a temporary folder, from which the wheel takes them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Make them, unless the installation is editable."""
        self.made = Path(tempfile.mkdtemp(prefix="lxmls-day1-"))
        if version == "editable":
            return
        root = Path(self.root)
        library_path = runpy.run_path(str(root / "lxmls_day1" / "library_path.py"), run_name="lxmls_day1.library_path")
        for package in library_path["PACKAGES"]:
            for file in sorted((root / package).rglob("*.py")):
                text = library_path["as_module_of_package"](file.read_text(encoding="utf-8"))
                made = self.made / file.relative_to(root)
                made.parent.mkdir(parents=True, exist_ok=True)
                made.write_text(text + exported_names(text, f"lxmls_day1.{package}"), encoding="utf-8")
        build_data["force_include"][str(self.made)] = "lxmls_day1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the folder."""
        shutil.rmtree(self.made)


def exported_names(text: str, package: str) -> str:
    """Imports for type checkers, of the classes that a package imports when they are first asked for (its ``_FILE_OF``)."""
    for node in ast.parse(text).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "_FILE_OF":
            names = ast.literal_eval(node.value)
            imports = [f"    from {package}.{file} import {name} as {name}\n" for name, file in names.items()]
            return "\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n" + "".join(imports)
    return ""
