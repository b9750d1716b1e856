"""The numerical engine: fast loops, text, corpora larger than memory, and clusters."""
