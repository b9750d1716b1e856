"""Tools for authors, to make and check exercises and notebooks. They are not part of the wheel."""
