"""What everything else stands on: errors, checks, settings, files. It computes nothing, and knows nothing of the course."""
