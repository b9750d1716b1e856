"""Checks run in a process of their own, or in this one."""
