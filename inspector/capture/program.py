"""Runs a user's program as Python itself would, with its own arguments."""

from __future__ import annotations

import os
import runpy
import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType

from inspector.capture.roots import recorded_roots

__all__ = ["run_program"]


def run_program(arguments: Sequence[str]) -> int:
    """Runs ``script.py args…`` or ``-m package args…``; returns the program's exit code.

    What the program raises is printed as Python prints it, without our own frames.
    """
    try:
        if arguments[0] == "-m":
            _run_module(arguments[1], arguments[2:])
        else:
            _run_script(arguments[0], arguments[1:])
    except SystemExit as exit_:
        return _exit_code(exit_.code)
    except BaseException as error:  # noqa: BLE001 - printed as Python would print it
        # The hook prints the traceback that the exception carries.
        error.__traceback__ = _without_ours(error.__traceback__)
        sys.excepthook(type(error), error, error.__traceback__)
        if isinstance(error, KeyboardInterrupt):
            return 130
        return 1
    return 0


def _run_script(script: str, arguments: Sequence[str]) -> None:
    sys.argv[:] = [script, *arguments]
    sys.path.insert(0, str(Path(script).resolve().parent))
    runpy.run_path(script, run_name="__main__")


def _run_module(module: str, arguments: Sequence[str]) -> None:
    sys.argv[:] = ["-m", *arguments]
    sys.path.insert(0, os.getcwd())  # noqa: PTH109 - sys.path holds strings, as Python's own -m does
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _exit_code(code: object) -> int:
    if code is None:
        return 0
    if isinstance(code, int):
        return code
    sys.stderr.write(f"{code}\n")
    return 1


def _without_ours(traceback: TracebackType | None) -> TracebackType | None:
    """The traceback from the user's first frame on."""
    own = (recorded_roots().own, runpy.__file__, "<frozen runpy>")
    while traceback and traceback.tb_frame.f_code.co_filename.startswith(own):
        traceback = traceback.tb_next
    return traceback
