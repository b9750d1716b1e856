"""The running of checks, in a separate process or in this one."""
