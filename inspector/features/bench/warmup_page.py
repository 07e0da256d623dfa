"""The page on a warm-up, and its sentences."""

import dataclasses
from collections.abc import Iterator, Sequence

from inspector.features.bench.warmup_report import Start, WarmupReport
from inspector.features.bench.wording import device_text
from inspector.report.escaping import one_line
from inspector.report.overview import recording_line
from inspector.report.page import Block, Code, Column, Lines, Page, Section, Table, about, as_notes
from inspector.report.wording import count, duration, listed, size
from inspector.run.compile_time import CacheUse

_START_NAMES = {
    "eager": "eager",
    "cold": "cold",
    "directory": "cache folder",
    "artifact": "artifact",
}
_GRAPH_CACHES = ("AOTAutograd", "FX graph")  # the outer one first
_NONE = "-"
_MOST_NAMED = 6
_MOST_REASONS = 3
_MOST_ROWS = 40


def page(report: WarmupReport) -> Page:
    """The starts beside each other, and the plan."""
    headline, *summary = warmup_verdict(report)
    plan = report.plan
    parts = (
        *recording_line(report.run),
        device_text(report.device, report.threads),
        plan.setting.label,
        plan.workload.label,
        "with gradients" if plan.is_grad else "",
    )
    columns = [Column(""), *(Column(_START_NAMES[it.name], "number") for it in report.starts)]
    called = [report.inputs[number] for number in report.calls]
    inputs = (Column("input", "code"), Column("shapes"))
    blocks: list[Block] = [
        Table(inputs, [(item.label, item.shapes) for item in called], "call"),
        Lines(list(check_lines(report))),
    ]
    title = f"The plan: {count(len(called), 'call')}"
    line = " · ".join(filter(None, parts))
    return Page(
        "Warm-up",
        headline,
        dataclasses.replace(about(report.run), target=plan.target, context=[line]),
        summary=summary,
        sections=(
            Section("Starts", [Table(columns, list(_start_rows(report)), limit=_MOST_ROWS)]),
            *([Section(title, blocks)] if report.start("cold") else []),
            *(
                Section(f"{start.name} failed", [Code(start.detail.rstrip("\n"))])
                for start in report.starts
                if start.detail
            ),
        ),
        notes=as_notes(warmup_notices(report)),
    )


def warmup_verdict(report: WarmupReport) -> Iterator[str]:
    """What to know first: how long a start takes, and what to call in it."""
    cold = report.start("cold")
    if cold is None:
        failed = any(start.failure for start in report.starts)
        why = "torch.compile fails" if failed else "the recording is truncated"
        yield f"{why}, so startup could not be measured"
        return
    others = [
        f"{duration(start.ready_ns)} with {said}"
        for said, name in (("the cache folder", "directory"), ("the artifact", "artifact"))
        if (start := report.start(name)) is not None
    ]
    instead = f"; {', '.join(others)}" if others else ""
    yield f"Cold start: all inputs processed within {duration(cold.ready_ns)}{instead}"
    yield _plan_line(report)


def _named(report: WarmupReport, numbers: Sequence[int]) -> str:
    """Inputs by their labels, which can have commas in them."""
    labels = [report.inputs[number].label for number in numbers]
    between = "; " if any("," in label for label in labels) else ", "
    rest = len(labels) - _MOST_NAMED
    return between.join([*labels[:_MOST_NAMED], *([f"… {rest} more"] if rest > 0 else [])])


def _plan_line(report: WarmupReport) -> str:
    check = report.plan.check
    inputs = count(len(report.inputs), "input")
    if not report.calls:
        return f"no warm-up needed: nothing compiles in the first calls with {inputs}"
    names = _named(report, report.calls)
    what = f"Call the model with {len(report.calls)} of {inputs} at startup ({names})"
    if report.calls_without != report.calls:
        what = f"With the artifact, {what[0].lower()}{what[1:]}"
    if check is None:
        return f"{what}; not checked"
    if check.failure:
        return f"{what}; the check failed: {check.failure}"
    if check.is_passed:
        return f"{what}; nothing compiles after that (checked in a fresh process)"
    again = _named(report, check.compiled_later)
    return (
        f"{what}; not enough: {again} still compiled in a fresh process "
        "(`inspect run warmup.py --check` shows why)"
    )


def _start_rows(report: WarmupReport) -> Iterator[tuple[str, ...]]:
    """What each start took and found, a row for each figure."""
    starts = report.starts
    yield ("model loaded", *(_time(start.load_ns) for start in starts))
    yield ("artifact loaded", *(_time(start.artifact_ns) for start in starts))
    yield ("first calls", *(_time(start.first_ns) for start in starts))
    for number, item in enumerate(report.inputs if len(report.inputs) > 1 else ()):
        times = ({call.input: call.time_ns for call in start.firsts} for start in starts)
        yield (f"with {item.label}", *(_time(of.get(number, 0)) for of in times))
    yield (
        "all inputs processed",
        *(_time(start.ready_ns if start.firsts else 0) for start in starts),
    )
    took = [duration(it.compile_time_ns) if it.cost is not None else _NONE for it in starts]
    yield _row("compile time", starts, took)
    yield _row("compilations", starts, [start.compilations for start in starts])
    uses = list(map(_graphs, starts))
    if any(uses):
        yield _row("graphs cached", starts, [(use.hits or 0) if use else 0 for use in uses])
        anew = [use.misses + use.bypasses if use else 0 for use in uses]
        yield _row("graphs compiled", starts, anew)
    triton = [start.cache("Triton") for start in starts]
    for title, made in (
        ("Triton kernels compiled", [use.misses if use else 0 for use in triton]),
        ("C++ compiler ran", list(map(_cpp_runs, starts))),
    ):
        if any(made):
            yield _row(title, starts, made)


def _row(title: str, starts: Sequence[Start], cells: Sequence[object]) -> tuple[str, ...]:
    """A row about what is compiled; eager PyTorch compiles nothing."""
    return (
        title,
        *(
            str(cell) if start.name != "eager" and start.firsts else ""
            for start, cell in zip(starts, cells, strict=True)
        ),
    )


def _time(time_ns: int) -> str:
    return duration(time_ns) if time_ns else _NONE


def _graphs(start: Start) -> CacheUse | None:
    """The outermost cache of graphs that was asked; after a hit of it no other is asked."""
    uses = [use for name in _GRAPH_CACHES if (use := start.cache(name)) is not None]
    return next((use for use in uses if use.hits or use.misses), uses[-1] if uses else None)


def _cpp_runs(start: Start) -> int:
    """Kernels, and small files that show what the compiler can do."""
    use = start.cache("C++")
    checks = start.cost.vector_checks if start.cost is not None else 0
    return checks + (use.misses if use is not None else 0)


def check_lines(report: WarmupReport) -> Iterator[str]:
    """What is to be said about the plan, and what the process that ran it did."""
    check = report.plan.check
    if report.calls != report.calls_without:
        names = _named(report, report.calls_without)
        yield f"if the artifact cannot be used, call the model with {names} instead"
    if check is None or check.failure:
        return
    loaded = "loaded the artifact" if check.loaded else "could not use the artifact"
    hits = count(check.counters.get("hits", 0), "graph")
    anew = check.counters.get("misses", 0) + check.counters.get("bypasses", 0)
    compiled = sum(call.compiled for call in check.later)
    yield (
        f"checked: a fresh process ran warmup.py, {loaded}, and was warm after "
        f"{duration(check.ready_ns)} ({hits} from the caches, {anew} compiled). Calls with all "
        f"{count(len(report.inputs), 'input')} then compiled {count(compiled, 'frame')}"
    )


def warmup_notices(report: WarmupReport) -> Iterator[str]:
    """Notes, one sentence each."""
    if report.run.meta.partial:
        yield f"the recording is partial: {report.run.meta.partial.rstrip('.')}"
    for start in report.starts:
        if start.failure:
            yield f"{_START_NAMES[start.name]}: {start.failure}"
    cold, artifact = report.start("cold"), report.start("artifact")
    if cold is not None and artifact is not None:
        yield from _of_artifact(report, cold, artifact)
    if cold is not None:
        yield from _of_cold(report, cold)
    if cold is not None and report.plan.records_cuda_graphs and report.device != "cpu":
        yield (
            "CUDA graphs are not cached: every start captures each size again, so warmup.py also "
            "calls the model twice with every input"
        )


def _of_cold(report: WarmupReport, cold: Start) -> Iterator[str]:
    if cold.compilations and _graphs(cold) is None:
        backend = report.plan.setting.backend
        yield f"the backend {backend} does not cache its code, so every start recompiles"
    frames = report.run.processes[cold.process].frames if cold.process is not None else ()
    names = {frame.name for frame in frames if any(it.hit_limit for it in frame.compilations)}
    if names:
        yield (
            f"the recompile limit is reached for {listed(sorted(names))}: inputs that "
            "match no cache entry run eagerly in the service, too"
        )
    for use in cold.caches:
        for reason in use.reasons[:_MOST_REASONS]:
            times = count(reason.count, "time")
            yield f"the {use.cache} cache was bypassed {times} (torch: {one_line(reason.text)})"


def _of_artifact(report: WarmupReport, cold: Start, artifact: Start) -> Iterator[str]:
    loaded = artifact.artifact
    if loaded is not None and loaded.failure:
        yield f"the artifact was not loaded: {loaded.failure}"
    elif loaded is not None:
        entries = count(sum(loaded.parts.values()), "entry", "entries")
        yield f"the artifact contains {entries} ({size(loaded.size_bytes)})"
    if artifact.compilations < cold.compilations:
        yield (
            "with the artifact's profile (PGO), varying sizes are dynamic from the first call: "
            f"{count(artifact.compilations, 'compilation')} instead of {cold.compilations}"
        )
    missed = _graphs(artifact)
    if missed is not None and missed.misses:
        yield f"{count(missed.misses, 'graph')} missing from the artifact"
    directory = report.start("directory")
    if _cpp_runs(artifact) > (_cpp_runs(directory) if directory is not None else 0):
        yield (
            "the artifact contains only the source of C++ kernels, so every start compiles them. "
            "To avoid this on the CPU, run warmup.py when building the service's image, which "
            "fills the image's cache folder (docs/warmup.md)"
        )
