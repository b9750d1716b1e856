"""``lxmls-day1 room``: the exercises for a class, and a board of its most frequent mistakes."""

from pathlib import Path

import click


@click.command(name="room", short_help="For lecturers: a class works, and a board shows its mistakes.")
@click.option("--host", default="127.0.0.1", show_default="this machine only", help="The address to listen on.")
@click.option("--port", type=click.IntRange(1, 65535), default=8418, show_default=True, help="Where to listen.")
@click.option("--book", type=click.Path(path_type=Path), help="The folder of the built book. Default: the checkout's.")
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
    from lxmls_day1.base.errors import InputError
    from lxmls_day1.browser.room_server import BOOK_SCRIPT, RoomServer, own_address
    from lxmls_day1.commands.docs import built_book, serve

    script = (book := book or built_book()) / BOOK_SCRIPT
    if not script.is_file() or "lxmls-day1 verdict" not in script.read_text(encoding="utf-8"):
        raise InputError(f"{book} is no book of this version; `make docs` builds it into out/docs of a checkout.")
    if file and file.exists():
        raise InputError(f"{file} exists already; give --save another name.")
    try:
        server = RoomServer(host, port, book, file)
    except OSError as error:
        hint = f"Give another --port, or as --host an address of this machine, such as {own_address()}."
        raise InputError(f"the room cannot listen on {host}, port {port}: {error.strerror or error}. {hint}") from error
    with server:
        board = f"{server.address}/board?{server.token}"
        click.echo(f"The room: {server.address} {server.invitation}")
        click.echo(f"The board, for you alone: {board} (Ctrl-C closes the room). {server.save()}")
        serve(server, board, no_browser)
        click.echo(f"\nThe room is closed; {server.room.counts()['people']} took part. {server.save()}")
