"""Grading: untrusted submissions are run in a box, and judged outside of it."""
