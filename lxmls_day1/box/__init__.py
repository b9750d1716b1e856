"""Boxes: processes that run code which nobody trusts, and hand plain data back."""
