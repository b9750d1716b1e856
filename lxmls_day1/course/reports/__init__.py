"""The output for students: verdicts, hints and progress, in a terminal, a notebook or a page."""
