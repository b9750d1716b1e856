"""The small pictures of the list of demonstrations: ``python -m lxmls_day1.demos.thumbnails`` makes them anew.

Each is a demonstration's own figure in few colours, on a light and on a dark ground; those of reviews are of the made-up ones.
"""

import io
from pathlib import Path
from typing import Any

from lxmls_day1.demos.export import DEMONSTRATIONS, demonstration_class
from lxmls_day1.demos.index_page import THUMBNAILS
from lxmls_day1.whole_files import replace_files

SIZE = (600, 360)  # pixels of the figure, which is then made smaller
_SMALLER = 0.52
_COLOURS = 48
_START: dict[str, dict[str, Any]] = {"review_explorer": {"domain": "toy"}}


def thumbnail_of(lab: Any, name: str, dark: bool) -> bytes:
    """The picture of one demonstration, as PNG."""
    from PIL import Image

    found = demonstration_class(name)
    demonstration = found(lab, dark=dark, scale=0.8, live=False, **_START.get(name, {}))
    demonstration.finish()
    demonstration.stage.size(*SIZE)
    demonstration.redraw()
    if found.telling_frame is not None:
        demonstration.go_to(found.telling_frame)
    picture = Image.open(io.BytesIO(demonstration.stage.pixels("png", 100))).convert("RGB")
    picture = picture.resize(
        (round(_SMALLER * picture.width), round(_SMALLER * picture.height)), Image.Resampling.LANCZOS
    )
    file = io.BytesIO()
    picture.quantize(_COLOURS, dither=Image.Dither.NONE).save(file, format="PNG", optimize=True)
    return file.getvalue()


def build(lab: Any, folder: Path = THUMBNAILS) -> list[Path]:
    """Write all of them into a folder; returns those written."""
    folder.mkdir(exist_ok=True)
    made = {
        folder / f"{name}{'_dark' * dark}.png": thumbnail_of(lab, name, dark)
        for name in DEMONSTRATIONS
        for dark in (False, True)
    }
    replace_files(made)
    return list(made)


if __name__ == "__main__":
    from lxmls_day1.lab import Lab

    for path in build(Lab.open()):
        print(path.name, path.stat().st_size)
