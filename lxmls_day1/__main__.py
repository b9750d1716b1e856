"""The command ``python -m lxmls_day1``, the same as ``lxmls-day1``, for systems where the script is not on the PATH."""

from lxmls_day1.library_path import use_library_path


def main() -> None:
    """Run the command line. A file in the current folder cannot replace a library that the command line imports."""
    use_library_path()
    from lxmls_day1.commands.command_line import main

    main()


if __name__ == "__main__":
    main()
