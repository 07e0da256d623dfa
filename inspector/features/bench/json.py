"""A bench, a collection of models, and a warm-up, as JSON."""

import dataclasses
import math
from collections.abc import Callable

from inspector.features.bench.collection_report import FORMAT_VERSION as COLLECTION_VERSION
from inspector.features.bench.collection_report import CollectionReport, Measured
from inspector.features.bench.report import FORMAT_VERSION, BenchGroup, BenchReport
from inspector.features.bench.rows import BenchRow
from inspector.features.bench.varied import VariedInput, VariedSetting
from inspector.features.bench.verdict import verdict_lines
from inspector.features.bench.warmup_page import warmup_notices, warmup_verdict
from inspector.features.bench.warmup_report import FORMAT_VERSION as WARMUP_VERSION
from inspector.features.bench.warmup_report import Start, WarmupReport
from inspector.features.recompiles.wording import changed
from inspector.records.bench import OutputError, Warmup
from inspector.report.json.common import COMMON
from inspector.report.json.encode import Scope, View, Views, tool_version
from inspector.run.compile_time import CacheUse
from inspector.shared.warmup import WarmupCheck


@dataclasses.dataclass(frozen=True, slots=True)
class _Block:
    """The calls of a combination in a round of a session."""

    session: int
    round: int
    median_ns: float


def _versions(scope: Scope) -> dict[str, str]:
    """Versions of torch and related packages by name."""
    processes = scope.of(BenchReport).run.processes
    return dict(sorted(processes[0].versions.items())) if processes else {}


def _verdict(scope: Scope) -> list[str]:
    """Recommended settings and their advantage, one sentence each, most important first."""
    return list(verdict_lines(scope.of(BenchGroup)))


def _because(scope: Scope) -> list[str]:
    """Failed guards of each recompilation."""
    return [changed(each) for each in scope.of(VariedInput).recompiles]


def _calls(scope: Scope) -> int:
    """Number of timed calls."""
    latency = scope.of(BenchRow).latency
    return latency.calls if latency else 0


def _interval(scope: Scope) -> list[float] | None:
    """Prediction interval (95 %) for the speedup in another run, or null."""
    faster = scope.of(BenchRow).faster
    return [faster.low, faster.high] if faster else None


def _blocks(scope: Scope) -> list[_Block]:
    """The median of each block of calls."""
    return [_Block(*key, median) for key, median in scope.of(BenchRow).medians.items()]


def _relative(scope: Scope) -> float | None:
    """Largest difference between two elements, relative to the scale in ``relative_to``.

    Null if it is not finite, for example if only one value is NaN.
    """
    relative = scope.of(OutputError).relative
    return relative if math.isfinite(relative) else None


def _warmup_verdict(scope: Scope) -> list[str]:
    """Startup times and the inputs to call, one sentence each."""
    return list(warmup_verdict(scope.of(WarmupReport)))


def _warmup_notices(scope: Scope) -> list[str]:
    """Notes, one sentence each."""
    return list(warmup_notices(scope.of(WarmupReport)))


_ROW = """label=setting.label setting latency_ns=latency.middle_ns p5_ns=latency.p5_ns
    p95_ns=latency.p95_ns calls items_per_s faster_than_eager=faster.middle
    faster_than_eager_interval differs_from_eager=faster.is_known first_call_ns=first_ns
    second_call_ns=second_ns cached_first_call_ns=cached_first_ns break_even_calls
    memory_bytes=memory gpu_busy=busy gpu_launches=launches? errors wrong=is_wrong
    not_compared=uncompared draws_random_numbers=draws compiled settled=is_settled
    blocks failure? detail?"""
_COMPUTED: dict[str, Callable[[Scope], object]] = {
    "calls": _calls,
    "faster_than_eager_interval": _interval,
    "blocks": _blocks,
}
_OF_ROWS: Views = {
    OutputError: View(
        "reference name relative relative_to=scale is=mine? is_in_reference=theirs?",
        relative=_relative,
    )
}
VIEWS: Views = {
    **COMMON,
    **_OF_ROWS,
    BenchReport: View(
        """format_version kind tool_version recording=run.meta:recording versions
        target=plan.target device threads? processor=run.processor?
        sessions=plan.sessions
        session_seconds=plan.session_seconds grad=plan.is_grad groups varied notices""",
        format_version=FORMAT_VERSION,
        kind="bench",
        tool_version=tool_version,
        versions=_versions,
    ),
    BenchGroup: View(
        """workload input inputs verdict best_latency=choice.latency.setting.label
        as_good=choice.as_good.setting.label least_memory=choice.memory.setting.label
        reasons:reason rows""",
        verdict=_verdict,
    ),
    "reason": View("rule message"),
    BenchRow: View(_ROW, **_COMPUTED),
    VariedSetting: View(
        """setting=setting.label compile_ns=first_ns one_call_of_each_ns=round_ns compiled_inputs
        break_even_calls_of_each=break_even_rounds one_call_of_each_faster_than_eager=faster.middle
        failure? inputs"""
    ),
    VariedInput: View(
        """label input=row.input inputs=row.inputs first_call_ns=row.first_ns
        cached_call_ns=row.latency.middle_ns compiled recompiled_because failure=row.failure?""",
        recompiled_because=_because,
    ),
}
COLLECTION: Views = {
    **COMMON,
    **_OF_ROWS,
    CollectionReport: View(
        """format_version kind tool_version versions< device sessions settings=summaries models
        notices""",
        format_version=COLLECTION_VERSION,
        kind="bench-collection",
        tool_version=tool_version,
    ),
    Measured: View("name failure? rows"),
    BenchRow: View(f"workload input inputs {_ROW}", **_COMPUTED),
}
WARMUP: Views = {
    **COMMON,
    WarmupReport: View(
        """format_version kind tool_version recording=run.meta:recording target=plan.target
        torch=run.torch device processor=run.processor? threads? setting=plan.setting
        workload=plan.workload grad=plan.is_grad job_id=plan.job inputs plan=calls
        plan_without_artifact=calls_without check=plan.check verdict starts notices""",
        format_version=WARMUP_VERSION,
        kind="warmup",
        tool_version=tool_version,
        verdict=_warmup_verdict,
        notices=_warmup_notices,
    ),
    WarmupCheck: View("passed=is_passed failure ready_ns loaded calls later counters"),
    Start: View(
        """start=name load_ns artifact_ns? artifact first_calls_ns=first_ns first_calls=firsts
        ready_ns compile_time_ns compilations caches failure? detail?"""
    ),
    Warmup: View("entries=parts size_bytes failure?"),
    CacheUse: View("cache hits misses bypasses reasons=reasons.text"),
}
