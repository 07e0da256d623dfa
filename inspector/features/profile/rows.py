"""The rows of a profile's tables, the same in every format: by kernel, line, operator, module."""

from collections.abc import Iterator, Mapping, Sequence

from inspector.features.graph.wording import TIMES
from inspector.features.profile.ceiling_wording import rate
from inspector.features.profile.gains.library_gains import exposed_ns
from inspector.features.profile.kernel_groups import KernelGroup, kernel_groups
from inspector.features.profile.kernel_timing import Bound, KernelTiming, limit_of
from inspector.features.profile.library_names import shown_name
from inspector.features.profile.nsight_compute import counter_texts
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.slowdown_wording import OUTSIDE
from inspector.report.file_names import PlacedRow, line_texts, short_names
from inspector.report.wording import duration, size
from inspector.shared.units import percent

_DISTURBED = 1.5  # the mean by the median: other programs took the processor
_KINDS = {
    "kernel": "generated",
    "user_kernel": "user-defined",
    "library": "library",
    "eager": "eager",
    "copy": "copy",
    "loss": "the --train loss",
    "wrapper": "around compiled graphs",
    "unknown": "unknown",
}


def kernel_rows(found: Profiled) -> Iterator[PlacedRow]:
    """Equal statements, what takes longest first.

    Yields:
        The name, the time in a call, its share of all work, what limits it, what it moves and how
        it is launched, and the user's lines (``model.py:31`` and the text of each).
    """
    whole = found.whole_ns or 1.0
    names = short_names(found.files)
    for row in kernel_groups(found.work):
        # Of statements that name and free things it is chance which of them are seen.
        is_counted = row.number > 1 and row.first.kind != "wrapper"
        yield (
            f"{row.number}{TIMES} {_shown(row.first)}" if is_counted else _shown(row.first),
            duration(row.time_ns),
            f"{row.time_ns / whole:.1%}",
            " · ".join(_summary(row, found.work)),
            " · ".join(_detail(row)),
            line_texts(row.lines, names, found.code),
        )


def _detail(row: KernelGroup) -> Iterator[str]:
    work = row.first
    modules = row.modules
    if work.kind != "wrapper":
        yield from _each(row)
    if modules:
        yield f"in {modules[0]}" + (f" +{len(modules) - 1}" if len(modules) > 1 else "")
    if work.functionalized_operator:
        yield f"a copy, because {work.functionalized_operator} works in place"
    elif work.operators:
        shown = ", ".join(work.operators[:4])
        yield shown + (f" +{len(work.operators) - 4}" if len(work.operators) > 4 else "")  # noqa: PLR2004
    yield from _rates(row)
    counted = list(counter_texts(work))
    if counted:
        yield f"counted: {', '.join(counted)}"
    launch = work.longest_launch.launch
    if work.kind == "library" and launch.kind == "kernel":
        yield shown_name(launch.name)
    if launch.grid:
        grid, block = (TIMES.join(map(str, sizes)) for sizes in (launch.grid, launch.block))
        yield f"grid {grid}, block {block}, {launch.registers} registers"


def _summary(row: KernelGroup, work_of_call: Sequence[KernelTiming]) -> Iterator[str]:
    work = row.first
    yield _KINDS.get(work.kind, work.kind)
    if work.bound is Bound.LATENCY:
        yield "takes no longer than an empty kernel"
    elif work.bound is Bound.PROCESSES:
        yield f"waits for other processes, {duration(exposed_ns(work_of_call, row.all_))} exposed"
    elif row.share_of_ceiling is not None and row.is_possible:
        peak = f"{work.unit} peak" if work.bound is Bound.COMPUTE else limit_of(work)
        yield f"{percent(row.share_of_ceiling)} of {peak}"


def _each(row: KernelGroup) -> Iterator[str]:
    """What one of them takes; where that is chance, what the mean does not say."""
    each, usual = (duration(time_ns / row.number) for time_ns in (row.time_ns, row.median_ns))
    if row.time_ns > _DISTURBED * row.median_ns:
        yield f"{each} each on average, median {usual}" if row.number > 1 else f"median {usual}"
    elif row.number > 1:
        yield f"{each} each"


def _rates(row: KernelGroup) -> Iterator[str]:
    work = row.first
    if work.bound is Bound.LATENCY:
        yield size(work.bytes_ or 0)
        return
    if work.bytes_ and row.median_ns:
        per_s = work.bytes_ * row.number / row.median_ns * 1e9
        yield f"{size(work.bytes_)}, {rate(per_s, 'B/s')}"
    if work.bound is Bound.PROCESSES:
        return
    if work.flops and row.median_ns:
        yield rate(work.flops * row.number / row.median_ns * 1e9, "FLOP/s")
    if row.share_of_ceiling is not None and not row.is_possible:
        yield f"faster than the measured {limit_of(work)}"


def _shown(work: KernelTiming) -> str:
    """A name; that of a kernel of PyTorch's own without its types, by its operator."""
    is_generated = work.kind not in {"eager", "loss", "unknown", "wrapper"}
    if is_generated or not work.launches[0].launch.grid:
        return work.name
    operators = f" ({', '.join(work.operators)})" if work.operators else ""
    return shown_name(work.name) + operators


def line_rows(found: Profiled) -> Iterator[tuple[str, str, float, str]]:
    """Time by the user's line: the place, the time, its share of all work, and its text.

    On the CPU all work is the whole call: what no statement accounts for has a row, too.
    """
    whole = found.whole_ns or 1.0
    names = short_names(found.files)
    rows = [
        (time_ns, f"{names[file]}:{line}", found.code.get((file, line), ""))
        for (file, line), time_ns in found.by_line.items()
    ]
    lost = whole * (1 - found.attributed) - found.outside_ns
    for name, time_ns in (("unknown line", lost), (OUTSIDE, found.outside_ns)):
        if found.work and time_ns > whole / 1000:
            rows.append((time_ns, f"({name})", ""))
    for time_ns, place, code in sorted(rows, key=lambda row: -row[0]):
        yield place, duration(time_ns), time_ns / whole, code


def share_rows(found: Profiled, times: Mapping[str, float]) -> Iterator[tuple[str, str, float]]:
    """Time by operator, or by module: the name, the time, and its share of all work."""
    whole = found.whole_ns or 1.0
    rows = [(time_ns, name) for name, time_ns in times.items()]
    lost = whole - sum(times.values())
    if times and lost > whole / 1000:
        rows.append((lost, "(unknown)"))
    for time_ns, name in sorted(rows, key=lambda row: -row[0]):
        yield name, duration(time_ns), time_ns / whole
