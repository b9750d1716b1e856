"""``python -m lxmls_day1`` is ``lxmls-day1``, also where the script is not on the path."""

from lxmls_day1.library_path import use_library_path


def main() -> None:
    """The command line; a file of the current folder cannot take the place of a library that it imports."""
    use_library_path()
    from lxmls_day1.commands.command_line import main

    main()


if __name__ == "__main__":
    main()
