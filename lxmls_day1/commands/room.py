"""``lxmls-day1 room``: the exercises for a class, and a board of its most frequent mistakes."""

from pathlib import Path

import click


@click.command(name="room", short_help="For lecturers: a class works, and a board shows its mistakes.")
@click.option("--host", default="127.0.0.1", show_default="this machine only", help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8418, show_default=True, help="Where to listen.")
@click.option(
    "--book", type=click.Path(path_type=Path), help="The folder of the built book. Default: that of the checkout."
)
@click.option("--save", "file", metavar="FILE", type=click.Path(path_type=Path), help="Keep the counts in a JSON file.")
@click.option("--no-browser", is_flag=True, help="Do not open the board; its address is shown.")
def command(host: str, port: int, book: Path | None, file: Path | None, no_browser: bool) -> None:
    """Serve the book to a class, and show on a board which exercises are solved, and the most frequent mistakes now.

    Students open the printed address on any machine or phone in the same network, or run `lxmls-day1 join` in their
    labs. Taking part is their choice. The board shows counts, and no names; its first screen has a QR code of the
    address. Its own address is for you alone. Ctrl-C closes the room. Nothing is kept then, unless --save names a file.

    If phones do not reach the address, the firewall of this machine blocks the port, or the network keeps its clients
    apart, as many guest networks do: use a hot spot of your own.

    \b
    Examples:
      lxmls-day1 room                        try it on this machine
      lxmls-day1 room --host 192.168.1.17    open it to the network
      lxmls-day1 room --host 192.168.1.17 --save counts.json
    """
    import errno
    import webbrowser
    from contextlib import suppress

    from lxmls_day1.base.errors import InputError
    from lxmls_day1.browser.room_server import BOOK_SCRIPT, RoomServer, own_address
    from lxmls_day1.commands.docs import built_book

    try:
        book = book or built_book()
    except InputError as error:
        click.echo(f"The room has no pages, only labs can join it: {error}", err=True)
    if book and not (book / BOOK_SCRIPT).is_file():
        raise InputError(f"{book} is not a built book; `make docs` builds it into out/docs of a checkout.")
    if book and "lxmls-day1 verdict" not in (book / BOOK_SCRIPT).read_text(encoding="utf-8"):
        click.echo("This book is of an older version, whose pages send no verdicts. Run `make docs` again.", err=True)
    if file and file.exists():  # The counts before a restart are kept.
        file = next(name for n in range(2, 10**6) if not (name := file.with_stem(f"{file.stem}-{n}")).exists())
        click.echo(f"This file exists already; the counts go to {file}.", err=True)
    try:
        server = RoomServer(host, port, book, file)
    except OSError as error:
        reason = f"{(error.strerror or str(error)).lower()}; --host must be an address of this machine, such as {own_address()}"
        if error.errno == errno.EADDRINUSE:
            reason = "another program uses it, perhaps another room; end that program, or give another --port"
        raise InputError(f"the room cannot listen on {host}, port {port}: {reason}.") from error
    with server:
        board = f"{server.address}/board?{server.token}"
        click.echo(f"The room: {server.address} {server.invitation}")
        click.echo(f"The board, for you alone: {board} (Ctrl-C closes the room)")
        if not no_browser and not webbrowser.open(board):
            click.echo("No browser could be opened: open the board's address in one.")
        with suppress(KeyboardInterrupt):
            server.serve_forever()
        server.save()
        kept = server.problem or (f"The counts are in {file}." if file else "Nothing was kept.")
        click.echo(f"\nThe room is closed; {server.room.counts()['people']} took part. {kept}")
