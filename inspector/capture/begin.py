"""Begins the recording of a process that asks for it in its environment.

``INSPECTOR_RECORD`` names the recording. It is called in the middle of ``import torch``, in every
process that imports it (`autoload`, or the entry point of the installed package), so it does
little: what needs torch itself waits for the first record of the trace.
"""

from __future__ import annotations

import os
from pathlib import Path

_FALLBACK = "64M"


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

    attached = attach(folder, os.getcwd(), _max_bytes(folder))  # noqa: PTH109 - as the program sees it
    attached.log.watch_end()
    if os.environ.get("INSPECTOR_MEASURE") == "1":
        attached_handler().measure_when_warm()
    describe(folder)


def _max_bytes(folder: Path) -> int | None:
    """What ``INSPECTOR_MAX_BYTES`` says, in the spelling of ``--max-bytes``.

    Whoever sets it does not want the disk to fill: where it cannot be read there is a limit all the
    same, and the recording says so.
    """
    from inspector.model.units import parse_size

    limit = os.environ.get("INSPECTOR_MAX_BYTES", "").strip()
    if not limit:
        return None
    try:
        return parse_size(limit)
    except ValueError as error:
        from inspector.capture.outcome import write_problem

        where = f"INSPECTOR_MAX_BYTES could not be read, so that logs are kept below {_FALLBACK}"
        write_problem(folder, where, error)
        return parse_size(_FALLBACK)
