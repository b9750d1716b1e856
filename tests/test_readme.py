"""What the README shows is run, so that it stays true; `test_docs.py` runs what the pages show that it leads to."""

import re
from pathlib import Path

README = (Path(__file__).resolve().parent.parent / "README.md").read_text(encoding="utf-8")


def test_the_example_in_python(capsys):
    (example,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    exec(compile(example, "README.md", "exec"), {})
    assert 0.9 <= float(capsys.readouterr().out) <= 1
