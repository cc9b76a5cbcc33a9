"""The entry point of `api-audit-run`: turns every way a run can end into its exit code and one line for the user."""

from __future__ import annotations

import signal
import sys
from collections.abc import Sequence
from typing import Any

import click

from auditor.errors import AuditError
from auditor.patches.header import plain

CLEAN, FAILING, UNFINISHED, INTERRUPTED, PIPE_CLOSED = 0, 1, 2, 130, 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program: 0 done, 1 something does not fit, 2 could not start or finish, 130 interrupted."""
    from auditor.runner.app import PROGRAM, program

    given = list(sys.argv[1:] if arguments is None else arguments)
    earlier = _as_interrupt(signal.SIGTERM)
    try:
        with program.make_context(PROGRAM, given) as context:
            program.invoke(context)
        sys.stdout.flush()
    except click.exceptions.Exit as done:
        return done.exit_code
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return INTERRUPTED
    except click.exceptions.NoArgsIsHelpError as help_:
        sys.stderr.write(help_.format_message() + "\n")
        return UNFINISHED
    except click.ClickException as error:
        _say(f"error: {error.format_message()}")
        return UNFINISHED
    except AuditError as error:
        _say(f"error: {error}")
        return error.exit_code
    except BrokenPipeError:
        return PIPE_CLOSED
    except Exception as error:  # noqa: BLE001 - a bug must not look like exit code 1, which means "does not fit"
        return _bug(error, given)
    finally:
        if earlier is not None:
            signal.signal(signal.SIGTERM, earlier)
    return CLEAN


def _bug(error: Exception, arguments: list[str]) -> int:
    from auditor.crash import record

    file = record(error, arguments, program="api-audit-run")
    place = f"The traceback is in {file}" if file else "The traceback is above"
    _say(f"internal error: {type(error).__name__}: {str(error)[:500]}. {place}; please report it")
    return UNFINISHED


def _as_interrupt(number: signal.Signals) -> Any:
    """Let a job that is told to end do so as after Ctrl-C: workers gone, a clear last word."""

    def interrupt(_number: int, _frame: Any) -> None:
        raise KeyboardInterrupt

    try:
        return signal.signal(number, interrupt)
    except ValueError:  # not in the main thread
        return None


def _say(text: str) -> None:
    sys.stderr.write(f"api-audit-run: {plain(text)}\n")


if __name__ == "__main__":
    sys.exit(main())
