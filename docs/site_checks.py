"""Checks of a built site: links that lead nowhere, and files that its pages would load from other hosts."""

import html
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

#: The browser lab in the site. JupyterLite's own pages fill in their links when they are opened.
BROWSER_LAB = "browser-lab"
LOADED = re.compile(
    r"""<(?:script|img|iframe|source|video|audio|embed|input)\b[^>]*?\ssrc=["']((?:https?:)?//[^"']*)"""
    r"""|<link\b(?=[^>]*\brel=["']?(?:stylesheet|icon|preload|prefetch|modulepreload|manifest))[^>]*?\shref=["']((?:https?:)?//[^"']*)"""
    r"""|(?:@import|url\()\s*["']?((?:https?:)?//[^"')\s]*)"""
)


def book_pages(site: Path) -> dict[Path, str]:
    """Return the pages of the site with their texts, without those of JupyterLite."""
    return {
        page: page.read_text(encoding="utf-8")
        for page in sorted(site.rglob("*.html"))
        if "_static" not in page.parts and page.relative_to(site).parts[0] != BROWSER_LAB
    }


def broken_links(site: Path) -> list[str]:
    """Return the links to a page, or to a place in a page, that does not exist."""
    pages = book_pages(site)
    front = site / BROWSER_LAB / "index.html"
    if front.is_file():
        pages[front] = front.read_text(encoding="utf-8")
    places = {
        page: set(map(html.unescape, re.findall(r'\s(?:id|name)="([^"]*)"', text))) for page, text in pages.items()
    }
    broken = []
    for page, text in pages.items():
        for link in map(html.unescape, re.findall(r'\shref="([^"]*)"', text)):
            path, _, place = link.partition("#")
            target = (page.parent / unquote(path.partition("?")[0])).resolve() if path else page
            is_elsewhere = re.match(r"[a-z]+:", link)
            if not is_elsewhere and (
                not target.exists() or (place and unquote(place) not in places.get(target, {unquote(place)}))
            ):
                broken.append(f"{page.relative_to(site)}: {link}")
    return broken


def foreign_files(site: Path) -> Iterator[str]:
    """Yield the addresses at other hosts that a page or a style sheet of the book would load."""
    styles = {path: path.read_text(encoding="utf-8") for path in site.rglob("*.css") if BROWSER_LAB not in path.parts}
    for path, text in (book_pages(site) | styles).items():
        for found in LOADED.finditer(text):
            yield f"{path.relative_to(site)}: {found[1] or found[2] or found[3]}"
