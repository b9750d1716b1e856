"""``lxmls-day1 room``: the exercises for a class, and a board of its most frequent mistakes."""

from pathlib import Path

import click


@click.command(name="room", short_help="For lecturers: a class works, and a board shows its mistakes.")
@click.option(
    "--host",
    default="127.0.0.1",
    show_default=True,
    help="The address of this machine on which to listen; the default is open to this machine only.",
)
@click.option("--port", type=click.IntRange(1, 65535), default=8418, show_default=True, help="Where to listen.")
@click.option("--book", type=click.Path(), help="The folder of the built book. Default: out/docs of the checkout.")
@click.option(
    "--save",
    "save",
    metavar="FILE",
    type=click.Path(),
    help="Keep the counts in this JSON file; nothing is kept otherwise.",
)
@click.option("--no-browser", is_flag=True, help="Do not open the board; its address is shown.")
def command(host: str, port: int, book: str | None, save: str | None, no_browser: bool) -> None:
    """Serve the book to a class, and show on a board which exercises are solved, and the most frequent mistakes now.

    Students open the printed address on any machine or phone in the same network, or run `lxmls-day1 join` in their
    labs. Each is asked whether to take part. The board shows counts, and no names; its first screen has a QR code of the
    address. Its own address is for you alone. Ctrl-C closes the room.

    If phones do not reach the address, the firewall of this machine blocks the port, or the network keeps its clients
    apart, as many guest networks do: use a hot spot of your own.

    \b
    Examples:
      lxmls-day1 room                        try it on this machine
      lxmls-day1 room --host 192.168.1.17    open it to the network
      lxmls-day1 room --host 192.168.1.17 --save counts.json
    """
    import threading
    import webbrowser

    from lxmls_day1.base.errors import InputError
    from lxmls_day1.browser.room_server import BOOK_SCRIPT, RoomServer, own_address
    from lxmls_day1.commands.docs import built_book

    def say(sentence: str) -> None:
        click.echo(sentence, err=True)

    if book is not None and not Path(book, "index.html").is_file():
        raise InputError(
            f"{book} holds no built book: it has no index.html. `make docs` builds the book into out/docs of a checkout."
        )
    try:
        folder = Path(book) if book is not None else built_book()
    except InputError as error:
        folder = None
        say(f"The room has no pages, only labs can join it: {error}")
    if folder is not None and "lxmls-day1 verdict" not in _text(folder / BOOK_SCRIPT):
        say("The book was built by an older version, so its pages send no verdicts. Run `make docs` again.")
    file = _free_name(Path(save)) if save is not None else None
    if save is not None and file != Path(save):
        say(f"{save} exists already; the counts go to {file}.")
    try:
        server = RoomServer(host, port, folder, file, say)
    except OSError as error:
        here = own_address()
        raise InputError(
            f"the room cannot listen on {host}, port {port}: {(error.strerror or str(error)).lower()}. If another program uses the port, "
            "end it or give another --port; students then open another address. --host must be an address of this machine"
            f"{f', such as {here}' if here else ', which is in no network'}."
        ) from error
    with server:
        server.save()
        threading.Thread(target=server.warm_up, daemon=True).start()
        board = f"{server.address}board?{server.token}"
        if server.is_open:
            click.echo(f"Students open {server.address}")
        else:
            here = own_address()
            opens = (
                f"`lxmls-day1 room --host {here}` opens it to your network"
                if here
                else "it is in no network: connect it, then use --host"
            )
            click.echo(f"Only this machine can open {server.address}; {opens}.")
        click.echo(f"The board, for you alone: {board} (Ctrl-C closes the room)")
        if not no_browser and not webbrowser.open(board):
            click.echo("No browser could be opened: open the board's address in one.")
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            people = server.room.counts()["people"]
            click.echo(
                f"\nThe room is closed; {people} took part. {f'The counts are in {file}.' if file else 'Nothing was kept.'}"
            )
        finally:
            server.save()


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _free_name(path: Path) -> Path:
    """Return the path, or one with a number if there is such a file: a room that was restarted keeps the counts before."""
    names = (path.with_stem(f"{path.stem}-{number}") for number in range(2, 1000))
    return path if not path.exists() else next(one for one in names if not one.exists())
