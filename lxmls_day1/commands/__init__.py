"""The command line ``lxmls-day1``: one module for each command, imported when that command is called."""
