"""The build hook of the wheel: it adds the files of the reference lab as modules of the package.

In a wheel ``lxmls_day1.classifiers`` and ``lxmls_day1.readers`` are real files, which editors and type checkers read; in a checkout
`lxmls_day1.library_path.ReferenceFinder` makes the same modules from the lab's files at run time.
"""

import ast
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))  # The package is not installed in the environment that builds the wheel.
from lxmls_day1.base.learner_list import class_modules
from lxmls_day1.library_path import PACKAGES, as_module_of_package


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """A build hook that writes the modules to a temporary folder, from which the wheel takes them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Write the modules, unless the installation is editable."""
        self.made = Path(tempfile.mkdtemp(prefix="lxmls-day1-"))
        if version == "editable":
            return
        root = Path(self.root)
        for package in PACKAGES:
            for file in sorted((root / package).rglob("*.py")):
                text = as_module_of_package(file.read_text(encoding="utf-8"))
                made = self.made / file.relative_to(root)
                made.parent.mkdir(parents=True, exist_ok=True)
                made.write_text(text + exported_names(text, root / package), encoding="utf-8")
        build_data["force_include"][str(self.made)] = "lxmls_day1"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """Remove the temporary folder."""
        shutil.rmtree(self.made)


def exported_names(text: str, folder: Path) -> str:
    """Return imports, for type checkers, of the names that a package imports on first use; see `offered_names`."""
    calls = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "offered_names"
    ]
    if not calls:
        return ""
    tables = {ast.unparse(node.targets[0]): node.value for node in ast.parse(text).body if isinstance(node, ast.Assign)}
    names = ast.literal_eval(tables[ast.unparse(calls[0].args[-1])]) | class_modules(folder)
    imports = [f"    from lxmls_day1.{folder.name}.{file} import {name} as {name}\n" for name, file in names.items()]
    return "\nTYPE_CHECKING = False\nif TYPE_CHECKING:\n" + "".join(imports)
