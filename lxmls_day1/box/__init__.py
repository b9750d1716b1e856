"""Boxes: processes that run untrusted code and return plain data."""
