"""What could be won of a call: by kernels, by the host, by layouts and by what is exchanged."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from inspector.features.profile.budget import Budget
from inspector.features.profile.gain import Gain
from inspector.features.profile.gains.copy_gains import gains_of_copies, gains_of_layouts, is_relaid
from inspector.features.profile.gains.host_gains import host_gains
from inspector.features.profile.gains.kernel_advice import Setup
from inspector.features.profile.gains.kernel_gains import kernel_gains
from inspector.features.profile.gains.library_gains import gains_of_exchanges
from inspector.features.profile.gains.training_gains import (
    gains_of_training_mode,
    is_as_in_training,
)
from inspector.features.profile.kernel_groups import KernelGroup, kernel_groups
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.features.profile.launch_timing import LaunchTiming
from inspector.records.calls import TargetFunction
from inspector.records.device_profile import KEEPS_GRADIENT
from inspector.run.compilation import Frame, FrameState
from inspector.run.run import Process, Run
from inspector.shared.roots import Owner
from inspector.shared.stack import is_resumed

_LEAST_SHARE = 0.01
_HOST = ("launching", "wrappers", "guards", "graph-break", "autograd", "outside", "entry")


def all_compiled(budget: Budget) -> Budget:
    """The same of a program with nothing left to compile: outside there is the way in and out."""
    causes = {
        "entry" if name == "outside" else name: time_ns
        for name, time_ns in budget.causes_ns.items()
    }
    return dataclasses.replace(budget, causes_ns=causes)


def gains(  # noqa: PLR0913 - what the advice depends on
    budget: Budget,
    work: Sequence[KernelTiming],
    mode: str,
    *,
    is_cpu: bool,
    is_grad_idle: bool = False,
    is_training: bool | None = None,
    has_templates: bool = True,
    break_lines: Sequence[str] = (),
) -> list[Gain]:
    """What could be won, the most first; estimates, of which two can be of the same time.

    Args:
        is_grad_idle: Whether gradients were on, and nobody asked for a backward pass: whether that
            costs anything is seen in the work.
        is_training: Whether a module of the model is in training mode; None where nobody knows.
    """
    # While the device waits for the host so long, faster kernels make no faster call.
    waited_ns = sum(budget.causes_ns.get(name, 0.0) for name in _HOST)
    is_hidden = not is_cpu and waited_ns > budget.busy_ns
    has_backward = _has_backward(budget, work)
    setup = Setup(mode, is_cpu, has_templates, has_backward)
    is_grad_idle = is_grad_idle and keeps_for_nothing(budget, work)

    def is_said(row: KernelGroup) -> bool:
        """Whether what most of it is has an entry of its own."""
        first = row.first
        is_in_training = not has_backward and first.is_mostly(is_as_in_training)
        return bool(first.functionalized_operator or is_in_training or is_relaid(first))

    rows = [row for row in kernel_groups(work) if not is_said(row)]
    found = [*kernel_gains(rows, setup), *gains_of_copies(work), *gains_of_exchanges(work)]
    found += gains_of_layouts(work)
    if not has_backward:
        found += gains_of_training_mode(work, is_training=is_training)
    # Of unwatched calls, as all that the host does is; what runs side by side, on several streams
    # or GPUs, takes no longer than the call.
    found = [
        dataclasses.replace(
            gain,
            time_ns=min(gain.time_ns / budget.shown_slowdown, budget.wall_ns),
            is_hidden=is_hidden,
        )
        for gain in found
    ]
    found += host_gains(
        budget, work, mode,
        is_cpu=is_cpu, is_grad_idle=is_grad_idle, break_lines=break_lines,
    )  # fmt: skip
    least = budget.wall_ns * _LEAST_SHARE
    worth = (gain for gain in found if gain.time_ns >= least)
    return sorted(worth, key=lambda gain: (gain.is_hidden, -gain.time_ns))


def keeps_for_nothing(budget: Budget, work: Iterable[KernelTiming]) -> bool:
    """Whether graphs keep what a backward pass needs, and a call has none."""
    work = list(work)
    return "forward" in _directions(work) and not _has_backward(budget, work)


def _has_backward(budget: Budget, work: Iterable[KernelTiming]) -> bool:
    return "backward" in _directions(work) or bool(budget.causes_ns.get("autograd"))


def _directions(work: Iterable[KernelTiming]) -> frozenset[str]:
    """Which passes the graphs are: ``forward`` ones keep something for autograd."""
    codes = (launch.code for item in work for launch in item.launches)
    return frozenset(code.direction for code in codes if code is not None)


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
