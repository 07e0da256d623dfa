"""The words and numbers of a warm-up, for every renderer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from inspector.benches.warmup import Start
from inspector.findings.bench_machine import device_text
from inspector.findings.escaping import one_line
from inspector.findings.warmup_report import WarmupReport
from inspector.findings.wording import count, duration
from inspector.model.warmup import WarmupCheck

_MOST_NAMED = 6


def warmup_machine(report: WarmupReport) -> str:
    """``cpu, 2 threads · default + dynamic · with gradients``."""
    plan = report.plan
    parts = (
        device_text(report.device, report.threads),
        plan.setting.label,
        plan.workload.label,
        "with gradients" if plan.is_grad else "",
    )
    return " · ".join(filter(None, parts))


def warmup_verdict(report: WarmupReport) -> Iterator[str]:
    """What to know first: how long a start takes, and what to call in it."""
    cold = report.start("cold")
    if cold is None:
        failed = any(start.failure for start in report.starts)
        why = "torch.compile fails" if failed else "it was cut off"
        yield f"{why}: there is no start to warm up"
        return
    others = [
        (said, start)
        for said, name in (("the cache folder", "directory"), ("the artifact", "artifact"))
        if (start := report.start(name)) is not None
    ]
    said = [f"{duration(start.ready_ns)} with {name}" for name, start in others]
    instead = f", {' and '.join(said)}" if said else ""
    yield f"a cold start has called every input after {duration(cold.ready_ns)}{instead}"
    yield _plan_line(report)
    best = min((start for _, start in others), key=lambda start: start.first_ns, default=None)
    yield _pays(cold, best)


def _named(report: WarmupReport, numbers: Sequence[int]) -> str:
    """Inputs by their labels, which can have commas in them."""
    labels = [report.inputs[number].label for number in numbers]
    between = "; " if any("," in label for label in labels) else ", "
    rest = len(labels) - _MOST_NAMED
    return between.join([*labels[:_MOST_NAMED], *([f"… {rest} more"] if rest > 0 else [])])


def _plan_line(report: WarmupReport) -> str:
    plan, check = report.plan, report.plan.check
    inputs = count(len(report.inputs), "input")
    if not report.has_plan:
        return f"which of {inputs} to call at start is not known: it was cut off before"
    if not plan.calls:
        return f"nothing compiles in the first calls of {inputs}: there is nothing to warm up"
    names = _named(report, plan.calls)
    what = f"call {len(plan.calls)} of {inputs} at start ({names})"
    if plan.calls_without and plan.calls_without != plan.calls:
        what = f"with the artifact, {what}"
    if check is None:
        return f"{what}; this was not checked"
    if check.failure:
        return f"{what}; the check failed: {check.failure}"
    if check.is_passed:
        return f"{what}, and nothing compiles after it: checked in a fresh process"
    again = count(len(check.compiled_later), "input")
    return f"{what}; that is not enough: {again} compiled after it in a fresh process"


def _pays(cold: Start, best: Start | None) -> str:
    if cold.faster is None:
        return "how much faster later calls are was not measured"
    if cold.break_even is None:
        slower = cold.faster.high < 1
        how = "slower than eager PyTorch" if slower else "no faster than eager PyTorch beyond noise"
        return f"later calls are {how} ({cold.faster.middle:.2f} times as fast)"
    calls = f"{cold.break_even:,} calls of each input"
    warm = best.break_even if best is not None else None
    after = f", with caches after {warm:,}" if warm is not None else ""
    return (
        f"later calls are {cold.faster.middle:.2f} times as fast as eager PyTorch: a cold start "
        f"has paid for itself after {calls}{after}"
    )


def plan_title(report: WarmupReport) -> str:
    """``The plan: 2 calls``."""
    return f"The plan: {count(len(report.plan.calls), 'call')}"


def plan_cells(report: WarmupReport) -> Iterator[tuple[str, str, str]]:
    """The calls: number, input, shapes."""
    for at, number in enumerate(report.plan.calls, 1):
        item = report.inputs[number]
        yield str(at), item.label, item.shapes


def check_lines(report: WarmupReport) -> Iterator[str]:
    """What is to be said about the plan, and what the process that ran it did."""
    plan, check = report.plan, report.plan.check
    if plan.calls and plan.calls_without and plan.calls_without != plan.calls:
        names = _named(report, plan.calls_without)
        yield f"where the artifact cannot be used, call {names} instead"
    if plan.trials:
        yield f"{count(plan.trials, 'shorter plan was', 'shorter plans were')} tried as well"
    if check is None:
        return
    if check.failure:
        yield f"the check failed: {check.failure}"
        return
    yield _checked(report, check)
    for item in report.still:
        label = report.inputs[item.input].label
        because = "; ".join(map(one_line, item.because)) or "torch does not say why"
        yield f"{label} still compiles {count(item.compiled, 'frame')}: {because}"


def _checked(report: WarmupReport, check: WarmupCheck) -> str:
    calls_ns = sum(call.time_ns for call in (*check.calls, *check.graphs))
    loaded = "loaded the artifact" if check.loaded else "could not use the artifact"
    hits = check.counters.get("hits", 0)
    anew = check.counters.get("misses", 0) + check.counters.get("bypasses", 0)
    compiled = sum(call.compiled for call in (*check.graphs, *check.later))
    ready = duration(check.load_ns + check.artifact_ns + calls_ns)
    return (
        f"checked: a fresh process ran warmup.py, {loaded}, and was warm after {ready} "
        f"({count(hits, 'graph')} from the caches, {anew} made anew); then all "
        f"{count(len(report.inputs), 'input')} compiled {count(compiled, 'frame')}"
    )
