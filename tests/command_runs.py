"""Commands that run in this process as in a terminal."""

from click.testing import CliRunner

from lxmls_day1.commands.command_line import command_group


def run(*arguments, status=0, stdin=None):
    """Run ``lxmls-day1`` with these arguments and return its result; it must end with this status and without a traceback."""
    call = [str(argument) for argument in arguments]
    result = CliRunner().invoke(command_group, call, prog_name="lxmls-day1", input=stdin)
    assert result.exit_code == status, result.output
    assert "Traceback" not in result.output
    return result
