"""What could be won of a call: by kernels, by the host, by layouts and by what is exchanged."""

import dataclasses
from collections.abc import Iterable, Iterator, Sequence

from inspector.features.profile.budget import Budget
from inspector.features.profile.gain import Gain
from inspector.features.profile.gains.host_gains import host_gains
from inspector.features.profile.gains.kernel_advice import Setup
from inspector.features.profile.gains.kernel_gains import kernel_gains
from inspector.features.profile.gains.library_gains import gains_of_exchanges
from inspector.features.profile.kernel_groups import KernelGroup, kernel_groups, where
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.features.profile.launch_timing import time_by
from inspector.features.profile.step_facts import Part
from inspector.report.wording import listed

_LEAST_SHARE = 0.01
_MOST_NAMED = 3
_STATISTICS = "batch normalization computes statistics from the batch"
# By operator, what a layer does in training mode and not in `eval()`; what `nn.Dropout` and batch
# normalisation become (torch/_decomp/decompositions.py, 2.11 to 2.13).
_IN_TRAINING = {
    "native_dropout": "dropout draws random numbers",
    "_native_batch_norm_legit": _STATISTICS,
    "_native_batch_norm_legit_functional": _STATISTICS,
}
# What keeps no statistics, as instance normalisation does, takes them from the batch in any mode.
_IN_ANY_MODE = ".no_stats"
_FUNCTIONS = "pass training=self.training to functions (the default of F.dropout is True)"
_HOST = ("launching", "wrappers", "guards", "graph-break", "autograd", "outside")


def gains(  # noqa: PLR0913 - what the advice depends on
    budget: Budget,
    work: Sequence[KernelTiming],
    mode: str,
    *,
    is_cpu: bool,
    is_training: bool | None = None,
    has_templates: bool = True,
    break_lines: Sequence[str] = (),
) -> list[Gain]:
    """What could be won, the most first; estimates, of which two can be of the same time.

    Args:
        is_training: Whether a module of the model is in training mode; None if unknown.
    """
    # While the device waits for the host so long, faster kernels make no faster call.
    waited_ns = sum(budget.causes_ns.get(name, 0.0) for name in _HOST)
    is_hidden = not is_cpu and waited_ns > budget.busy_ns
    has_backward = _has_backward(budget, work)
    setup = Setup(mode, is_cpu, has_templates, has_backward)

    def is_named(row: KernelGroup) -> bool:
        """Whether what most of it is has an entry of its own."""
        first = row.first
        is_in_training = not has_backward and first.is_mostly(_is_as_in_training)
        return bool(first.functionalized_operator or is_in_training or _is_relaid(first))

    rows = [row for row in kernel_groups(work) if not is_named(row)]
    found = [*kernel_gains(rows, setup), *_gains_of_copies(work), *gains_of_exchanges(work)]
    found += _gains_of_layouts(work)
    if not has_backward:
        found += _gains_of_training_mode(work, is_training=is_training)
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
    found += host_gains(budget, work, mode, is_cpu=is_cpu, break_lines=break_lines)
    least = budget.wall_ns * _LEAST_SHARE
    worth = (gain for gain in found if gain.time_ns >= least)
    return sorted(worth, key=lambda gain: (gain.is_hidden, -gain.time_ns))


def _gains_of_copies(work: Sequence[KernelTiming]) -> Iterator[Gain]:
    copied = [item for item in work if item.facts.functionalization_copies]
    if not copied:
        return
    names = list(
        dict.fromkeys(name for item in copied for name in item.facts.functionalization_copies)
    )
    copy = "1 kernel copies"
    if len(copied) > 1:
        copy = f"{len(copied)} kernels copy"
    yield Gain(
        f"{listed(names, _MOST_NAMED)}{where(KernelGroup(tuple(copied)))}: "
        f"{copy} whole tensors that the program modifies in place",
        sum(item.median_ns * sum(item.facts.functionalization_copies.values()) for item in copied),
        "modify a smaller tensor, or move these lines into a function with "
        "@torch.compiler.disable (a graph break), where eager PyTorch writes only the new values",
    )


def _is_relaid(work: KernelTiming) -> bool:
    """Whether a generated kernel is mostly that: a convolution's part in it computes nothing."""
    return work.kind == "kernel" and not work.flops and work.is_mostly(_is_of_convolution)


def _is_of_convolution(part: Part) -> bool:
    return part.name == "convolution"


def _gains_of_layouts(work: Sequence[KernelTiming]) -> Iterator[Gain]:
    found = [item for item in work if _is_relaid(item)]
    if not found:
        return
    kernels = f"{len(found)} kernels" if len(found) > 1 else "a kernel"
    yield Gain(
        f"{kernels} per call just to convert convolution weights or inputs to another layout",
        sum(
            part.share * item.time_ns
            for item in found
            for part in item.longest_launch.parts
            if _is_of_convolution(part)
        ),
        "for images, model.to(memory_format=torch.channels_last), and inputs likewise, has them in "
        "it from the beginning; for inference, TORCHINDUCTOR_FREEZING=1 does it once",
    )


def _is_as_in_training(part: Part) -> bool:
    return bool(_done_in_training(part))


def _gains_of_training_mode(
    work: Sequence[KernelTiming], *, is_training: bool | None
) -> Iterator[Gain]:
    launches = (launch for item in work for launch in item.launches)
    times = time_by(launches, _done_in_training)
    if not times:
        return
    change = "for inference, call model.eval() before compiling; for training, pass --train"
    what = "the model is in training mode"
    if is_training is None:
        what = "the call runs in training mode"
        change = (
            f"for inference, call model.eval() before compiling, or {_FUNCTIONS}; for training, "
            "pass --train"
        )
    elif not is_training:
        what = (
            "functions such as F.dropout run in training mode, although the model is in eval mode"
        )
        change = _FUNCTIONS
    yield Gain(f"{what}: {' and '.join(times)}", sum(times.values()), change)


def _done_in_training(part: Part) -> str | None:
    if part.operator.endswith(_IN_ANY_MODE):
        return None
    return _IN_TRAINING.get(part.name)


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
