"""``lxmls-day1 demo``: the demonstrations in the browser, or as files."""

import click


@click.command(name="demo", short_help="Demonstrations in the browser.")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path())
@click.option("--only", "only", metavar="NAME", multiple=True, help="This demonstration; may be given several times.")
@click.option(
    "--export", "out", metavar="OUT", type=click.Path(), help="Write pictures and animations into OUT instead."
)
@click.option("--dark", is_flag=True, help="Begin light on dark.")
@click.option("--scale", type=click.FloatRange(0.5, 3), help="Of letters and lines; 1 is meant for a projector.")
@click.option("--no-browser", is_flag=True, help="Do not open a browser; the address is shown.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="Where to listen; 8417 unless given, or any free port if that is taken.",
)
@click.pass_context
def command(
    context: click.Context,
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
    gaussian_playground  classes and boundaries, under sliders and clicks
    online_steps         perceptron, MIRA, SVM, maximum entropy step by step
    mira_step            one step of MIRA, and column squishing
    optimisation         objectives on their way down
    review_explorer      which words of a review decide
    comparison           accuracy over size, variance and balance
    confidence           the ellipse of AROW's weights, shrinking
    beyond_a_line        what a line cannot do

    \b
    Examples:
      lxmls-day1 demo
      lxmls-day1 demo --only mira_step --dark
      lxmls-day1 demo --export out/demos     for a room without Python
    """
    import os
    import webbrowser

    from lxmls_day1.demos import serving
    from lxmls_day1.demos.environment import require_widgets
    from lxmls_day1.demos.export import demonstration_class, export
    from lxmls_day1.lab import Lab

    lab = Lab(folder) if folder else Lab.open()
    require_widgets()
    for name in only:
        demonstration_class(name)
    if out:
        processes = min(2, os.cpu_count() or 1)
        for path in export(lab, out, only, dark, scale, lambda sentence: click.echo(sentence, err=True), processes):
            click.echo(path)
        return
    notebooks = serving.demos_folder(lab.folder)
    files = serving.names(notebooks)
    with serving.served(notebooks, port or serving.preferred_port(), dark=dark, scale=scale) as (address, process):
        pages = [serving.page_of(address, files[name]) for name in only if name in files] or [address]
        click.echo(f"The demonstrations of {lab.folder}: {' '.join(pages)} (Ctrl-C ends them)")
        if not no_browser:
            for page in pages:
                webbrowser.open(page)
        try:
            context.exit(process.wait())
        except KeyboardInterrupt:
            context.exit(0)
