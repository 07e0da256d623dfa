"""``torch.compile(model, backend="inspector")``: Inductor, and a recording of what it did.

Torch finds the name `inspector` here through the entry point ``torch_dynamo_backends`` when
``torch.compile`` is called, before anything is compiled: that is when the recording begins. It ends
with the process.
"""

import atexit
import contextlib
import os
import sys
from collections.abc import Callable
from typing import Any

from inspector.features.overview.run_summary import summary_lines
from inspector.library.recording import Recording, recorded


def __getattr__(name: str) -> Callable[..., Any]:
    if name != "inspector":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from inspector.capture.compiled import inductor

    begin()
    return inductor


def begin() -> None:
    """Records this process into ``.inspector`` until it ends, unless it is being recorded."""
    from inspector.capture.recording.handler import attached_handler

    if attached_handler().is_attached:
        return
    stack = contextlib.ExitStack()
    try:
        name = next(iter(getattr(sys, "argv", ())), "")
        program = os.path.relpath(name) if name and os.path.exists(name) else ""  # noqa: PTH110
        settings = {"backend": "inspector", "caches": "user"}
        recording = stack.enter_context(recorded(None, program, settings))
    except Exception as error:  # noqa: BLE001 - the model compiles and runs without a recording too
        sys.stderr.write(f"inspect: recording failed: {error}\n")
        return
    atexit.register(_end, stack, recording, os.getpid())


def _end(stack: contextlib.ExitStack, recording: Recording, pid: int) -> None:
    if pid != os.getpid():
        return  # a fork, which has the same functions to call
    with contextlib.suppress(Exception):
        stack.close()
        place = os.path.relpath(recording.path)
        sys.stderr.write("\n".join(summary_lines(recording.run(), place)) + "\n")
