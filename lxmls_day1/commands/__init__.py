"""The command line ``lxmls-day1``: a module for each command, imported when that command is asked for."""
