"""``lxmls-day1 browser``: the lab as a static site, with nothing to install."""

import click

from lxmls_day1.commands.shared_options import solved_exercises_option


@click.command(name="browser", short_help="For instructors: make the lab as a web site.")
@click.argument("out", type=click.Path())
@solved_exercises_option
@click.option(
    "--with-reviews", metavar="FOLDER", type=click.Path(), help="Include your copy of the reviews in the site."
)
@click.option(
    "--pyodide", metavar="FOLDER", type=click.Path(), help="Include an unpacked release of Pyodide in the site."
)
def command(out: str, exercises: list[str] | None, with_reviews: str | None, pyodide: str | None) -> None:
    """Write the lab as a static web site into the new folder OUT: its page holds notebooks, an editor, Python and the checks.

    This needs a checkout of the repository. The site holds no solutions, and any web server can serve it; students
    install nothing, and nothing that they write leaves their browser. With --pyodide the page loads nothing from other
    hosts.

    \b
    Examples:
      lxmls-day1 browser site
      lxmls-day1 browser site --exercises 1.2,1.5 --pyodide pyodide-0.27.7
      lxmls-day1 browser site --with-reviews data
    """
    from lxmls_day1.browser.site import make_site

    made = make_site(out, exercises, with_reviews, pyodide)
    click.echo(f"{made.folder} ({made.n_files} files, {made.n_bytes / 1e6:.0f} MB)")
    click.echo(f"Python in the page: {made.runtime}")
    click.echo(f"To be solved: {', '.join(made.stubbed)}. No line of their solutions is in it.")
    if made.domains:
        click.echo(f"With real reviews ({', '.join(made.domains)}): everybody who opens the site gets them.")
