"""Writes reports: the only place that opens output files, and deletes half-written ones."""

import errno
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

import click

from inspector import plugins
from inspector.cli.options import VERBOSE
from inspector.errors import RecordingError


def check_output(output: Path | None, format_: str | None, kind: str = "") -> None:
    """Refuses what cannot be written before anything is recorded."""
    if format_ is not None:
        plugins.load_renderer(format_, kind)
    if output is None:
        return
    plugins.load_renderer(plugins.renderer_for_suffix(output, kind), kind)
    check_place(output)


def check_place(output: Path) -> None:
    """Refuses a file that cannot be written."""
    if not output.parent.is_dir():
        raise RecordingError(f"There is no folder {output.parent}.", "Create it first.")
    # Asked, not tried: an existing file is left as it is until there is something to write.
    place = output if output.exists() else output.parent
    if not (os.access(place, os.W_OK) and os.access(output.parent, os.W_OK)):
        raise _unwritable(output, os.strerror(errno.EACCES))


def write_report(report: object, output: Path | None, format_: str | None, kind: str = "") -> None:
    """Writes a report to a file, or to standard output where no file or a format is asked for."""
    if output is not None:
        suffix = plugins.renderer_for_suffix(output, kind)
        write_file(output, lambda stream: plugins.render(report, suffix, stream, is_whole=True))
        sys.stderr.write(f"wrote {output}\n")
    if output is None or format_ is not None:
        context = click.get_current_context(silent=True)
        is_whole = context is not None and bool(context.meta.get(VERBOSE))
        plugins.render(report, format_ or "terminal", sys.stdout, is_whole=is_whole)


def write_file(output: Path, write: Callable[[TextIO], None]) -> None:
    """Writes a file, whole or not at all."""

    def write_part(part: Path) -> None:
        with part.open("w", encoding="utf-8") as stream:
            write(stream)

    _write_whole(output, write_part)


def write_bytes(output: Path, content: bytes) -> None:
    """Writes a file that is no text, whole or not at all, and says so."""
    _write_whole(output, lambda part: part.write_bytes(content))
    sys.stderr.write(f"wrote {output}\n")


def _write_whole(output: Path, write_part: Callable[[Path], object]) -> None:
    target = output.resolve()  # a link stays a link
    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        write_part(part)
        part.replace(target)
    except OSError as error:
        raise _unwritable(output, error.strerror or str(error)) from error
    finally:
        part.unlink(missing_ok=True)


def _unwritable(output: Path, reason: str) -> RecordingError:
    message = f"{output} cannot be written ({reason})."
    return RecordingError(message, "Choose another file with -o.")
