"""What a call computes for a backward pass, or as in training, and has no backward pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.features.graph.step_names import short_name
from inspector.features.graph.targets import is_view
from inspector.features.profile.gain import Gain, first_names
from inspector.features.profile.kernel_groups import KernelGroup, named, where
from inspector.features.profile.kernel_timing import Bound, KernelTiming
from inspector.features.profile.launch_timing import time_by
from inspector.features.profile.step_facts import Part, operator_of
from inspector.run.graph import Node

_NOTICED = 0.1  # of a statement


def is_for_backward(work: KernelTiming) -> bool:
    """Whether more than a little of a statement is for a backward pass alone."""
    return _share_for_backward(work) >= _NOTICED


def gains_of_idle_gradients(work: Sequence[KernelTiming], *, is_cpu: bool) -> Iterator[Gain]:
    """What is computed for a backward pass that nobody asks for."""
    items = [item for item in work if is_for_backward(item)]
    if items:
        row = KernelGroup(tuple(items))
        nodes = [node for item in items for node in _of_backward(item)]
        names = list(dict.fromkeys(short_name(operator_of(node)) for node in nodes))
        also = "also computes" if row.number == 1 else "also compute"
        yield Gain(
            f"{named(row)}{where(row)} {also} values for a backward pass ({first_names(names)})",
            sum(_won_ns(item, is_cpu=is_cpu) for item in items),
            "call under torch.no_grad() if no gradients are needed (--no-grad measures it)",
        )


def _share_for_backward(work: KernelTiming) -> float:
    names = {node.name for node in _of_backward(work)}
    return (
        sum(part.share for part in work.longest_launch.parts if part.line.node in names)
        if names
        else 0.0
    )


def _won_ns(work: KernelTiming, *, is_cpu: bool) -> float:
    """That part of it; on the CPU what it takes above what its bytes take, if that is more.

    There it can be what keeps a loop from being vectorised. A kernel that is as short as an empty
    one stays as long.
    """
    part_ns = work.median_ns * _share_for_backward(work)
    if work.bound is Bound.LATENCY:
        return 0.0
    if work.least_ns is None or not is_cpu:
        return part_ns
    return max(part_ns, work.median_ns - work.least_ns)


def _of_backward(work: KernelTiming) -> Sequence[Node]:
    """What a statement of a forward pass computes only for a backward pass."""
    first = work.launches[0]
    is_forward = first.code is not None and first.code.direction == "forward"
    nodes = first.step.operators if first.step is not None and is_forward else ()
    return [node for node in nodes if node.is_backward and not is_view(node)]


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


def is_as_in_training(part: Part) -> bool:
    """Whether a part of a statement would be another one, or none, in `eval()`."""
    return bool(_what(part))


def gains_of_training_mode(
    work: Sequence[KernelTiming], *, is_training: bool | None
) -> Iterator[Gain]:
    """What is computed as in training."""
    launches = (launch for item in work for launch in item.launches)
    times = time_by(launches, _what)
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
        what = "functions run in training mode, although the model is in eval()"
        change = _FUNCTIONS
    yield Gain(f"{what}: {' and '.join(times)}", sum(times.values()), change)


def _what(part: Part) -> str | None:
    if part.operator.endswith(_IN_ANY_MODE):
        return None
    return _IN_TRAINING.get(part.name)
