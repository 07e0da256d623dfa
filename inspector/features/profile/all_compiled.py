"""Whether anything of the program's own code is left to compile."""

from __future__ import annotations

from collections.abc import Iterable

from inspector.features.profile.launch_timing import LaunchTiming
from inspector.records.calls import TargetFunction
from inspector.records.device_profile import KEEPS_GRADIENT
from inspector.run.compilation import Frame, FrameState
from inspector.run.run import Process, Run
from inspector.shared.roots import Owner
from inspector.shared.stack import is_resumed


def is_all_compiled(run: Run, process: Process, launches: Iterable[LaunchTiming]) -> bool:
    """Whether a call does nothing of the program's own outside of compiled graphs.

    Then what is timed there is the way into the model and out of it, which no compiler takes away.
    """
    if not process.frames or any(map(_gave_up, process.frames)):
        return False
    if any(skip.is_entry or _is_own(run, skip.file) for skip in process.skipped):
        return False
    return _is_entered(run, process) and not any(map(_is_uncompiled, launches))


def _gave_up(frame: Frame) -> bool:
    """Whether some of a frame, or all of it, runs as Python."""
    is_broken = any(item.graph_breaks or item.hit_limit for item in frame.compilations)
    return is_broken or frame.state is not FrameState.COMPILED or is_resumed(frame.name)


def _is_own(run: Run, file: str) -> bool:
    return run.roots.owner(file) is Owner.PROJECT


def _is_entered(run: Run, process: Process) -> bool:
    """Whether the target itself is compiled, and not a function that it calls.

    Where a module has hooks, it is the call of `torch.nn.Module` that is compiled.
    """
    target = process.last(TargetFunction)
    places = {(frame.file, frame.first_line) for frame in process.frames}
    if target is None or (target.file, target.line) in places:
        return True
    return not any(_is_own(run, file) for file, _ in places)


def _is_uncompiled(item: LaunchTiming) -> bool:
    """Whether the program's own line, or an operator that it calls, runs as it stands.

    A gradient that autograd keeps has the line of its parameter's module, and is nothing of that.
    """
    is_outside = item.code is None and item.place is not None and not item.is_around
    return is_outside and item.launch.place.operator != KEEPS_GRADIENT
