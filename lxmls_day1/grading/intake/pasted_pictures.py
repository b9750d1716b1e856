"""Pictures that students pasted into a text: only PNG and JPEG, and only below a maximum size, packed and unpacked.

Only the header of a picture is read here. The picture is never decoded: the reader's browser does this, in a sandbox of its own.
"""

import base64
import re
from collections.abc import Iterator, Mapping
from typing import Any

MAX_PICTURE_BYTES = 500_000  # bytes of a picture
MAX_PIXELS = 25_000_000
DATA_URL = re.compile(r"data:(image/[\w.+-]+);base64,([A-Za-z0-9+/=]{100,})")
ATTACHMENT_LINK = re.compile(r"!\[[^\]\n]*\]\(attachment:[^)\n]*\)")
_SIGNATURES = {"image/png": b"\x89PNG\r\n\x1a\n", "image/jpeg": b"\xff\xd8\xff"}


def pasted_pictures(attachments: Any, source: str) -> Iterator[str]:
    """Yield the pictures of a notebook cell as data URLs, and an empty string for each picture that must not be displayed.

    Parameters
    ----------
    attachments : Any
        The attachments in the notebook: name -> type -> base64, if they are well-formed.
    source : str
        The text of the cell, which may contain pictures as data URLs.

    Yields
    ------
    str

    Examples
    --------
    >>> png = base64.b64encode(b"\\x89PNG\\r\\n\\x1a\\n....IHDR" + bytes([0, 0, 0, 9] * 2)).decode()
    >>> [picture[:22] for picture in pasted_pictures({"a.png": {"image/png": png}}, "")]
    ['data:image/png;base64,']
    >>> list(pasted_pictures({"a.svg": {"image/svg+xml": "<svg/>"}}, ""))
    ['']
    """
    for content in attachments.values() if isinstance(attachments, Mapping) else ():
        for kind, data in content.items() if isinstance(content, Mapping) else ():
            yield _data_url(kind, "".join(data.split()) if isinstance(data, str) else "")
    for kind, data in DATA_URL.findall(source):
        yield _data_url(kind, data)


def without_pictures(text: str) -> str:
    """Return the text with ``[picture]`` in place of each picture.

    Examples
    --------
    >>> without_pictures("See ![image.png](attachment:image.png).")
    'See [picture].'
    """
    return ATTACHMENT_LINK.sub("[picture]", DATA_URL.sub("[picture]", text))


def _data_url(kind: str, data: str) -> str:
    if kind not in _SIGNATURES or len(data) > MAX_PICTURE_BYTES * 4 // 3 + 4:
        return ""
    try:
        content = base64.b64decode(data, validate=True)
    except ValueError:
        return ""
    if not content.startswith(_SIGNATURES[kind]) or not 0 < _pixel_count(kind, content) <= MAX_PIXELS:
        return ""
    return f"data:{kind};base64,{data}"


def _pixel_count(kind: str, content: bytes) -> int:
    """Return width times height according to the header of the picture, or 0 if the header is invalid."""
    if kind == "image/png":
        return int.from_bytes(content[16:20]) * int.from_bytes(content[20:24]) if content[12:16] == b"IHDR" else 0
    at = 2
    while at + 9 <= len(content) and content[at] == 0xFF:  # a segment is FF, its type and its length
        if 0xC0 <= content[at + 1] <= 0xCF and content[at + 1] not in (0xC4, 0xC8, 0xCC):  # a frame header
            return int.from_bytes(content[at + 5 : at + 7]) * int.from_bytes(content[at + 7 : at + 9])
        at += 2 + int.from_bytes(content[at + 2 : at + 4])
    return 0
