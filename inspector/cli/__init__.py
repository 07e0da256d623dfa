"""The command line: a group of commands that are imported when they are called.

`main` alone turns failures into messages and exit codes: 0 fine, 1 findings above the level that
was asked for, 2 wrong use, 3 the model failed, 4 the environment lacks something, 70 a mistake of
ours, 130 interrupted, 141 the reader of our output went away.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

import click

from inspector.cli.ending import ended_as_by_ctrl_c
from inspector.cli.lazy import LazyGroup, ReaderGoneError
from inspector.cli.streams import abandon_stdout, prepare_streams, stdout_fails
from inspector.errors import InspectorError, RecordingError
from inspector.version import __version__

INTERNAL_ERROR = 70  # EX_SOFTWARE of sysexits.h
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
BROKEN_PIPE = 141  # 128 + SIGPIPE, as shells report it


@dataclass(slots=True)
class Session:
    """What one call of the command line carries along, as click's ``ctx.obj``."""

    debug: bool


@click.command(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="torch-inspector")
def root() -> None:
    """Show what torch.compile did to a model, and what to do about it.

    \b
    Example:
      inspect explain samples/graph_breaks/model.py
    """  # noqa: D301 - click looks for the character, which keeps lines as they are


def main() -> int:
    """Runs the command line on ``sys.argv``."""
    prepare_streams()
    session = Session(debug=bool(os.environ.get("INSPECTOR_DEBUG")))
    try:
        with ended_as_by_ctrl_c() as ending:
            code = ending.code(_invoke(session))
        sys.stdout.flush()
    except (BrokenPipeError, ReaderGoneError):
        abandon_stdout()
        return BROKEN_PIPE
    except OSError as error:
        abandon_stdout()
        return _report_failure(_unwritable(error), session)
    return code


def _invoke(session: Session) -> int:
    """Runs the command and reports how it failed, if it did."""
    try:
        result = root.main(prog_name=_own_name(), standalone_mode=False, obj=session)
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except click.ClickException as error:
        return _report_usage(error)
    except InspectorError as error:
        return _report_failure(error, session)
    except (BrokenPipeError, ReaderGoneError):
        raise
    except OSError as error:
        if stdout_fails(error):
            raise
        return _report_bug(error, session)
    except Exception as error:  # noqa: BLE001 - the last resort, reported and never hidden
        return _report_bug(error, session)
    return result if isinstance(result, int) else 0


def _own_name() -> str:
    """How the command was called: by one of its two names, or by a module or a script of ours."""
    name = Path(sys.argv[0]).stem
    return name if name in {"inspect", "torch-inspector"} else "inspect"


def _report_usage(error: click.ClickException) -> int:
    ctx = error.ctx if isinstance(error, click.UsageError) else None
    hint = f" Try '{ctx.command_path} --help'." if ctx else ""
    _say(f"error: {error.format_message()}{hint}")
    return error.exit_code


def _report_failure(error: InspectorError, session: Session) -> int:
    _show_traceback(session)
    _say(f"error: {error}")
    if error.detail:
        _say(error.detail)
    return error.exit_code


def _unwritable(error: OSError) -> InspectorError:
    reason = error.strerror or str(error)
    message = f"Standard output cannot be written ({reason})."
    return RecordingError(message, "Name a file with -o, or another place.")


def _report_bug(error: Exception, session: Session) -> int:
    _show_traceback(session)
    hint = "" if session.debug else " Run it again as 'inspect --debug …' for the traceback."
    _say(f"error: this is a mistake in torch-inspector: {type(error).__name__}: {error}.{hint}")
    return INTERNAL_ERROR


def _show_traceback(session: Session) -> None:
    if session.debug:
        import traceback

        traceback.print_exc()


def _say(text: str) -> None:
    print(text, file=sys.stderr)  # noqa: T201 - the one place where errors are printed
