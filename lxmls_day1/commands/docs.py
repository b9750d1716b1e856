"""``lxmls-day1 docs``: the book of the lab in the browser."""

from pathlib import Path
from typing import Any

import click


@click.command(name="docs", short_help="Open the book of the lab.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser; the address is shown.")
def command(no_browser: bool) -> None:
    """Serve the documentation on this machine until Ctrl-C, and open it.

    It needs a checkout of the repository, in which `make docs` has built the documentation in the folder out/docs. You
    can copy this folder to any web server. Its pages can also be opened as files, except that the exercises in them
    will not run: browsers start Python only in pages that come from a server.

    \b
    Example:
      lxmls-day1 docs
    """
    from functools import partial

    from lxmls_day1.base.web_server import QuietHandler, QuietServer

    with QuietServer(("127.0.0.1", 0), partial(QuietHandler, directory=str(built_book()))) as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        click.echo(f"{address} until Ctrl-C")
        serve(server, address, no_browser)
    click.echo("\nNo longer served.")


def serve(server: Any, address: str, no_browser: bool) -> None:
    """Open an address of a server in the browser, and serve until Ctrl-C."""
    import webbrowser
    from contextlib import suppress

    if not no_browser and not webbrowser.open(address):
        click.echo("No browser could be opened: open this address in one.")
    with suppress(KeyboardInterrupt):
        server.serve_forever()


def built_book() -> Path:
    """Return the folder of the built documentation, or raise an `InputError` with the command that builds it."""
    from lxmls_day1.base.errors import InputError
    from lxmls_day1.library_path import reference_path

    checkout = Path(reference_path())
    folder = checkout / "out" / "docs"
    if not (checkout / "docs" / "conf.py").is_file():
        raise InputError(
            "this installation comes without the documentation, which is built in a checkout of the repository: "
            "run `make docs` there, then `lxmls-day1 docs` of its .venv. Every command explains itself with --help."
        )
    if not (folder / "index.html").is_file():
        raise InputError(f"the documentation is not built yet. Build it, in a minute: run `make docs` in {checkout}.")
    return folder
