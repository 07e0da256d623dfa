"""That functions run as in eager PyTorch, because they were compiled too often."""

from __future__ import annotations

from inspector.report.file_names import short_names
from inspector.report.wording import listed
from inspector.run.run import Run

_MOST = 3


def limit_notice(run: Run) -> str:
    """Which functions torch no longer compiles, in one sentence; or an empty string."""
    places = dict.fromkeys(
        (frame.file, frame.first_line)
        for process in run.processes
        for frame in process.frames
        if any(item.hit_limit for item in frame.compilations)
    )
    if not places:
        return ""
    names = short_names(file for file, _ in places)
    shown = listed([f"{names[file]}:{line}" for file, line in places], _MOST)
    runs = "it runs as in eager PyTorch" if len(places) == 1 else "they run as in eager PyTorch"
    return (
        f"torch compiled what begins at {shown} so often that it gave up: {runs} where no compiled "
        "code fits; `inspect explain` says why it was compiled again"
    )
