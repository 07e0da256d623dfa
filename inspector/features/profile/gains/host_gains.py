"""What could be won of what the host does: launches, guards, Python and torch around graphs."""

import collections
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.features.profile.budget import Budget
from inspector.features.profile.gain import Gain
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.report.wording import listed

_HostsWork = Mapping[str, tuple[str, str]]
_FEWER = "use fewer and larger graphs, or "
# What the host does beside kernels, and what to change.
_HOSTS_WORK = {
    "outside": (
        "Python code outside compiled graphs",
        "compile what is left of it, or use a larger batch",
    ),
    "graph-break": (
        "Python between compiled graphs",
        "remove the graph breaks{lines}; see `inspect explain`",
    ),
    "guards": ("guard evaluation", "see `inspect guards`"),
    "wrappers": ("torch's own code around compiled graphs", f"{_FEWER}a larger batch"),
    "autograd": (
        "autograd between compiled graphs, and gradient accumulation",
        f"{_FEWER}a larger batch",
    ),
}
_MOST_LINES = 3
_GRAPHED = frozenset({"reduce-overhead", "max-autotune"})


def host_gains(
    budget: Budget,
    work: Sequence[KernelTiming],
    mode: str,
    *,
    is_cpu: bool,
    break_lines: Sequence[str],
) -> list[Gain]:
    """What could be won there, in no order."""
    lines = f" ({listed(break_lines, _MOST_LINES)})" if break_lines else ""
    hosts_work = {
        cause: (what, change.format(lines=lines)) for cause, (what, change) in _HOSTS_WORK.items()
    }
    of_gpu = _of_idle(budget, work, mode, hosts_work)
    found = _of_host(budget, hosts_work) if is_cpu else of_gpu
    if _runs_of_graphs(work) != 1:
        return list(found)
    # There cannot be fewer graphs.
    return [dataclasses.replace(gain, change=gain.change.replace(_FEWER, "use ")) for gain in found]


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


def _of_idle(
    budget: Budget, work: Sequence[KernelTiming], mode: str, hosts_work: _HostsWork
) -> Iterator[Gain]:
    causes = budget.causes_ns
    launching = causes.get("launching", 0.0)
    if launching:
        yield _launching(launching, work, mode)
    for cause, (what, change) in hosts_work.items():
        if causes.get(cause):
            yield Gain(f"the GPU waits for {what}", causes[cause], change)
    if budget.host_copies_ns:
        yield Gain(
            "the GPU only copies data from or to the host",
            budget.host_copies_ns,
            "keep the data on the GPU, or prefetch it from pinned memory with non_blocking=True on "
            "another stream",
        )
    if causes.get("synchronisation"):
        yield Gain(
            "the GPU is idle after the host waited for it (`.item()`, a copy to the host, an "
            "allocation)",
            causes["synchronisation"],
            "keep values on the GPU, and copy with non_blocking=True",
        )


def _of_host(budget: Budget, hosts_work: _HostsWork) -> Iterator[Gain]:
    launching = budget.causes_ns.get("launching")
    if launching:
        yield Gain(
            "generated Python calls kernels, and allocates and frees their tensors",
            launching,
            f"set torch._inductor.config.cpp_wrapper = True; {_LARGER}",
        )
    for cause, (what, change) in hosts_work.items():
        if budget.causes_ns.get(cause):
            yield Gain(what, budget.causes_ns[cause], change)


def _launching(time_ns: float, work: Sequence[KernelTiming], mode: str) -> Gain:
    """What is launched kernel by kernel, and how much of it CUDA graphs could launch."""
    single = [item for each in work for item in each.launches if not item.launch.is_replayed]
    within = [item for item in single if item.code is not None]
    graphs = len({id(item.code) for item in within})
    outside = len(single) - len(within)
    launches = "kernel" if len(single) == 1 else "kernels"
    if not single:
        return Gain("the GPU waits for the launch of CUDA graphs", time_ns, _LARGER)
    what = f"the GPU waits for {len(single)} kernel {'launch' if len(single) == 1 else 'launches'}"
    if not within:
        return Gain(what, time_ns, f"compile the code that launches them; {_LARGER}")
    if len(single) < sum(len(each.launches) for each in work) / 2:
        others = f", and {len(single)} {launches}"
        return Gain(f"the GPU waits for the launch of CUDA graphs{others}", time_ns, _LARGER)
    if mode in _GRAPHED:
        return Gain(what, time_ns, "fix the skipped CUDA graphs (see `inspect explain`)")
    parts = (
        "a CUDA graph for the compiled graph"
        if graphs == 1
        else f"CUDA graphs for the {graphs} compiled graphs"
    )
    if not outside and graphs == 1:
        parts = "one CUDA graph"
    rest = f"; {outside} launches stay outside" if outside else ""
    return Gain(what, time_ns, f'use mode="reduce-overhead" ({parts}{rest}), or a larger batch')


_LARGER = "use a larger batch"
