"""What the recorded process does: attach to torch's trace, then run the target or the program."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from inspector.capture.outcome import write_orderly_end, write_outcome
from inspector.errors import EnvironmentLacksError, InspectorError, ModelFailedError
from inspector.model.request import Request

__all__ = ["main"]

_INTERRUPTED = 130  # 128 + SIGINT, as shells report it


def main(arguments: Sequence[str]) -> int:
    """Records; arguments are the recording's folder, ``explain`` or ``run``, and what to run."""
    recording, what, *rest = arguments
    folder = Path(recording).absolute()  # the program may change the working directory
    try:
        _check_torch()
        if what == "explain":
            _explain(folder, Request.from_json(rest[0]))
            write_orderly_end(folder)
            return 0
        _attach(folder)
    except InspectorError as error:
        write_outcome(folder, error)
        return error.exit_code
    except KeyboardInterrupt:
        return _INTERRUPTED
    from inspector.capture.program import run_program

    # What it raises is the program's own end, which is for Python to deal with.
    run_program(rest)
    return 0


def _check_torch() -> None:
    try:
        import torch
    except ImportError as error:
        message = f"{sys.executable} cannot import torch: {error}."
        raise EnvironmentLacksError(
            message, 'Install it with pip install "torch-inspector[torch]", or name another '
            "interpreter with --python .venv/bin/python."
        ) from error  # fmt: skip
    if not hasattr(torch, "_logging"):
        message = f"torch {torch.__version__} writes no structured trace."
        raise EnvironmentLacksError(message, "Use torch 2.11 to 2.13.")


def _explain(folder: Path, request: Request) -> None:
    from inspector.capture.environment import write_environment
    from inspector.capture.execution import call_target, compiled, write_target
    from inspector.capture.failures import user_traceback
    from inspector.capture.handler import attach_handler
    from inspector.capture.settings import apply_settings
    from inspector.capture.skips import watch_skips
    from inspector.capture.target import load_target
    from inspector.capture.trial import seed_trial, watched

    sources = attach_handler(folder)
    watch_skips(sources)
    seed_trial(request)
    target = load_target(request)
    apply_settings(request.config)  # after what the user's file sets
    write_environment(target.root)
    write_target(target, sources)
    try:
        with watched(target, request, compiled(target, request)) as function:
            call_target(target, request, function)
    except SystemExit as exit_:
        code = "" if exit_.code is None else repr(exit_.code)
        message = f"{target.name} ended the program with sys.exit({code}) while it was called."
        detail = user_traceback(exit_, target.root)
        raise ModelFailedError(message, "Let it return instead.", detail=detail) from exit_


def _attach(folder: Path) -> None:
    from inspector.capture.environment import write_environment
    from inspector.capture.handler import attach_handler
    from inspector.capture.skips import watch_skips

    sources = attach_handler(folder)
    watch_skips(sources)
    write_environment(os.getcwd())  # noqa: PTH109 - as the program sees it
