"""A student's folder: made, brought up to date, solved, undone, packed and opened."""
