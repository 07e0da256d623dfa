"""What could be won of what the host does: launches, guards, Python and torch around graphs."""

from __future__ import annotations

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.profiles.budget import Budget
from inspector.profiles.gain import Gain, and_more
from inspector.profiles.kernel_timing import KernelTiming

_HostsWork = Mapping[str, tuple[str, str]]
_MOST_BREAKS = 3
_FEWER = "fewer and larger graphs have less of it; "
# What the host does beside kernels, and what to change.
_HOSTS_WORK = {
    "outside": (
        "the program's own code runs outside of compiled graphs",
        "compile more of it, or do it less often",
    ),
    "entry": (
        "a call is entered and left (Python around the model and, in training, around autograd)",
        "nothing of the model is left to compile",
    ),
    "graph-break": (
        "Python runs between compiled graphs",
        "mend the graph breaks{lines}: `inspect explain` says how",
    ),
    "guards": (
        "guards are evaluated",
        "`inspect guards` says which guards, and what to change",
    ),
    "wrappers": (
        "torch's own code runs around compiled graphs",
        f"{_FEWER}a larger batch hides it",
    ),
    "autograd": (
        "autograd runs between compiled graphs and adds up gradients",
        f"{_FEWER}a larger batch hides it",
    ),
}
_HIDES = {
    "outside": "; a larger batch hides it",
    "entry": "; a larger batch hides it",
    "graph-break": "",
    "guards": "",
    "wrappers": "",
    "autograd": "",
}
_GRAPHED = frozenset({"reduce-overhead", "max-autotune"})


def host_gains(  # noqa: PLR0913 - what the advice depends on
    budget: Budget,
    work: Sequence[KernelTiming],
    mode: str,
    *,
    is_cpu: bool,
    is_grad_idle: bool,
    break_lines: Sequence[str],
) -> list[Gain]:
    """What could be won there, in no order.

    Args:
        budget: Where the time goes.
        work: The statements.
        mode: The mode that was compiled with, or an empty string.
        is_cpu: Whether it ran on the CPU: then nothing is launched.
        is_grad_idle: Whether gradients were on for nothing.
        break_lines: Where graphs break.
    """
    first = ", ".join(break_lines[:_MOST_BREAKS])
    lines = f" ({first}{and_more(_MOST_BREAKS, break_lines)})" if break_lines else ""
    hosts_work = {
        cause: (what, change.format(lines=lines)) for cause, (what, change) in _HOSTS_WORK.items()
    }
    found = (
        _of_host(budget, hosts_work, is_grad_idle=is_grad_idle)
        if is_cpu
        else _of_idle(budget, work, mode, hosts_work)
    )
    return [_of_one_graph(gain) for gain in found] if _runs_of_graphs(work) == 1 else list(found)


def _runs_of_graphs(work: Iterable[KernelTiming]) -> int:
    """How many compiled graphs run in a call: one that runs twice, in a loop, counts twice.

    A forward pass and its backward pass are one. Graphs without any work are not seen.
    """
    statements = collections.Counter(
        (launch.code.compile_id, launch.code.direction, launch.launch.place.line)
        for item in work
        for launch in item.launches[:1]
        if launch.code is not None
    )
    runs: dict[str, int] = {}
    for (compile_id, _, _), number in statements.items():
        runs[compile_id] = max(runs.get(compile_id, 0), number)
    return sum(runs.values())


def _of_one_graph(gain: Gain) -> Gain:
    """The gain where there cannot be fewer graphs."""
    return dataclasses.replace(gain, change=gain.change.removeprefix(_FEWER))


def _of_idle(
    budget: Budget, work: Sequence[KernelTiming], mode: str, hosts_work: _HostsWork
) -> Iterator[Gain]:
    """What a GPU waits for."""
    causes = budget.causes_ns
    launching = causes.get("launching", 0.0)
    if launching:
        yield _launching(launching, work, mode)
    for cause, (what, change) in hosts_work.items():
        if causes.get(cause):
            yield Gain(f"the GPU waits while {what}", causes[cause], f"{change}{_HIDES[cause]}")
    if budget.host_copies_ns:
        yield Gain(
            "the GPU does nothing but copy from or to the host",
            budget.host_copies_ns,
            "keep the data on the GPU, or copy the next one meanwhile: from pinned memory, with "
            "non_blocking=True, on a stream of its own",
        )
    if causes.get("synchronisation"):
        yield Gain(
            "the GPU has nothing queued, because the host waited for it (`.item()`, a copy to the "
            "host, memory that is allocated)",
            causes["synchronisation"],
            "keep values on the GPU, and copy without waiting",
        )


def _of_host(budget: Budget, hosts_work: _HostsWork, *, is_grad_idle: bool) -> Iterator[Gain]:
    """What a CPU does beside its kernels."""
    launching = budget.causes_ns.get("launching")
    if launching:
        yield Gain(
            "generated Python calls kernels, and makes and frees tensors for them",
            launching,
            f"torch._inductor.config.cpp_wrapper = True calls them from C++; {_LARGER}",
        )
    for cause, (what, change) in hosts_work.items():
        if budget.causes_ns.get(cause):
            is_autograds = cause == "wrappers" and is_grad_idle
            less = "; calls under torch.no_grad() have less of it, too" if is_autograds else ""
            less = (
                "; fewer calls, with a larger batch each, have less" if cause == "entry" else less
            )
            yield Gain(what, budget.causes_ns[cause], f"{change}{less}")


def _launching(time_ns: float, work: Sequence[KernelTiming], mode: str) -> Gain:
    """What is launched kernel by kernel, and how much of it CUDA graphs could launch."""
    single = [item for each in work for item in each.launches if not item.launch.is_replayed]
    within = [item for item in single if item.code is not None]
    graphs = len({id(item.code) for item in within})
    outside = len(single) - len(within)
    launches = "kernel" if len(single) == 1 else "kernels"
    if not single:
        return Gain("the GPU waits for the host to launch CUDA graphs", time_ns, _LARGER)
    what = f"the GPU waits for the host to launch {len(single)} {launches}, one by one"
    if not within:
        return Gain(what, time_ns, f"they are in no compiled graph; {_LARGER}")
    if len(single) < sum(len(each.launches) for each in work) / 2:
        others = f", and {len(single)} {launches} beside them"
        return Gain(f"the GPU waits for the host to launch CUDA graphs{others}", time_ns, _LARGER)
    if mode in _GRAPHED:
        return Gain(what, time_ns, "CUDA graphs were skipped: `inspect explain` says why")
    parts = (
        "the compiled graph as a CUDA graph"
        if graphs == 1
        else f"the {graphs} compiled graphs as CUDA graphs"
    )
    if not outside and graphs == 1:
        parts = "all of them as one CUDA graph"
    change = f'mode="reduce-overhead" launches {parts}'
    if outside:
        change += f", and {outside} of them stay outside"
    return Gain(what, time_ns, f"{change}; {_LARGER}, too")


_LARGER = "a larger batch hides it"
