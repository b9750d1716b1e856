"""The way from a platform's download to submissions in memory: found, identified, and read as hostile input."""
