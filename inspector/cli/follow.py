"""``inspect explain --follow``: findings of logs that a job still writes."""

import contextlib
import dataclasses
import sys
import time
from collections.abc import Callable
from pathlib import Path

from inspector.cli.target import existing
from inspector.errors import RecordingError, UsageError
from inspector.features.overview.page import page
from inspector.render.terminal import render
from inspector.report.page import About
from inspector.report.report import Report
from inspector.run.run import Run
from inspector.run.sources.log_files import find_logs
from inspector.run.sources.recording import opened, read_run

_LEAST_PAUSE_S = 1.0
_READING_SHARE = 0.2  # of one core, while the job wants it


def followed(target: str | None, make_report: Callable[[Run], Report]) -> Report:
    """Shows each finding once, when a log first has it; gives the last report at Ctrl-C.

    Raises:
        UsageError: The target is no folder.
        RecordingError: It was interrupted before a log was there.
    """
    folder = _folder(target)
    sizes: dict[Path, int] = {}
    shown: set[str] = set()
    report: Report | None = None
    try:
        while True:
            pause_s = _LEAST_PAUSE_S
            now = {path: path.stat().st_size for path in find_logs(folder).logs}
            if now != sizes:
                sizes = now
                began = time.monotonic()
                with contextlib.suppress(RecordingError):  # a log that has no record yet
                    with opened(folder) as recording:
                        report = make_report(read_run(recording))
                    _show_new(report, shown)
                pause_s = max(pause_s, (time.monotonic() - began) / _READING_SHARE)
            time.sleep(pause_s)
    except KeyboardInterrupt:
        if report is None:
            message = f"No log with a record appeared in {folder}."
            hint = f"Start the program with TORCH_TRACE={folder}."
            raise RecordingError(message, hint) from None
        return report


def _folder(target: str | None) -> Path:
    path = existing(target)
    if not path.is_dir():
        message = f"{path} is not a log folder."
        raise UsageError(message, "Name the folder that TORCH_TRACE is set to.")
    return path


def _show_new(report: Report, shown: set[str]) -> None:
    whole = page(report)
    new = tuple(item for item in whole.findings if item.fingerprint not in shown)
    shown.update(item.fingerprint for item in report.findings)
    about = About(context=(time.strftime("%H:%M:%S"),))
    part = dataclasses.replace(
        whole, about=about, findings=new, summary=(), sections=(), notes=(), next_steps=()
    )
    render(part, sys.stdout)
    sys.stdout.write("\n")
    sys.stdout.flush()
