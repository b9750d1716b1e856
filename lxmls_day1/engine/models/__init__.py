"""Models as files, the comparison of learners, and what is known exactly of Gaussian classes."""
