"""Compare a wrong answer with the answers of the known mistakes."""
