"""Which recording a report is about, and what the recording lacks."""

from collections.abc import Iterator, Mapping

from inspector.records.calls import TargetFunction, Unmeasured
from inspector.records.environment import Dropped
from inspector.report.escaping import one_line
from inspector.report.incomplete import cut_off
from inspector.report.report import Report
from inspector.report.wording import count, listed
from inspector.run.run import LogWarning, Run

# What a setting has where nobody asked for it (`inspector.shared.request.Request`).
_NOT_ASKED: tuple[object, ...] = (None, False, "", [], ())
_SETTINGS = ("revision", "mode", "dynamic", "fullgraph", "train", "dtype", "inputs")
_MOST_KINDS = 8
_CACHES = {"fresh": "fresh caches", "user": "user caches"}
# What does not run where a graph is found in a cache.
_MISSING = {
    "FX graph": "Inductor's FX graph cache had a hit for {}, so lowering did not run and is not "
    "recorded",
    "AOTAutograd": "the AOTAutograd cache hit for {}, so tracing into ATen and lowering did not "
    "run and are not recorded",
}


def recording_line(run: Run) -> tuple[str, ...]:
    """Which recording it is: its name, target, torch, device, backend and further settings."""
    meta = run.meta
    what = "recording" if meta.format_version else "trace"
    named = meta.name if meta.name.endswith(".zip") else f"{what} {meta.name}"
    ahead = dict.fromkeys(name for process in run.processes for name in process.ahead)
    parts = [named, meta.target, _torch(run), _device(run), _backend(run), *ahead]
    settings = (item.settings for item in run.compilations if item.settings)
    parts += ["nested graph breaks"] if any(item.nested_graph_breaks for item in settings) else []
    parts += _asked(meta.settings)
    parts.append(_CACHES.get(str(meta.settings.get("caches")), ""))
    if len(run.processes) == 1 and (rank := run.processes[0].rank) is not None:
        parts.append(f"rank {rank}")
    if len(run.processes) > 1:
        ranks = {process.rank for process in run.processes} - {None}
        parts.append(count(len(run.processes), "process", "processes"))
        parts.append(count(len(ranks), "rank") if ranks else "")
    return tuple(one_line(part) for part in parts if part)


def _backend(run: Run) -> str:
    if any(target.is_compiled for target in run.records(TargetFunction)):
        return "compiled by its own file"
    backend = run.meta.settings.get("backend")
    return f"backend {backend}" if backend else ""


def _torch(run: Run) -> str:
    versions = {process.versions.get("torch", "") for process in run.processes} - {""}
    return f"torch {', '.join(sorted(versions))}" if versions else ""


def _device(run: Run) -> str:
    """The device that was asked for; without one, the CPU where nothing else was there."""
    asked = run.meta.settings.get("device")
    if asked:
        return str(asked)
    known = [process.hardware for process in run.processes if "gpus" in process.hardware]
    return "cpu" if known and not any(hardware["gpus"] for hardware in known) else ""


def _asked(settings: Mapping[str, object]) -> Iterator[str]:
    for name in _SETTINGS:
        value = settings.get(name)
        if name == "dynamic" and value is not None:
            yield f"dynamic={value}"
        elif value is True:
            yield name
        elif name == "inputs" and isinstance(value, list | tuple):
            yield from (f"--input {item!r}" for item in value)
        elif value not in _NOT_ASKED:
            yield f"{name} {value}"


_UNSEEN = "which does not record column numbers, source text or silently skipped functions"


def notices(report: Report, unseen: str = _UNSEEN) -> Iterator[tuple[str, str]]:
    """What stands between the recording and the whole truth, as (kind, text) pairs.

    Args:
        unseen: What the kind of report lacks where it is made of a plain trace.
    """
    run = report.run
    yield from reading_notices(run)
    measured = (
        item.cost for item in report.findings if item.cost and item.cost.cost_ns is not None
    )
    limits = dict.fromkeys(cost.note for cost in measured)
    yield from (("note", f"costs: {text}") for text in limits if text)
    yield from _unmeasured(run)
    for cache, sentence in _MISSING.items():
        hits = sum(process.cache_hits.get(cache, 0) for process in run.processes)
        if hits:
            yield "note", sentence.format(count(hits, "graph"))
    yield from _dropped(run)
    unknown = _unknown(run)
    if unknown:
        yield "note", unknown
    if is_plain(run):
        yield "note", f"this is a plain trace, {unseen}"


def reading_notices(run: Run) -> Iterator[tuple[str, str]]:
    """What went wrong when it was recorded or read, as (kind, text) pairs."""
    for warning in run.warnings:
        line = f":{warning.line}" if warning.line else ""
        yield "warning", one_line(f"{warning.file}{line}: {warning.message}")
    for process in run.processes:
        for problem in process.problems:
            yield "problem", one_line(f"recorder error: {problem}")
    lost = sum(process.lost_ends for process in run.processes)
    if lost:
        spans = count(lost, "compile-time span")
        yield (
            "warning",
            f"compile times by stage are approximate: the log has no end event for {spans}",
        )
    cut = cut_warning(run)
    if cut is not None:
        yield "warning", cut.message


def cut_warning(run: Run) -> LogWarning | None:
    """That a log ends in the middle of a compilation, unless the recording itself says why."""
    cut = "" if run.meta.partial or run.meta.error else cut_off(run)
    message = one_line(f"{cut}, so later records are missing")
    return LogWarning(run.meta.name, 0, message) if cut else None


def reading_texts(run: Run) -> Iterator[str]:
    """The same in one sentence each: ``warning: a.log:3: …``."""
    return (f"{kind}: {text}" for kind, text in reading_notices(run))


def is_plain(run: Run) -> bool:
    """Whether it was made of torch's own log alone, without our artifacts."""
    return bool(run.processes) and not any(item.has_inspector_events for item in run.processes)


def _unmeasured(run: Run) -> Iterator[tuple[str, str]]:
    for process in run.processes:
        several = len({call.input_index for call in process.calls}) > 1
        for item in process.records(Unmeasured):
            which = f" with input {item.input_index + 1}" if several else ""
            why = (
                f"repeating a call{which} fails, because a call changes the model "
                f"({one_line(item.error)})"
            )
            yield "note", f"not measured: {why}"


def _dropped(run: Run) -> Iterator[tuple[str, str]]:
    dropped = [found for process in run.processes if (found := process.last(Dropped))]
    if dropped:
        compilations = count(sum(item.without_details for item in dropped), "compilation")
        what = f"details of {compilations} were dropped to keep the logs of each process below "
        limit = max(item.max_bytes for item in dropped)
        yield "note", f"{what}{limit:,} bytes; counts are complete"


def _unknown(run: Run) -> str:
    totals: dict[str, int] = {}
    for process in run.processes:
        for name, number in process.unknown_events.items():
            totals[name] = totals.get(name, 0) + number
    if not totals:
        return ""
    names = [f"{one_line(name)} ({totals[name]:,})" for name in sorted(totals)]
    known = f"{count(sum(totals.values()), 'event')} of unknown kind"
    return f"{known}: {listed(names, _MOST_KINDS)}"
