"""Times what a compiled target does in place: in its own calls, under the profiler.

In each of several rounds calls are made that nobody watches, calls in which the device alone is
watched, which slows the host least, and calls without the compiler; every other round in the
reverse order. What changes on the machine meanwhile (clocks, other programs) then meets all kinds
alike, and how far rounds differ says how sure a ratio of the kinds is. At the end come some calls
in which the host is watched, too, which tell what it did while the device had nothing to do, with
the compiler and without: what one waits for more than the other makes the difference.

Going back and forth costs nothing: a stance makes torch call the original code, and throws away
neither compiled code nor guards (`_callback_from_stance` in torch/_dynamo/eval_frame.py, 2.11 to
2.13). CUDA graphs stay, too: each call begins a generation of its own, whoever makes it
(`cudagraph_mark_step_begin`), and the trees look at it again when a compiled function is called.
"""

from __future__ import annotations

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterator, Mapping, Sequence

import torch

from inspector.capture import versions
from inspector.capture.calls.ranks import agreed
from inspector.capture.profiling.device import cuda_devices, uses_cuda, wait
from inspector.capture.profiling.explained import EXPLAINED_CALLS, explain, explained_on_cpu
from inspector.capture.profiling.measured import Measured, Prepared, write_profile
from inspector.capture.profiling.plan import SETTLING, Plan, is_settled, make_plan
from inspector.capture.profiling.sequence import calls_of, cpu_calls, significant
from inspector.capture.profiling.user_lines import is_users, marked_user_lines
from inspector.capture.profiling.wrapper_lines import marked_lines
from inspector.capture.timeline.trace import Launched, Traced, traced
from inspector.capture.writer import guarded
from inspector.records.device_profile import CallBlock, ProfiledArgument
from inspector.shared.out_of_memory import lacks_memory
from inspector.shared.spans import union_ns

_AT_ONCE = 10
_MOST_SETTLING = 200
_LONG_NS = 100_000_000


@dataclasses.dataclass(slots=True)
class Attribution:
    """What closely watched calls launched, and from where.

    Attributes:
        around_replays: What a further call launched around the replays of CUDA graphs.
        is_training: Whether a module of the target was in training mode, or None where the target
            is none.
    """

    launched: list[Launched] = dataclasses.field(default_factory=list)
    around_replays: list[Launched] = dataclasses.field(default_factory=list)
    is_training: bool | None = None


@contextlib.contextmanager
def attributed(found: Attribution, target: Callable[..., object]) -> Iterator[None]:
    """Watches one call closely: its times count for nothing.

    What CUDA graphs would replay is launched kernel by kernel in it: a replay says nothing of where
    its kernels come from. Nothing may compile in it: under Python's tracing that takes several
    times as long.
    """
    if isinstance(target, torch.nn.Module):
        found.is_training = any(module.training for module in target.modules())
    with _closely(found.launched), versions.without_cuda_graphs():
        yield


@contextlib.contextmanager
def replays_attributed(found: Attribution) -> Iterator[None]:
    """Watches one more call closely, which replays CUDA graphs, for what these do not launch.

    Around a replay torch copies inputs into the memory of the graph, which a call without CUDA
    graphs does not do. Where this cannot be watched, the call is made all the same.
    """
    launched: list[Launched] = []
    stack = contextlib.ExitStack()
    watch = "watch the replay of CUDA graphs"
    guarded(watch, lambda: stack.enter_context(_closely(launched)))
    try:
        yield
    finally:
        guarded(watch, stack.close)
    if any(item.is_replayed for item in launched):
        found.around_replays += [item for item in launched if not item.is_replayed]


@contextlib.contextmanager
def _closely(launched: list[Launched]) -> Iterator[None]:
    with_device = uses_cuda()
    with traced(with_device=with_device) as seen, marked_lines(), marked_user_lines(is_users):
        begun_ns = time.time_ns()
        yield
        wait()
        ended_ns = time.time_ns()
    window = (begun_ns, ended_ns)
    if with_device:
        launched += calls_of(seen.trace, [window])[0]
    else:
        launched += cpu_calls(seen.trace, [window])[0]


def profile_in_place(
    index: int,
    runs: tuple[Prepared, Prepared],
    attribution: Attribution,
    arguments: Sequence[ProfiledArgument],
    seconds: float,
) -> None:
    """Measures warm calls and writes ``inspector_device_profile``, also when a call fails.

    Args:
        runs: What prepares a call of the compiled target, and one without the compiler.
        seconds: About how long all rounds take together.
    """
    measured = Measured(_device(), arguments, attribution.is_training)

    def write() -> None:
        kept = measured
        if not uses_cuda():
            kept = dataclasses.replace(measured, launched=significant(measured.launched))
        known = attribution.launched, attribution.around_replays
        write_profile(index, kept, known)

    try:
        _measure(runs, measured, seconds)
    except BaseException as error:  # out of memory, say: what was measured until then is there
        measured.failed(error)
        if measured.unwatched:
            guarded("write measurements", write)
        raise
    write()


def _measure(runs: tuple[Prepared, Prepared], measured: Measured, seconds: float) -> None:
    run, eager = runs
    _settle(measured, "warm-up", run, measured.warm, seconds)
    settled: list[int] = []
    try:
        with _eagerly():
            _settle(measured, "eager", eager, settled, seconds)
    except (MemoryError, RuntimeError) as error:
        # Other ranks of a job would make eager calls, and wait for ours.
        if versions.job() is not None or not lacks_memory(f"{type(error).__name__}: {error}"):
            raise
        # What is compiled can do with less, and is measured without eager calls between.
        measured.failed(error)
        settled.clear()
    plan = Plan(*agreed(list(dataclasses.astuple(make_plan(measured.warm, settled, seconds)))))
    for number in range(plan.rounds):
        _round(number, plan, runs, measured, settled)
    if uses_cuda():
        calls = min(plan.calls, EXPLAINED_CALLS)
        measured.explained = explain("explained", run, (calls, plan.untimed), measured)
    is_short = uses_cuda() or plan.calls > 1  # on the CPU, calls of seconds are not made once more
    if settled and is_short:
        with _eagerly():
            watched = Measured(measured.device)
            how = min(plan.calls, EXPLAINED_CALLS), plan.untimed
            _watch("eager", eager, how, measured, watched)
            launched = watched.launched if uses_cuda() else significant(watched.launched)
            measured.eager_work = [_busy(items) for items in launched]
            measured.eager_copies = [_copied(items) for items in launched]
            measured.eager_watched = watched.watched
            measured.eager_explained = watched.explained
            if uses_cuda():
                measured.eager_explained = explain("eager", eager, how, measured)


def _round(
    number: int,
    plan: Plan,
    runs: tuple[Prepared, Prepared],
    measured: Measured,
    settled: Sequence[int],
) -> None:
    run, eager = runs
    # Calls that take seconds are not made once more for nothing.
    is_made = plan.calls == 1 and number == 0

    def plain() -> None:
        block = CallBlock("plain", number, plan.calls)
        measured.time_block(block, run, plan.untimed, measured.warm[-1:] if is_made else ())

    def watched() -> None:
        _watch("watched", run, (plan.watched, plan.untimed), measured, measured)

    def without() -> None:
        block = CallBlock("eager", number, plan.calls)
        with _eagerly():
            measured.time_block(block, eager, plan.untimed, settled[-1:] if is_made else ())

    parts = [plain, watched, without] if settled else [plain, watched]
    for part in parts if number % 2 == 0 else reversed(parts):
        part()


def _eagerly() -> contextlib.AbstractContextManager[object]:
    stance: contextlib.AbstractContextManager[object] = torch.compiler.set_stance("force_eager")
    return stance


def _settle(
    measured: Measured, kind: str, run: Prepared, times_ns: list[int], seconds: float
) -> None:
    """Calls until the median is stable to 1 %, or it takes too long."""
    began = time.monotonic()
    while True:
        is_long = agreed(not times_ns or times_ns[-1] > _LONG_NS)
        measured.time(kind, run, 1 if is_long else _AT_ONCE, times_ns)
        took = time.monotonic() - began
        is_enough = took > SETTLING * seconds or len(times_ns) >= _MOST_SETTLING
        if agreed(is_settled(times_ns) or is_enough):
            return


def count_once(run: Prepared) -> None:
    """Makes a warm call between the marks that a profiler outside of the process looks for.

    A profiler of hardware counters (Nsight Compute) runs each kernel several times over, and lets
    none of another call count. Backward runs in this thread, which launches all kernels then: what
    a profiler does about kernels of other threads is not written down anywhere.
    """
    with torch.autograd.set_multithreading_enabled(False):
        for _ in range(2):
            run()()
        call = run()
        torch.cuda.synchronize()
        torch.cuda.profiler.start()
        call()
        torch.cuda.synchronize()
        torch.cuda.profiler.stop()


def _watch(
    kind: str, run: Prepared, how: tuple[int, int], measured: Measured, into: Measured
) -> None:
    """Calls under the profiler; of the CPU the lines of the generated code are what is watched.

    Args:
        how: How many calls, and how many before them that do not count.
        into: Gets what was seen, also if one fails.
    """
    with_device = uses_cuda()
    calls, untimed = how
    times: list[int] = []
    windows: list[tuple[int, int]] = []
    seen = Traced()
    try:
        with contextlib.ExitStack() as stack:
            if not with_device:
                stack.enter_context(marked_lines())
            seen = stack.enter_context(traced(with_device=with_device, with_host=not with_device))
            measured.time(kind, run, calls + untimed, times, windows)
    finally:
        found = calls_of(seen.trace, windows) if with_device else cpu_calls(seen.trace, windows)
        into.add_watched(times, windows, found, untimed)
        if not with_device and times:
            usual = measured.unwatched if kind == "watched" else measured.eager
            into.explained = explained_on_cpu(
                seen.trace, (times, windows), usual or times, into.explained, untimed
            )


def _busy(launched: Sequence[Launched]) -> tuple[int, int]:
    return len(launched), union_ns([(item.start_ns, item.end_ns) for item in launched])


def _copied(launched: Sequence[Launched]) -> tuple[int, int]:
    others = [item for item in launched if item.launch.kind not in {"memcpy", "memset"}]
    return len(launched) - len(others), _busy(launched)[1] - _busy(others)[1]


def _device() -> Mapping[str, object]:
    """What the first of the devices that are used says of itself."""
    if not uses_cuda():
        return {"kind": "cpu", "threads": torch.get_num_threads()}
    found = torch.cuda.get_device_properties(cuda_devices()[0])
    return {
        "kind": "cuda",
        "name": found.name,
        "multiprocessors": found.multi_processor_count,
        "l2_bytes": int(getattr(found, "L2_cache_size", 0)),
    }
