"""The foundation of all other packages: errors, checks, settings, files. It has no numerics and does not depend on the course."""
