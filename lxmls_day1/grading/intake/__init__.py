"""From what a platform hands out to submissions: found, identified and read as hostile input."""
