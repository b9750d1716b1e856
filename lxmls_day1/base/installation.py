"""How this package was installed: commands that install an extra, or run the package again where nothing stays installed."""

import json
import os
import sys
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

PACKAGE = "lxmls-day1"
COMPLETE = "fast,notebook"  # the extras for work in notebooks


def temporary_runner(prefix: str = sys.prefix) -> tuple[str, ...]:
    """Return the start of the command that made this environment for one run, or () if the environment stays.

    Examples
    --------
    >>> temporary_runner("/home/ada/.cache/uv/archive-v0/x7Yq"), temporary_runner("/home/ada/.cache/pipx/304db531c")
    (('uvx', '--from'), ('pipx', 'run', '--spec'))
    >>> temporary_runner("/usr")
    ()
    """
    parents = [parent.name for parent in Path(prefix).parents[:2]]
    if parents[:1] == ["archive-v0"]:
        return ("uvx", "--from")
    return ("pipx", "run", "--spec") if sorted(parents) == [".cache", "pipx"] else ()


def requirement(extras: str = "") -> str:
    """Return what installers call this package: its name, or where it was installed from."""
    named = f"[{extras}]" if extras else ""
    try:
        source = json.loads(distribution(PACKAGE).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        source = {}
    if "vcs_info" in source:
        return f"{PACKAGE}{named} @ {source['vcs_info']['vcs']}+{source['url']}"
    if source.get("url", "").startswith("file:"):
        return url2pathname(unquote(urlsplit(source["url"]).path)) + named
    return f"{PACKAGE}{named} @ {source['url']}" if "url" in source else PACKAGE + named


def own_command(extras: str = "") -> list[str]:
    """Return the start of a command that runs this package: `lxmls-day1`, with a runner in front if the package does not stay installed."""
    runner = temporary_runner()
    if runner == ("uvx", "--from") and os.environ.get("UV"):
        runner = (os.environ["UV"], "tool", "run", "--from") if extras else runner
    return [*runner, requirement(extras), PACKAGE] if runner else [PACKAGE]


def how_to_install(extra: str) -> str:
    """Return the command that installs an optional extra of this package, for a message.

    Examples
    --------
    >>> how_to_install("notebook")
    '`python -m pip install "lxmls-day1[notebook]"`'
    """
    if runner := temporary_runner():
        return f'`{" ".join(runner)} "{requirement(extra)}" {PACKAGE} …`'
    return f'`python -m pip install "{PACKAGE}[{extra}]"`'


def how_to_keep() -> str:
    """Return the command that makes `lxmls-day1` a command of its own, where nothing stays installed."""
    tool = {"uvx": "uv tool install", "pipx": "pipx install"}[temporary_runner()[0]]
    return f'{tool} "{requirement(COMPLETE)}"'
