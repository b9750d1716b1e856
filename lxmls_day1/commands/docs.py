"""``lxmls-day1 docs``: the book of the lab in the browser."""

import click


@click.command(name="docs", short_help="Open the book of the lab.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser; the address is shown.")
def command(no_browser: bool) -> None:
    """Open the documentation, which `make docs` has built in a checkout of the repository.

    It is a folder of pages, out/docs, that needs no server and no network: copy it where you like.

    \b
    Example:
      lxmls-day1 docs
    """
    import webbrowser
    from pathlib import Path

    from lxmls_day1.errors import InputError
    from lxmls_day1.library_path import reference_place

    checkout = Path(reference_place())
    page = checkout / "out" / "docs" / "index.html"
    if not (checkout / "docs" / "conf.py").is_file():
        raise InputError(
            "this installation comes without the documentation, which is built in a checkout of the repository: "
            "run `make docs` there, then `lxmls-day1 docs` of its .venv. Every command explains itself with --help."
        )
    if not page.is_file():
        raise InputError(f"the documentation is not built yet. Build it, in a minute: run `make docs` in {checkout}.")
    click.echo(page.as_uri())
    if not no_browser and not webbrowser.open(page.as_uri()):
        click.echo("No browser could be opened: open this address in one.")
