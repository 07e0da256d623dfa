"""What forward passes compute only for backward passes that nobody asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.graphs.step_names import short_name
from inspector.graphs.targets import is_view
from inspector.model.graph import Node
from inspector.profiles.gain import Gain, first_names
from inspector.profiles.hot import Hot
from inspector.profiles.row_names import named, where
from inspector.profiles.step_facts import operator_of
from inspector.profiles.work import Bound, Work

_NOTICED = 0.1  # of a statement


def is_for_backward(work: Work) -> bool:
    """Whether more than a little of a statement is for a backward pass alone."""
    return _share_for_backward(work) >= _NOTICED


def gains_of_idle_gradients(
    work: Sequence[Work], *, is_hidden: bool, is_cpu: bool
) -> Iterator[Gain]:
    """What is computed for a backward pass that nobody asks for.

    Args:
        work: The statements.
        is_hidden: Whether a call gets no shorter by it.
        is_cpu: Whether they ran on the CPU.
    """
    items = [item for item in work if is_for_backward(item)]
    if items:
        row = Hot(tuple(items))
        nodes = [node for item in items for node in _of_backward(item)]
        names = list(dict.fromkeys(short_name(operator_of(node)) for node in nodes))
        also = "also computes" if row.number == 1 else "also compute"
        yield Gain(
            f"{named(row)}{where(row)} {also} what only a backward pass needs "
            f"({first_names(names)})",
            sum(_won_ns(item, is_cpu=is_cpu) for item in items),
            "torch.no_grad() around calls that need no gradients: --no-grad measures it",
            is_hidden,
        )


def _share_for_backward(work: Work) -> float:
    names = {node.name for node in _of_backward(work)}
    return sum(part.share for part in work.main.parts if part.line.node in names) if names else 0.0


def _won_ns(work: Work, *, is_cpu: bool) -> float:
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


def _of_backward(work: Work) -> Sequence[Node]:
    """What a statement of a forward pass computes only for a backward pass."""
    first = work.launches[0]
    is_forward = first.code is not None and first.code.direction == "forward"
    nodes = first.step.operators if first.step is not None and is_forward else ()
    return [node for node in nodes if node.is_backward and not is_view(node)]
