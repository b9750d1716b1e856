"""What a student reads: verdicts, hints and progress, in a terminal, a notebook or a page."""
