"""The list of demonstrations, read from their files without importing them, so that listing them is fast."""

from pathlib import Path
from typing import NamedTuple

from lxmls_day1.base.lazy_names import class_texts, class_values


class DemonstrationRow(NamedTuple):
    """A demonstration in the index, read from its file without an import."""

    module: str
    class_name: str
    title: str
    summary: str


def _read_demonstrations() -> dict[str, DemonstrationRow]:
    found = []
    for path in sorted(Path(__file__).parent.glob("*.py")):
        for class_name, text in class_texts(path):
            if text.startswith(f"class {class_name}(Demonstration):"):
                values = class_values(text, "name", "title", "summary", "order")
                row = DemonstrationRow(path.stem, class_name, str(values["title"]), str(values["summary"]))
                found.append((values["order"], values["name"], row))
    return {str(name): row for _, name, row in sorted(found)}


#: Each demonstration by its name, in the order of the index: the subclasses of `Demonstration` in this folder.
DEMONSTRATIONS = _read_demonstrations()
