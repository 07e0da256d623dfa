"""What could be won of a call: by kernels, by the host, by layouts and by what is exchanged."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Iterable, Iterator, Sequence

from inspector.profiles.budget import Budget
from inspector.profiles.copy_gains import copies_back, copy_gains
from inspector.profiles.exchange import exchanges, unhidden_ns
from inspector.profiles.gain import Gain, and_more
from inspector.profiles.gradient_copies import copied_gradients
from inspector.profiles.host_gains import host_gains
from inspector.profiles.hot import Hot, hot
from inspector.profiles.idle_gradients import gains_of_idle_gradients, is_for_backward
from inspector.profiles.kernel_advice import advice
from inspector.profiles.kernel_gains import kernel_gains
from inspector.profiles.layout_copies import is_relaid, layout_gain
from inspector.profiles.library_names import shown_name
from inspector.profiles.repeats import repeated_work, repeating_lines
from inspector.profiles.training_mode import gains_of_training_mode, is_as_in_training
from inspector.profiles.work import Work

_LEAST_SHARE = 0.01
_MOST_NAMED = 3  # lines of a gain
_HOST = ("launching", "wrappers", "guards", "graph-break", "autograd", "outside", "entry")
_ENTRY = {"outside": "entry"}
# By whether a compiled graph does it.
_EXCHANGED = {
    True: "compute meanwhile (torch._inductor.config.aten_distributed_optimizations."
    "enable_overlap_scheduling = True), send less, and give all processes equal work",
    False: "begin earlier, while gradients are computed (DistributedDataParallel's bucket_cap_mb), "
    "exchange less often (no_sync() for all but the last of several batches), and give all "
    "processes equal work",
}


def _is_host_bound(budget: Budget) -> bool:
    """Whether the device waits for the host so long that faster kernels make no faster call."""
    waited_ns = sum(budget.causes_ns.get(name, 0.0) for name in _HOST)
    return waited_ns > budget.busy_ns


def all_compiled(budget: Budget) -> Budget:
    """The same of a program with nothing left to compile: outside there is the way in and out."""
    causes: dict[str, float] = {}
    for name, time_ns in budget.causes_ns.items():
        to = _ENTRY.get(name, name)
        causes[to] = causes.get(to, 0.0) + time_ns
    return dataclasses.replace(budget, causes_ns=causes)


def gains(  # noqa: PLR0913 - what the advice depends on
    budget: Budget,
    work: Sequence[Work],
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
        budget: Where the time goes.
        work: The statements.
        mode: The mode that was compiled with, or an empty string.
        is_cpu: Whether it ran on the CPU: then nothing is launched.
        is_grad_idle: Whether gradients were on, and nobody asked for a backward pass: whether that
            costs anything is seen in the work.
        is_training: Whether a module of the model is in training mode; None where nobody knows.
        has_templates: Whether Inductor has templates for matrix products on the GPU.
        break_lines: Where graphs break.
    """
    is_hidden = not is_cpu and _is_host_bound(budget)
    has_backward = _has_backward(budget, work)
    advised = functools.partial(
        advice, mode=mode, is_cpu=is_cpu, has_templates=has_templates, is_training=has_backward
    )
    is_grad_idle = is_grad_idle and keeps_for_nothing(budget, work)

    is_copied_back = bool(copies_back(work))

    def is_said(row: Hot) -> bool:
        """Whether what most of it is has an entry of its own."""
        first = row.first
        is_idle = is_grad_idle and is_for_backward(first) and not advised(first)
        is_in_training = not has_backward and first.is_mostly(is_as_in_training)
        is_given = is_copied_back and first.is_given
        return bool(first.copied_for or is_given or is_idle or is_in_training or is_relaid(first))

    rows = [row for row in hot(work) if not is_said(row)]
    found = list(kernel_gains(rows, advised, mode=mode, is_cpu=is_cpu, is_hidden=is_hidden))
    if is_grad_idle:
        found += gains_of_idle_gradients(work, is_hidden=is_hidden, is_cpu=is_cpu)
    found += copy_gains(work, is_grad_idle=is_grad_idle, is_hidden=is_hidden)
    found += _of_communication(work, is_hidden=is_hidden)
    found += _of_gradients(work, is_hidden=is_hidden)
    found += filter(None, [layout_gain(work, is_hidden=is_hidden)])
    found += _of_repeats(work, is_hidden=is_hidden)
    if not has_backward:
        found += gains_of_training_mode(work, is_training=is_training, is_hidden=is_hidden)
    # Of unwatched calls, as all that the host does is; what runs side by side, on several streams
    # or GPUs, takes no longer than the call.
    found = [
        dataclasses.replace(gain, time_ns=min(gain.time_ns / budget.shown_slowdown, budget.wall_ns))
        for gain in found
    ]
    found += host_gains(
        budget, work, mode,
        is_cpu=is_cpu, is_grad_idle=is_grad_idle, break_lines=break_lines,
    )  # fmt: skip
    least = budget.wall_ns * _LEAST_SHARE
    worth = (gain for gain in found if gain.time_ns >= least)
    return sorted(worth, key=lambda gain: (gain.is_hidden, -gain.time_ns))


def keeps_for_nothing(budget: Budget, work: Iterable[Work]) -> bool:
    """Whether graphs keep what a backward pass needs, and a call has none."""
    work = list(work)
    return "forward" in _directions(work) and not _has_backward(budget, work)


def _has_backward(budget: Budget, work: Iterable[Work]) -> bool:
    """Whether a call has a backward pass, compiled or not."""
    return "backward" in _directions(work) or bool(budget.causes_ns.get("autograd"))


def _directions(work: Iterable[Work]) -> frozenset[str]:
    """Which passes the graphs are: ``forward`` ones keep something for autograd."""
    codes = (launch.code for item in work for launch in item.launches)
    return frozenset(code.direction for code in codes if code is not None)


def _of_communication(work: Sequence[Work], *, is_hidden: bool) -> Iterator[Gain]:
    """What goes into other processes while nothing else is done: hidden it costs nothing."""
    unhidden = [item for item in exchanges(work) if unhidden_ns([item])]
    for is_compiled, change in _EXCHANGED.items():
        found = [item for item in unhidden if (item.work.kind == "library") is is_compiled]
        if found:
            names = ", ".join(dict.fromkeys(shown_name(item.work.name) for item in found))
            yield Gain(
                "data is exchanged with other processes, or they are waited for, while nothing "
                f"else runs ({names})",
                unhidden_ns(found),
                change,
                is_hidden,
            )


def _of_gradients(work: Sequence[Work], *, is_hidden: bool) -> Iterator[Gain]:
    """Copies that a layout makes needless."""
    copies = copied_gradients(work)
    if copies:
        many = len(copies) > 1
        yield Gain(
            f"autograd copies {'the gradients of' if many else 'the gradient of'} {len(copies)} "
            f"{'convolutions' if many else 'convolution'} into the layout of "
            f"{'their weights' if many else 'its weight'}",
            sum(item.time_ns for item in copies),
            "give the model the layout in which convolutions are computed: "
            "model.to(memory_format=torch.channels_last)",
            is_hidden,
        )


def _of_repeats(work: Sequence[Work], *, is_hidden: bool) -> Iterator[Gain]:
    """What is computed again."""
    repeated = repeated_work(work)
    if repeated:
        lines = repeating_lines(repeated)
        named = [f"{file.rpartition('/')[2]}:{line}" for file, line in lines[:_MOST_NAMED]]
        more = and_more(len(named), lines)
        yield Gain(
            f"{len(repeated)} of the calls of libraries compute what others have computed"
            + (f" ({', '.join(named)}{more})" if lines else ""),
            sum(item.time_ns for item in repeated),
            "compute it once, in front of the loop, and use the result: `inspect kernels` shows "
            "the calls",
            is_hidden,
        )
