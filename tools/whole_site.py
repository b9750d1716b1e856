"""Build the whole site: the book with its exercise pages and demonstrations, the browser lab, and Python for both, in one folder.

    python tools/whole_site.py out/site --base-url https://ada.github.io/day-1-lab --pyodide FOLDER

`make site` runs it. The folder works below any path of any web server; see docs/how-to/publish.md.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from site_checks import BROWSER_LAB, book_pages, broken_links, foreign_files

from lxmls_day1.browser import runtime
from tools.exercise_pages import BOOK_FOLDER

CORE = ("pyodide.js", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip", runtime.LOCK_FILE)


def main() -> None:
    """Build the site, check it, and report its size."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("out", type=Path, help="the folder of the site; a site that it holds is replaced")
    parser.add_argument(
        "--base-url", default="", help="where the site will be, such as https://ada.github.io/day-1-lab"
    )
    parser.add_argument("--pyodide", type=Path, required=True, help=f"an unpacked release of Pyodide {runtime.VERSION}")
    parser.add_argument("--exercises", help="the exercises to be solved in the browser lab; default: all")
    given = parser.parse_args()
    given.out = given.out.resolve()
    if given.base_url and urlsplit(given.base_url).scheme not in ("http", "https"):
        parser.error(f"--base-url begins with https://, not {given.base_url!r}")
    if given.out.exists() and any(given.out.iterdir()) and not (given.out / BROWSER_LAB).is_dir():
        parser.error(f"{given.out} holds other files than a site; name a new folder, or remove it")
    shutil.rmtree(given.out, ignore_errors=True)
    build(given.out, given.base_url, given.pyodide.resolve(), given.exercises)
    faults = [*broken_links(given.out), *foreign_files(given.out)]
    if faults:
        sys.exit(f"{len(faults)} links lead nowhere, or load files from another host: {'; '.join(faults[:20])}")
    report(given.out)
    if not given.base_url:
        print(
            "Without --base-url (make site BASE_URL=https://…) chats show no picture for a link, and there is no sitemap.xml."
        )


def build(out: Path, base_url: str, pyodide: Path, exercises: str | None) -> None:
    """Write the browser lab, then the book around it, then what a host of web pages asks for."""
    chosen = ["--exercises", exercises] if exercises else []
    run("lxmls_day1", "browser", str(out / BROWSER_LAB), "--pyodide", str(pyodide), *chosen)
    variables = {"BROWSER_LAB": BROWSER_LAB, "BASE_URL": base_url, "PYODIDE": str(pyodide)}
    trees = str(ROOT / "out/docs/.doctrees")  # shared with `make docs`, so that nothing is read twice
    options = ["--quiet", "--fail-on-warning", "--builder", "html", "--conf-dir", "docs", "--doctree-dir", trees]
    run("sphinx", *options, ".", str(out), **variables)
    share_runtime(out)
    (out / ".buildinfo").unlink(missing_ok=True)
    (out / ".nojekyll").touch()  # GitHub Pages would leave out the folders that begin with an underscore.
    robots = "User-agent: *\nAllow: /\n"
    if base_url:
        pages = [page.relative_to(out).as_posix() for page in book_pages(out) if page.name != "404.html"]
        listed = "".join(f"<url><loc>{base_url.rstrip('/')}/{page}</loc></url>\n" for page in pages)
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        (out / "sitemap.xml").write_text(f"{head}{listed}</urlset>\n", encoding="utf-8")
        robots += f"Sitemap: {base_url.rstrip('/')}/sitemap.xml\n"
    (out / "robots.txt").write_text(robots, encoding="utf-8")


def run(module: str, *arguments: str, **variables: str) -> None:
    """Run a module of this Python in the checkout; exit with its status if it fails."""
    done = subprocess.run([sys.executable, "-P", "-m", module, *arguments], cwd=ROOT, env=os.environ | variables)
    if done.returncode:
        sys.exit(done.returncode)


def share_runtime(out: Path) -> None:
    """Let the browser lab use Python from beside the exercise pages, so that a browser loads it once for both."""
    lab, book = out / BROWSER_LAB, out / BOOK_FOLDER / "pyodide"
    for file in (lab / "static/pyodide").iterdir():
        file.replace(book / file.name)
    (lab / "static/pyodide").rmdir()
    path = lab / "static/lxmls-day1/packages.json"
    table = json.loads(path.read_text(encoding="utf-8"))
    table["runtime"] = os.path.relpath(book, path.parent).replace(os.sep, "/") + "/"
    path.write_text(json.dumps(table, indent=1, sort_keys=True), encoding="utf-8")


def report(out: Path) -> None:
    """Print the size of the site, and what a browser loads until the first page and until the first verdict."""
    sizes = {path: path.stat().st_size for path in out.rglob("*") if path.is_file()}
    runtime_folder = out / BOOK_FOLDER / "pyodide"

    def megabytes(*folders: Path) -> str:
        return (
            f"{sum(size for path, size in sizes.items() if any(one in path.parents for one in folders)) / 1e6:.1f} MB"
        )

    parts = f"Python {megabytes(runtime_folder)}, the browser lab {megabytes(out / BROWSER_LAB)}"
    print(f"{out}: {len(sizes)} files, {megabytes(out)} ({parts})")
    text = (out / "index.html").read_text(encoding="utf-8")
    named = {out / name for name in re.findall(r'\s(?:src|href)="([^"#?]+\.(?:css|js|png|svg))', text)} & sizes.keys()
    first = (sizes[out / "index.html"] + sum(map(sizes.get, named))) / 1e6
    load = {name: sum(map(sizes.get, files)) / 1e6 for name, files in loaded_files(out, sizes).items()}
    later = "; ".join(f"{name} {size:.1f} MB" for name, size in load.items())
    print(f"First load: the front page {first:.2f} MB; Python for {later} (once, before compression by the server)")


def loaded_files(out: Path, sizes: dict[Path, int]) -> dict[str, set[Path]]:
    """Return the files that start Python in a page of the book, and in the browser lab."""
    found = {}
    for name, folder in {
        "a verdict": out / BOOK_FOLDER,
        "the browser lab": out / BROWSER_LAB / "static/lxmls-day1",
    }.items():
        table = json.loads((folder / "packages.json").read_text(encoding="utf-8"))
        pyodide = (folder / table["runtime"]).resolve()
        packages = json.loads((pyodide / runtime.LOCK_FILE).read_text(encoding="utf-8"))["packages"]
        places = {key: pyodide / entry["file_name"] for key, entry in packages.items()}
        places |= {key: (folder / entry["file_name"]).resolve() for key, entry in table["packages"].items()}
        known = {key: entry["depends"] for key, entry in (packages | table["packages"]).items()}
        wanted = runtime.with_dependencies({key: {"depends": depends} for key, depends in known.items()}, table["load"])
        found[name] = {pyodide / core for core in CORE}
        # The memory of Python replaces the packages, the lab and the standard library.
        if started := table.get("started"):
            found[name] |= {folder / started[part].partition("?")[0] for part in ("files", "memory")}
            found[name] -= {pyodide / "python_stdlib.zip"}
        else:
            found[name] |= {places[key] for key in wanted}
            found[name] |= {folder / table["archive"]} if table["archive"] else set()
        found[name] &= sizes.keys()
    return found


if __name__ == "__main__":
    main()
