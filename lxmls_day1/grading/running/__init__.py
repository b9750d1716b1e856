"""Submissions run in boxes, and their answers are judged outside of them."""
