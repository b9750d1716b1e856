"""Tools of maintainers. They are not part of the wheel."""
