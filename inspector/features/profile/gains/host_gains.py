"""What could be won of what the host does: launches, guards, Python and torch around graphs."""

from collections.abc import Iterator, Sequence

from inspector.features.profile.budget import Budget
from inspector.features.profile.gain import Gain
from inspector.features.profile.kernel_timing import KernelTiming
from inspector.report.wording import count, listed

_LARGER = "use a larger batch"
_FEWER = "use fewer and larger graphs, or a larger batch"
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
    "wrappers": ("torch's own code around compiled graphs", "{larger}"),
    "autograd": ("autograd between compiled graphs, and gradient accumulation", "{larger}"),
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
) -> Iterator[Gain]:
    """What could be won there, in no order."""
    causes = budget.causes_ns
    if causes.get("launching"):
        time_ns = causes["launching"]
        yield _python(time_ns) if is_cpu else _launching(time_ns, work, mode)
    codes = [launch.code for item in work for launch in item.launches]
    is_one = len({code.compile_id for code in codes if code is not None}) == 1
    larger = _LARGER if is_one else _FEWER
    lines = f" ({listed(break_lines, _MOST_LINES)})" if break_lines else ""
    waits = "" if is_cpu else "the GPU waits for "
    for cause, (what, change) in _HOSTS_WORK.items():
        if causes.get(cause):
            known = change.format(lines=lines, larger=larger)
            yield Gain(f"{waits}{what}", causes[cause], known)
    if budget.host_copies_ns:
        yield Gain(
            "the GPU only copies data from or to the host",
            budget.host_copies_ns,
            "keep the data on the GPU, or prefetch it from pinned memory with non_blocking=True on "
            "another stream",
        )
    if causes.get("synchronisation") and not is_cpu:
        yield Gain(
            "the GPU is idle after the host waited for it (`.item()`, a copy to the host, an "
            "allocation)",
            causes["synchronisation"],
            "keep values on the GPU, and copy with non_blocking=True",
        )


def _python(time_ns: float) -> Gain:
    return Gain(
        "generated Python calls kernels, and allocates and frees their tensors",
        time_ns,
        f"set torch._inductor.config.cpp_wrapper = True; {_LARGER}",
    )


def _launching(time_ns: float, work: Sequence[KernelTiming], mode: str) -> Gain:
    """What is launched kernel by kernel, and how much of it CUDA graphs could launch."""
    single = [item for each in work for item in each.launches if not item.launch.is_replayed]
    within = [item for item in single if item.code is not None]
    graphs = len({id(item.code) for item in within})
    outside = len(single) - len(within)
    if len(single) < sum(len(each.launches) for each in work) / 2:
        others = f", and {count(len(single), 'kernel')}" if single else ""
        return Gain(f"the GPU waits for the launch of CUDA graphs{others}", time_ns, _LARGER)
    what = f"the GPU waits for {count(len(single), 'kernel launch', 'kernel launches')}"
    if not within:
        return Gain(what, time_ns, f"compile the code that launches them; {_LARGER}")
    if mode in _GRAPHED:
        return Gain(what, time_ns, "fix the skipped CUDA graphs (see `inspect explain`)")
    parts = "one CUDA graph" if graphs == 1 else f"CUDA graphs for the {graphs} compiled graphs"
    rest = f"; {outside} launches stay outside" if outside else ""
    return Gain(what, time_ns, f'use mode="reduce-overhead" ({parts}{rest}), or a larger batch')
