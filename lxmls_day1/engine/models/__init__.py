"""Model files, the result table of a comparison of learners, and exact results for Gaussian classes."""
