"""``python -m lxmls_day1`` is ``lxmls-day1``, also where the script is not on the path."""

from lxmls_day1.command_line import main

main()
