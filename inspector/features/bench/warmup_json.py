"""A warm-up as JSON."""

from __future__ import annotations

from inspector.features.bench.warmup_page import warmup_notices, warmup_verdict
from inspector.features.bench.warmup_report import (
    FORMAT_VERSION,
    Start,
    StillCompiles,
    WarmupReport,
)
from inspector.records.bench import Warmup
from inspector.report.json.common import COMMON
from inspector.report.json.encode import Scope, View, Views, tool_version
from inspector.run.compile_time import CacheUse
from inspector.shared.warmup import WarmupCheck


def _verdict(scope: Scope) -> list[str]:
    """How long a start takes, and what to call in it."""
    return list(warmup_verdict(scope.of(WarmupReport)))


def _notices(scope: Scope) -> list[str]:
    """What has to be known besides, one sentence each."""
    return list(warmup_notices(scope.of(WarmupReport)))


def _still(scope: Scope) -> tuple[StillCompiles, ...]:
    """What compiles after the plan."""
    return scope.of(WarmupReport).still


VIEWS: Views = {
    **COMMON,
    WarmupReport: View(
        """format_version kind tool_version recording=run.meta:recording target=plan.target
        torch=run.torch device processor=run.processor? threads? setting=plan.setting
        workload=plan.workload grad=plan.is_grad job_id=plan.job inputs plan=calls
        plan_without_artifact=calls_without check=plan.check verdict starts notices""",
        format_version=FORMAT_VERSION,
        kind="warmup",
        tool_version=tool_version,
        verdict=_verdict,
        notices=_notices,
    ),
    WarmupCheck: View(
        "passed=is_passed failure ready_ns loaded calls later counters still_compiles",
        still_compiles=_still,
    ),
    Start: View(
        """start=name load_ns artifact_ns? artifact first_calls_ns=first_ns first_calls=firsts
        ready_ns compile_time_ns compilations caches failure? detail?"""
    ),
    Warmup: View("entries=parts size_bytes failure?"),
    CacheUse: View("cache hits misses bypasses reasons=reasons.text"),
}
