"""How a report on profiles says things, the same in every format: its verdict and its bar."""

from collections.abc import Iterable, Iterator

from inspector.features.graph.wording import TIMES
from inspector.features.profile.budget import Budget
from inspector.features.profile.gain import Gain
from inspector.features.profile.kernel_groups import KernelGroup
from inspector.features.profile.kernel_timing import Bound, KernelTiming, limit_of
from inspector.features.profile.memory_wording import memory_verdict
from inspector.features.profile.profiled import Profiled
from inspector.features.profile.slowdown_wording import (
    COPIED,
    WORK_ON_CPU,
    cause_name,
    is_noise,
    is_within_noise,
    slowdown_lines,
)
from inspector.records.device_profile import ProfiledArgument
from inspector.report.wording import count, duration, listed
from inspector.shared.units import percent

_MOST_GAINS = 3
_NO_DIFFERENCE = 1.0
_NOTICED = 0.01  # of a call
_MOST_ARGUMENTS = 4
_APART = 1.0  # From here on no percentage says it.
_SAID = 0.005  # of all work: less is 0 %
_GRAD_IDLE = (
    "Gradients are enabled but no backward pass runs: pass --no-grad for inference, or --train"
)
_TO = "\N{EN DASH}"


def verdict_lines(found: Profiled) -> Iterator[str]:
    """The verdict: faster or slower, what the time is spent on, and the next largest gain."""
    if found.limited:
        yield found.limited
    if _is_without_kernels(found):
        yield _without_kernels(found)
    yield from _compared(found)
    yield from _spends(found)
    yield from memory_verdict(found)
    yield from _next_gain(found)
    if found.breaks and not _is_all_eager(found):
        yield f"Graphs break at {listed(found.breaks)}: run `inspect explain`"
    if found.is_grad_idle:
        yield _GRAD_IDLE


def _is_without_kernels(found: Profiled) -> bool:
    return bool(found.work) and not any(item.code for item in found.work)


def _is_all_eager(found: Profiled) -> bool:
    return _is_without_kernels(found) and not found.graphs


def _without_kernels(found: Profiled) -> str:
    if not found.graphs:
        where = f"; Dynamo gives up at {listed(found.breaks)}" if found.breaks else ""
        return f"No compiled graph ran: this is eager PyTorch{where}. Run `inspect explain`"
    graphs = count(found.graphs, "graph")
    return (
        f"No kernels from {graphs} ran: guards fail (see `inspect guards`), or the backend runs "
        "each operator eagerly"
    )


def time_lines(found: Profiled) -> Iterator[str]:
    """What the time is spent on, for those who have compared it better than a profile does."""
    yield from _spends(found)
    yield from _next_gain(found)


def _spends(found: Profiled) -> Iterator[str]:
    """Why compiled is slower, where it is, and what the time of a call is spent on."""
    budget = found.budget
    if budget.faster is not None and budget.faster[2] < _NO_DIFFERENCE:
        yield from slowdown_lines(found)
    if not found.is_cpu and budget.is_seen:
        yield _works(budget)
    yield from _spent(found)


def _next_gain(found: Profiled) -> Iterator[str]:
    if is_noise(found):
        yield "Timings are too noisy for advice: measure again on an idle machine"
        return
    gain = largest_gain(found)
    if gain is None:
        return
    time, whole = duration(gain.time_ns), duration(found.budget.wall_ns)
    if gain.is_known:
        yield f"Largest opportunity, up to {time} of {whole}: {gain.what}. Fix: {gain.change}"
    else:
        yield f"No known fix for the largest cost, up to {time} of {whole}: {gain.what}"


def largest_gain(found: Profiled) -> Gain | None:
    """The one that the verdict names: the largest that has a fix, if any has."""
    if is_noise(found) or not found.gains or (_is_all_eager(found) and found.breaks):
        return None
    return next((item for item in found.gains if item.is_known), found.gains[0])


def _compared(found: Profiled) -> Iterator[str]:
    budget = found.budget
    if budget.faster is None or not budget.eager_ns:
        yield f"{duration(budget.wall_ns)} per call"
        return
    low, ratio, high = budget.faster
    both = f"{duration(budget.eager_ns)} → {duration(budget.wall_ns)} per call"
    if is_within_noise(found):
        vary = f"{1 + (budget.spread or 0):.2g}{TIMES}"
        yield f"Timings vary by {vary}, too much for a comparison with eager ({both})"
        return
    spread = budget.spread or 0.0
    vary = f"{spread:.0%}" if spread < _APART else f"{1 + spread:.3g}{TIMES}"
    sure = "" if budget.is_stable else f"; timings vary by {vary}"
    between = f"{low:.2f}{_TO}{high:.2f}{TIMES}{sure}"
    # Where nothing was compiled it is as good as chance which of the two is faster.
    is_near = low <= _NO_DIFFERENCE <= high
    if (is_near or _is_all_eager(found)) and is_noise(found):
        yield f"Timings are too noisy for a comparison with eager: {both} ({between})"
    elif is_near:
        yield f"No measurable difference from eager: {both} ({between})"
    elif is_noise(found):
        word = "Faster" if ratio > 1 else "Slower"
        yield f"{word} than eager, by an uncertain factor: {both} ({between})"
    elif ratio > 1:
        yield f"{ratio:.2f}{TIMES} faster than eager: {both} ({between})"
    else:
        between = f"{1 / high:.2f}{_TO}{1 / low:.2f}{TIMES}{sure}"
        yield f"{1 / ratio:.2f}{TIMES} slower than eager: {both} ({between})"


def _works(budget: Budget) -> str:
    of_wall = f"of {duration(budget.wall_ns)}"
    if len(budget.busy_by_device_ns) < 2:  # noqa: PLR2004
        time, copies = duration(budget.busy_ns), budget.host_copies_ns
        alone = f"; {duration(copies)} of this are copies from or to the host"
        return f"GPU busy {budget.busy_share:.0%} of the call ({time} {of_wall})" + (
            alone if copies >= _NOTICED * budget.wall_ns else ""
        )
    each = ", ".join(
        f"cuda:{device} {duration(time_ns)}" for device, time_ns in budget.busy_by_device_ns.items()
    )
    return f"GPUs busy {budget.busy_share:.0%} of the call ({each}, {of_wall})"


def _spent(found: Profiled) -> Iterator[str]:
    """Which operator takes most, and how near it is to what it could reach."""
    if not found.by_operator or not found.whole_ns:
        return
    name, time_ns = next(iter(found.by_operator.items()))
    if time_ns < _SAID * found.whole_ns:
        return
    rows = KernelGroup(tuple(item for item in found.work if _main_operator(item) == name))
    where = "the time" if found.is_cpu else "GPU time"
    share = f"{time_ns / found.whole_ns:.0%} of {where}"
    if rows.number > 1:
        yield f"{rows.number} `{name}` kernels take {share}{_limit(rows)}"
    else:
        yield f"`{name}` takes {share}{_limit(rows)}"


def _main_operator(work: KernelTiming) -> str:
    parts: dict[str, float] = {}
    for part in work.longest_launch.parts:
        name = part.name
        parts[name] = parts.get(name, 0.0) + part.share
    return max(parts, key=parts.__getitem__) if parts else ""


def _limit(row: KernelGroup) -> str:
    if not row.all_ or row.share_of_ceiling is None or not row.is_possible:
        return ""
    bounds = {item.bound for item in row.all_}
    if bounds == {Bound.LATENCY}:
        return ""
    peak = limit_of(row.first) if len(bounds) == 1 else "peak"
    return f", at {percent(row.share_of_ceiling)} of {peak}"


def gain_lines(gains: Iterable[Gain]) -> Iterator[str]:
    """Up to how much could be won, why it is lost, and what to change."""
    for gain in gains:
        once = " of GPU time, once the GPU no longer waits for the host" if gain.is_hidden else ""
        fix = "Fix" if gain.is_known else "No known fix"
        yield f"up to {duration(gain.time_ns)}{once}: {gain.what}. {fix}: {gain.change}"


def further_gains(found: Profiled) -> list[Gain]:
    """The largest of each fix but the verdict's; at most one, the last, has no fix."""
    if is_noise(found):
        return []
    largest = largest_gain(found)
    by_fix: dict[str, Gain] = {}
    for gain in sorted(found.gains, key=lambda item: (item is not largest, not item.is_known)):
        by_fix.setdefault(gain.change if gain.is_known else "", gain)
    return [item for item in by_fix.values() if item is not largest][:_MOST_GAINS]


def idle_parts(found: Profiled) -> list[tuple[str, float]]:
    """The call as parts of 1: the device's work first, copies it waits for, why it is idle."""
    budget = found.budget
    if not budget.wall_ns or not budget.is_seen:
        return []
    copies = budget.host_copies_ns / budget.wall_ns
    works = WORK_ON_CPU if found.is_cpu else "GPU busy"
    parts = [(works, budget.busy_share - copies)]
    if copies:
        parts.append((COPIED, copies))
    return parts + [
        (cause_name(name, is_cpu=found.is_cpu), time_ns / budget.wall_ns)
        for name, time_ns in budget.causes_ns.items()
    ]


def headline(found: Profiled, number: int) -> str:
    """What was profiled: ``input 1 (8 float32): cpu · 133 launches · 730 calls timed``."""
    device = str(found.profile.device.get("name") or found.profile.device.get("kind") or "")
    given = listed([_argument(item) for item in found.profile.arguments], _MOST_ARGUMENTS)
    which = f"input {found.profile.input + 1}" if number > 1 else "input" if given else ""
    which += (f" ({given})" if given else "") + (": " if which else "")
    calls = count(found.budget.calls, "call")
    parts = [device]
    # Before any call was watched nothing is known of what it launches.
    if found.launches or (found.budget.is_seen and not found.operators):
        replayed = sum(item.launch.is_replayed for work in found.work for item in work.launches)
        graphs = f" ({replayed} in CUDA graphs)" if replayed else ""
        parts.append(count(found.launches, "launch", "launches") + graphs)
    if found.operators:
        where = "" if found.graphs and not found.launches else " outside compiled graphs"
        parts.append(f"{count(found.operators, 'operator')}{where}")
    return which + " · ".join([*parts, f"{calls} timed"])


def _argument(item: ProfiledArgument) -> str:
    if not item.dtype:
        return item.value
    return f"{TIMES.join(map(str, item.size)) or 'scalar'} {item.dtype}"
