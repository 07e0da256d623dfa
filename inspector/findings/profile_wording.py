"""How a report on profiles says things, the same in every format."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from inspector.events.device_profile import InspectorCeilings
from inspector.findings.graph_wording import TIMES
from inspector.findings.memory_wording import memory_verdict
from inspector.findings.profile_report import Profiled
from inspector.findings.wording import count, duration, size
from inspector.profiles.counted import counter_texts
from inspector.profiles.verdict import hot
from inspector.profiles.work import Bound, Work

__all__ = [
    "CAUSES",
    "WorkLine",
    "ceiling_lines",
    "gain_lines",
    "headline",
    "idle_parts",
    "line_rows",
    "verdict_lines",
    "work_lines",
]

CAUSES = {
    "launching": "host launching kernels",
    "wrappers": "torch around compiled graphs",
    "guards": "guards",
    "graph-break": "Python between graphs",
    "synchronisation": "host waited for the GPU",
    "autograd": "autograd",
    "outside": "outside of compiled code",
    "launch-latency": "launched, not begun",
    "end": "done, not noticed yet",
    "unknown": "not known why",
}
_MOST_GAINS = 3
_LONGEST = 48
_TERA = 1e12
_NO_DIFFERENCE = 1.0
_KINDS = {
    "kernel": "generated",
    "user_kernel": "the program's own",
    "library": "library",
    "eager": "eager",
    "copy": "copy",
    "loss": "the sum that --train adds up",
    "unknown": "unknown",
}
_RATES = (
    ("copy_bytes_per_s", "memory, copied"),
    ("read_bytes_per_s", "memory, read"),
    ("l2_bytes_per_s", "L2 cache, copied"),
    ("host_to_device_bytes_per_s", "host to device"),
)


@dataclasses.dataclass(frozen=True, slots=True)
class WorkLine:
    """Equal statements, in one line.

    Attributes:
        name: The name.
        number: How many there are in a call.
        time: Their time in a call.
        share: Of the time of all work.
        detail: What it moves and computes, against what is possible.
        places: The user's lines, ``model.py:31`` and the text of each.
    """

    name: str
    number: int
    time: str
    share: float
    detail: str
    places: tuple[tuple[str, str], ...]


def verdict_lines(found: Profiled) -> Iterator[str]:
    """The verdict: faster or slower, what the time is spent on, and the next largest gain."""
    budget = found.budget
    if budget.faster is not None and budget.eager_ns:
        low, ratio, high = budget.faster
        both = f"{duration(round(budget.eager_ns))} → {duration(round(budget.wall_ns))} per call"
        if low <= _NO_DIFFERENCE <= high:
            yield f"no difference to eager PyTorch beyond noise ({both})"
        elif ratio > 1:
            yield f"{ratio:.2f} times as fast as eager PyTorch ({both}; {low:.2f} to {high:.2f})"
        else:
            yield f"{1 / ratio:.2f} times as slow as eager PyTorch ({both})"
            yield from _gap(found)
    else:
        yield f"{duration(round(budget.wall_ns))} per call"
    if not found.is_cpu:
        yield (
            f"the GPU works {budget.busy_share:.0%} of a call "
            f"({duration(round(budget.busy_ns))} of {duration(round(budget.wall_ns))})"
        )
    yield from _spent(found)
    yield from memory_verdict(found)
    if found.gains:
        gain = found.gains[0]
        whole = duration(round(budget.wall_ns))
        yield (
            f"the next largest gain: up to {duration(round(gain.time_ns))} of {whole}, because "
            f"{gain.what}: {gain.change}"
        )


def _spent(found: Profiled) -> Iterator[str]:
    rows = hot(found.work)
    if not rows or not found.work_ns:
        return
    work, number, time_ns = rows[0]
    where = "GPU's time" if not found.is_cpu else "time"
    runs = f"{number} runs of {_shown(work)}" if number > 1 else _shown(work)
    limit = _limit(work)
    yield f"{time_ns / found.work_ns:.0%} of the {where} is in {runs}{limit}"


def _limit(work: Work) -> str:
    share = work.share_of_ceiling
    if share is None or work.bound in {Bound.UNKNOWN, Bound.LATENCY}:
        return ""
    what = "memory bandwidth" if work.bound is Bound.MEMORY else "arithmetic"
    return f", at {min(share, 1):.0%} of the machine's {what}"


def _gap(found: Profiled) -> Iterator[str]:
    """Why compiled is slower: what the device does more, and what it waits more; they add up."""
    budget = found.budget
    if budget.eager_ns is None or budget.eager_busy_ns is None:
        return
    more_work = budget.busy_ns - budget.eager_busy_ns
    more_idle = budget.idle_ns - max(0.0, budget.eager_ns - budget.eager_busy_ns)
    parts = [f"kernels {_signed(more_work)}", f"GPU idle {_signed(more_idle)}"]
    launches = f"{budget.launches} launches instead of {budget.eager_launches}"
    yield f"the difference of {_signed(more_work + more_idle)}: {', '.join(parts)}; {launches}"


def _signed(time_ns: float) -> str:
    return f"{'+' if time_ns >= 0 else '-'}{duration(round(abs(time_ns)))}"


def gain_lines(found: Profiled) -> Iterator[tuple[str, str, str]]:
    """What could be won: up to how much, why it is lost, and what to change."""
    for gain in found.gains[:_MOST_GAINS]:
        yield f"up to {duration(round(gain.time_ns))}", gain.what, gain.change


def idle_parts(found: Profiled) -> list[tuple[str, float]]:
    """The call as parts of 1: the device's work first, then why it is idle."""
    budget = found.budget
    if not budget.wall_ns:
        return []
    parts = [("GPU works" if not found.is_cpu else "kernels", budget.busy_share)]
    names = {name: CAUSES.get(name, name) for name in budget.causes_ns}
    if found.is_cpu:
        names = {"unknown": "around kernels"}
    return parts + [
        (names[name], time_ns / budget.wall_ns) for name, time_ns in budget.causes_ns.items()
    ]


def work_lines(found: Profiled) -> list[WorkLine]:
    """The work by kernel, what takes longest first."""
    whole = found.work_ns or 1.0
    return [
        WorkLine(
            name=_shown(work),
            number=number,
            time=duration(round(time_ns)),
            share=time_ns / whole,
            detail=" · ".join(_detail(work, number)),
            places=_places(work),
        )
        for work, number, time_ns in hot(found.work)
    ]


def _detail(work: Work, number: int) -> Iterator[str]:
    yield _KINDS.get(work.kind, work.kind)
    if number > 1:
        yield f"{duration(round(work.median_ns))} each"
    if work.operators:
        shown = ", ".join(work.operators[:4])
        yield shown + (f" +{len(work.operators) - 4}" if len(work.operators) > 4 else "")  # noqa: PLR2004
    if work.bytes_per_s is not None and work.bytes_ is not None:
        yield f"{size(work.bytes_)}, {_rate(work.bytes_per_s)}"
    if work.flops_per_s is not None:
        yield f"{work.flops_per_s / 1e12:.1f} TFLOP/s"
    share = work.share_of_ceiling
    if work.bound is Bound.LATENCY:
        yield "as short as a launch"
    elif share is not None:
        what = "bandwidth" if work.bound is Bound.MEMORY else f"{work.unit} peak"
        yield f"{share:.0%} of {what}" if share <= 1 else f"all of {what}"
    counted = list(counter_texts(work))
    if counted:
        yield f"counted: {', '.join(counted)}"
    launch = work.main.launch
    if work.kind == "library" and launch.kind == "kernel":
        yield _kernel_name(launch.name)
    if launch.grid:
        grid, block = (TIMES.join(map(str, sizes)) for sizes in (launch.grid, launch.block))
        yield f"grid {grid}, block {block}, {launch.registers} registers"


def _shown(work: Work) -> str:
    """A name; that of a kernel of PyTorch's own without its types, by its operator."""
    if work.kind not in {"eager", "loss", "unknown"} or not work.launches[0].launch.grid:
        return work.name
    operators = f" ({', '.join(work.operators)})" if work.operators else ""
    return _kernel_name(work.name) + operators


def _kernel_name(name: str) -> str:
    """A library's kernel without its types and arguments, which fill lines."""
    short = name.removeprefix("void ").partition("<")[0].partition("(")[0]
    return short if len(short) <= _LONGEST else f"{short[: _LONGEST - 1]}…"


def _places(work: Work) -> tuple[tuple[str, str], ...]:
    found = {f"{line.file.rpartition('/')[2]}:{line.line}": line.code for line in work.lines}
    return tuple(found.items())


def line_rows(found: Profiled) -> Iterator[tuple[str, str, float]]:
    """Time by the user's line: the place, the time, and its share of all work."""
    whole = found.work_ns or 1.0
    for (file, line), time_ns in found.by_line.items():
        yield f"{file.rpartition('/')[2]}:{line}", duration(round(time_ns)), time_ns / whole
    lost = whole * (1 - found.attributed)
    if found.work and lost > whole / 1000:
        yield "(no line known)", duration(round(lost)), 1 - found.attributed


def ceiling_lines(ceilings: InspectorCeilings) -> Iterator[tuple[str, str]]:
    """What the machine can do, and in which state it was."""
    rates = [
        f"{what} {_rate(ceilings.values[key])}" for key, what in _RATES if key in ceilings.values
    ]
    yield "measured", ", ".join(rates)
    peaks = [
        f"{name.removesuffix('_flops_per_s')} {_tera(rate)}"
        for name, rate in ceilings.values.items()
        if name.endswith("_flops_per_s")
    ]
    if peaks:
        yield "matrix products", f"{', '.join(peaks)} TFLOP/s"
    if "launch_ns" in ceilings.values:
        yield "a launch", f"{duration(round(ceilings.values['launch_ns']))} of the host's time"
    if ceilings.state:
        state = ", ".join(f"{name} {value}" for name, value in ceilings.state.items())
        yield "then", state


def _rate(bytes_per_s: float) -> str:
    if bytes_per_s >= _TERA:
        return f"{bytes_per_s / _TERA:.2f} TB/s"
    return f"{bytes_per_s / 1e9:.1f} GB/s"


def _tera(rate: float) -> str:
    return f"{rate / _TERA:,.0f}" if rate >= 10 * _TERA else f"{rate / _TERA:.2f}"


def headline(found: Profiled, number: int) -> str:
    """What was profiled: ``input 1: 133 launches in 53 kernels and calls``."""
    device = str(found.profile.device.get("name") or found.profile.device.get("kind") or "")
    which = f"input {found.profile.input + 1}: " if number > 1 else ""
    calls = count(found.budget.calls, "call")
    launches = sum(len(item.launches) for item in found.work)
    return f"{which}{device} · {count(launches, 'launch', 'launches')} · {calls} timed"
