"""Dask clusters: which workers are accepted, and training on them."""
