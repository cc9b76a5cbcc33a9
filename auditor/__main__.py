"""The entry point of `api-audit`: turns every way a run can end into its exit code and one line for the user."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click

_GC_THRESHOLD = 200_000
"""A run makes many objects, few of them in cycles, and ends: looking for garbage every 700 takes a fifth of it."""
CLEAN, FINDINGS, UNFINISHED, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code: 0 clean, 1 findings, 2 could not finish, 130 interrupted."""
    gc.set_threshold(_GC_THRESHOLD, *gc.get_threshold()[1:])
    atexit.register(gc.freeze)  # the interpreter's last look for garbage would take a tenth of a small scan
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        code = _run(given)
        sys.stdout.flush()
    except KeyboardInterrupt:
        _say("api-audit: interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough (`| head`): end as quietly as other tools do, and keep the interpreter from
        # flushing into the closed pipe once more.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - a bug must not look like exit code 1, which means "findings"
        return _bug(error, given)
    return code


def _run(arguments: list[str]) -> int:
    import click

    from auditor.cli.app import PROGRAM, program
    from auditor.errors import AuditError

    if "_API_AUDIT_COMPLETE" in os.environ:
        program.main(arguments, prog_name=PROGRAM)
    try:
        with program.make_context(PROGRAM, arguments) as context:
            program.invoke(context)
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.Abort as error:
        raise KeyboardInterrupt from error
    except click.ClickException as error:
        _refuse(error)
        return UNFINISHED
    except AuditError as error:
        if _wants_traceback(arguments):
            _traceback(error)
        _say(f"api-audit: error: {_one_line(str(error))}")
        return error.exit_code
    return CLEAN


def _refuse(error: click.ClickException) -> None:
    """Say what is wrong with the arguments, and where help is."""
    import click

    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        _say(error.format_message())
        return
    _say(f"api-audit: error: {_one_line(error.format_message())}")
    if isinstance(error, click.UsageError) and error.ctx is not None:
        _say(f"Try `{error.ctx.command_path} -h`.")


def _bug(error: Exception, arguments: list[str]) -> int:
    from auditor.crash import record

    if _wants_traceback(arguments):
        _traceback(error)
    file = record(error, arguments)
    place = f"The traceback is in {file}" if file else "The traceback is above"
    what = _one_line(f"{type(error).__name__}: {error}")[:500]
    _say(f"api-audit: internal error: {what}. {place}; please report it")
    return UNFINISHED


def _wants_traceback(arguments: list[str]) -> bool:
    flags = [argument for argument in arguments if argument.strip("v") == "-" and argument != "-"]
    return sum(flag.count("v") for flag in flags) >= 2


def _traceback(error: BaseException) -> None:
    import traceback

    traceback.print_exception(error)


def _one_line(text: str) -> str:
    from auditor.formats._escape import visible

    return visible(" ".join(text.split()))


def _say(text: str) -> None:
    try:
        sys.stderr.write(text + "\n")
        sys.stderr.flush()
    except OSError:
        return


if __name__ == "__main__":
    sys.exit(main())
