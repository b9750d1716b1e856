"""Tools of authors: what exercises and notebooks are made and checked with. They are not part of the wheel."""
