"""The engine: what is fast and large."""
