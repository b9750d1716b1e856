"""The look of the gallery: pictures with the letters of the notebooks, and thumbnails that show the first panel of a wide picture."""

from pathlib import Path
from typing import Any

import numpy as np

THUMBNAIL = (400, 280)  # pixels
WIDE = 2.1  # the ratio of width to height from which a thumbnail shows the first panel
PANEL = (0.8, 1.6)  # the least and the greatest ratio of a panel


def set_style(gallery_conf: dict[str, Any], name: str) -> None:
    """Set the style of the notebooks; sphinx-gallery calls this before each script."""
    from matplotlib import rcParams

    from lxmls_day1.figures.figure_data import STYLE

    rcParams.update(STYLE)


def crop_thumbnails(images: Path) -> None:
    """Make the thumbnails of wide pictures again: all panels side by side would be too small to recognise."""
    from PIL import Image

    for path in images.glob("sphx_glr_*_001.png"):
        with Image.open(path) as picture:
            width = first_panel(np.asarray(picture.convert("L")))
            if picture.width < WIDE * picture.height or not width:
                continue
            part = picture.convert("RGB").crop((0, 0, width, picture.height))
        part.thumbnail(THUMBNAIL, Image.Resampling.LANCZOS)
        thumbnail = Image.new("RGB", THUMBNAIL, "white")
        thumbnail.paste(part, ((THUMBNAIL[0] - part.width) // 2, (THUMBNAIL[1] - part.height) // 2))
        thumbnail.save(images / "thumb" / path.name.replace("_001", "_thumb"))


def first_panel(brightness: np.ndarray) -> int:
    """Return the width of the first panel of a picture: up to the widest white gap after a part of a fitting shape; 0 without a gap.

    Examples
    --------
    Two black panels of 80 pixels with white between them, in a picture of 100 pixels in height:

    >>> picture = np.full((100, 200), 255)
    >>> picture[:, 10:90] = picture[:, 110:190] = 0
    >>> first_panel(picture)
    110
    """
    height, width = brightness.shape
    found, gap, widest = 0, 0, 3  # narrower gaps are within a panel
    for x in range(round(PANEL[0] * height), min(width, round(PANEL[1] * height))):
        gap = gap + 1 if (brightness[:, x] == 255).all() else 0
        if gap > widest:
            found, widest = x + 1, gap
    return found
