"""The command line: a group of commands that are imported when they are called.

`main` alone turns failures into messages and exit codes: 0 fine, 1 findings above the level that
was asked for, 2 wrong use, 3 the model failed, 4 the environment lacks something, 70 an internal
error, 130 interrupted, 141 the reader of our output went away.
"""

import io
import os
import sys
from pathlib import Path

import click

from inspector.cli.ending import ended_as_by_ctrl_c
from inspector.cli.lazy import LazyGroup
from inspector.errors import InspectorError, RecordingError
from inspector.version import __version__

INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
BROKEN_PIPE = 141  # 128 + SIGPIPE, as shells report it


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torch-inspector")
def root() -> None:
    """Show what torch.compile did to a model and what to improve.

    \b
    Example:
      inspect explain samples/graph_breaks/model.py
    """  # noqa: D301 - click looks for the character, which keeps lines as they are


def main() -> int:
    """Runs the command line on ``sys.argv``."""
    for stream in (sys.stdout, sys.stderr):  # a path may hold any bytes, a pipe be ASCII
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with ended_as_by_ctrl_c() as signals:
            code = _invoke()
        code = 128 + signals[0] if signals else code  # as shells report it
        sys.stdout.flush()
    except (BrokenPipeError, SystemExit) as error:
        if isinstance(error, SystemExit) and not error.code:  # of shell completion
            raise
        _abandon_stdout()  # click and rich make an exit of a pipe that nobody reads
        return BROKEN_PIPE
    except OSError as error:
        _abandon_stdout()
        message = f"Cannot write to standard output ({error.strerror or error})."
        failure = RecordingError(message, "Pass -o FILE, or redirect the output elsewhere.")
        return _report_failure(failure)
    return code


def _invoke() -> int:
    """Runs the command and reports how it failed, if it did."""
    try:
        # By one of its two names, or by a module or a script of ours.
        called = Path(sys.argv[0]).stem
        name = called if called == "torch-inspector" else "inspect"
        result = root.main(prog_name=name, standalone_mode=False)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except click.ClickException as error:
        ctx = error.ctx if isinstance(error, click.UsageError) else None
        hint = f" Try '{ctx.command_path} --help'." if ctx else ""
        _say(f"error: {error.format_message()}{hint}")
        return error.exit_code
    except InspectorError as error:
        return _report_failure(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        # Without a buffer (python -u), what is written by its name says the name.
        is_unbuffered = isinstance(getattr(sys.stdout, "buffer", None), io.RawIOBase)
        if is_unbuffered and error.filename is None:
            raise
        sys.stdout.flush()  # raises, if that could not be written
        return _report_bug(error)
    except Exception as error:  # noqa: BLE001 - the last resort, reported and never hidden
        return _report_bug(error)
    return result if isinstance(result, int) else 0


def _report_failure(error: InspectorError) -> int:
    _show_traceback()
    _say(f"error: {error}")
    if error.detail:
        _say(error.detail)
    return error.exit_code


def _report_bug(error: Exception) -> int:
    hint = "" if _show_traceback() else " Set INSPECTOR_DEBUG=1 for the traceback."
    _say(f"internal error: {type(error).__name__}: {error}.{hint}")
    return INTERNAL_ERROR


def _show_traceback() -> bool:
    """Whether it is asked for."""
    is_asked = bool(os.environ.get("INSPECTOR_DEBUG"))
    if is_asked:
        import traceback

        traceback.print_exc()
    return is_asked


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201 - the one place where errors are printed


def _abandon_stdout() -> None:
    """Keeps the interpreter from failing again when it flushes standard output at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
