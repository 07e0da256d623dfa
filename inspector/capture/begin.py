"""Begins the recording of a process that asks for it in its environment.

``INSPECTOR_RECORD`` names the recording. It is called in the middle of ``import torch``, in every
process that imports it (`autoload`, or the entry point of the installed package), so it does
little: what needs torch itself waits for the first record of the trace.
"""

from __future__ import annotations

import os
from pathlib import Path

__all__ = ["begin"]


def begin() -> None:
    """Begins to record, unless this process is being recorded or nobody asks for it.

    Whatever goes wrong, ``import torch`` goes on; the recording gets a file that says what it was.
    """
    asked = os.environ.get("INSPECTOR_RECORD")
    if not asked:
        return
    folder = Path(asked).absolute()  # the program may change the working directory
    try:
        _begin(folder)
    except Exception as error:  # noqa: BLE001 - a recorder never breaks `import torch`
        from inspector.capture.outcome import write_problem

        write_problem(folder, "the recording of a process could not be begun", error)


def _begin(folder: Path) -> None:
    from inspector.capture.handler import attached_handler

    # The package can be installed and on the path: the entry points of both are called.
    if attached_handler().is_attached:
        return
    from inspector.capture.attach import attach
    from inspector.capture.description import describe

    limit = os.environ.get("INSPECTOR_MAX_BYTES", "")
    max_bytes = int(limit) if limit.isascii() and limit.isdecimal() else None
    attach(folder, os.getcwd(), max_bytes)  # noqa: PTH109 - as the program sees it
    if os.environ.get("INSPECTOR_MEASURE") == "1":
        attached_handler().measure_when_warm()
    describe(folder)
