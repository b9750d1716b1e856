"""``lxmls-day1 demo``: the demonstrations in the browser, or as files."""

import click


class _DemoCommand(click.Command):
    """A command whose help lists all demonstrations."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the name and the summary of each demonstration."""
        from lxmls_day1.demos.demonstration_list import DEMONSTRATIONS

        with formatter.section("Demonstrations"):
            formatter.write_dl([(name, row.summary) for name, row in DEMONSTRATIONS.items()])


@click.command(name="demo", cls=_DemoCommand, short_help="Demonstrations in the browser.")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path())
@click.option("--only", "only", metavar="NAME", multiple=True, help="This demonstration; may be given several times.")
@click.option(
    "--export", "out", metavar="OUT", type=click.Path(), help="Write pages that need no Python into OUT instead."
)
@click.option("--dark", is_flag=True, help="Begin light on dark.")
@click.option("--scale", type=click.FloatRange(0.5, 3), help="Of letters and lines; 1 is meant for a projector.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser; the address is shown.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Where to listen; 8417 unless given, or any free port if that is taken.",
)
def command(
    folder: str | None,
    only: tuple[str, ...],
    out: str | None,
    dark: bool,
    scale: float | None,
    no_browser: bool,
    port: int | None,
) -> None:
    """Show the demonstrations of the lab DIR, or of the one that you are in; Ctrl-C ends it.

    \b
    Examples:
      lxmls-day1 demo
      lxmls-day1 demo --only mira_step --dark
      lxmls-day1 demo --export out/demos     for a room without Python
    """
    import webbrowser

    from lxmls_day1.base.errors import InputError
    from lxmls_day1.demos.demonstration import demonstration_class
    from lxmls_day1.demos.pages import export
    from lxmls_day1.demos.server import DemoServer
    from lxmls_day1.lab import Lab

    lab = Lab(folder) if folder else Lab.open()
    for name in only:
        demonstration_class(name)
    if out:
        for path in export(
            lab, out, only, dark=dark or None, scale=scale, report=lambda sentence: click.echo(sentence, err=True)
        ):
            click.echo(path)
        return
    try:
        server = DemoServer(lab, port, dark=dark or None, scale=scale)
    except OSError as error:
        raise InputError(f"port {port} cannot be used: {error.strerror}. Give another --port, or none.") from error
    with server:
        pages = [server.address + name for name in only] or [server.address]
        click.echo(f"The demonstrations of {lab.folder}: {' '.join(pages)} (Ctrl-C ends them)")
        if not no_browser:
            for address in pages:
                webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("\nNo longer served.")
