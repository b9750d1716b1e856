"""The workers of a Dask cluster: which of them may work, and training on them."""
