"""The page of `inspect explain`: graph breaks, recompilations, and what was counted."""

from collections.abc import Iterator

from inspector.features.breaks.element_indices import refused_elements
from inspector.features.graph.vllm import vllm_of, vllm_sections
from inspector.features.overview.causes import by_cause, cause_lines
from inspector.features.overview.cost_wording import total_line
from inspector.features.overview.run_summary import summary_counts
from inspector.features.verify.trial_wording import (
    trial_columns,
    trial_notes,
    trial_rows,
    trial_title,
    trial_verdict,
)
from inspector.report.escaping import one_line
from inspector.report.gate import changes, verdict
from inspector.report.overview import notices
from inspector.report.page import Column, Lines, Page, Section, Table, about
from inspector.report.processes import labels, observed
from inspector.report.report import Report
from inspector.report.wording import count, duration, listed
from inspector.run.summary import Summary
from inspector.run.verification import Verification

_MOST_PROCESSES = 16
_MOST_CHANGES = 20
_NUMBER = Column("", "number")
_COUNTS = (Column(""), _NUMBER, Column(""))
_INFERRED = (
    "torch before 2.6 does not log graph breaks: they are inferred, without those in loops; calls "
    "refused at the recompile limit may also be missing"
)


def page(report: Report) -> Page:
    """What was found, what was tried, and the counts."""
    stages = [
        (stage.stage, duration(stage.time_ns), stage.time_ns)
        for stage in report.summary.compile_time_by_stage
    ]
    processes = _process_rows(report)
    refused = [("warning", one_line(text)) for text in refused_elements(report.run)]
    logs_breaks = all(process.logs_breaks for process in report.run.processes)
    inferred = [] if logs_breaks else [("note", _INFERRED)]
    findings = by_cause(report.findings)
    return Page(
        "torch.compile",
        _headline(report),
        about(report.run),
        summary=(
            *([f"gate: {verdict(report.gate)}"] if report.gate else []),
            *cause_lines(findings, report.summary.recompiles),
        ),
        findings=findings,
        sections=(
            *([] if report.verification is None else [_tried(report, report.verification)]),
            *vllm_sections(vllm_of(report.run)),
            Section("Counts", [Table(_COUNTS, _summary_rows(report), limit=20)]),
            Section(
                f"By process ({len(processes)})",
                [Table((Column(""), Column("")), processes, "process", _MOST_PROCESSES)],
                is_detail=True,
            ),
            Section(
                "Compile time by stage",
                [Table((Column(""), _NUMBER, Column("", "bar")), stages, "stage", 20)],
                is_detail=True,
            ),
            _since(report),
        ),
        notes=(*refused, *notices(report), *inferred),
        next_steps=report.next_steps,
    )


def _tried(report: Report, verification: Verification) -> Section:
    setting, *numbers, last = trial_columns(verification)
    columns = (
        Column(setting, "code"), *(Column(title, "number") for title in numbers), Column(last)
    )  # fmt: skip
    rows = trial_rows(verification)
    best = trial_verdict(verification, report.findings)
    title = trial_title(verification)
    blocks = (
        Lines([best] if best else []),
        Table(columns, rows, "trial", 40),
        Lines(trial_notes(verification)),
    )
    return Section(title[:1].upper() + title[1:], blocks)


def _since(report: Report) -> Section:
    if report.gate is None or report.gate.baseline is None:
        return Section("", ())
    baseline = report.gate.baseline
    columns = (Column(""), Column("where"), Column("what"), Column("", "code"))
    rows = [*changes(report.gate, report.findings)]
    text = f"the recording differs from the baseline: {'; '.join(baseline.differences)}"
    notes = Lines([text] if baseline.differences else [])
    return Section(f"Since {baseline.name}", (Table(columns, rows, "change", _MOST_CHANGES), notes))


def _headline(report: Report) -> str:
    """The report in one line: what failed, its graph breaks, or what there is instead."""
    meta, summary = report.run.meta, report.summary
    until = " before it failed" if meta.error else " before it ended early" if meta.partial else ""
    parts = [f"{count(summary.frames_failed, 'frame')} failed"] if summary.frames_failed else []
    if summary.graph_breaks_raised:
        parts.append(
            f"{count(summary.graph_breaks_raised, 'graph break')} raised as errors by fullgraph"
        )
    elif summary.frames_failed and not summary.graph_breaks:
        return parts[0] + (f": {_graphs(summary)}" if summary.graphs else "")
    if not summary.graph_breaks_raised:
        parts.append(_verdict(summary, until))
    return ", ".join(parts)


def _process_rows(report: Report) -> list[tuple[str, str]]:
    shown = observed(report.run)
    if len(shown) < 2:  # noqa: PLR2004 - one process is the whole report
        return []
    named = labels(report.run)
    rows = []
    for index in shown:
        summary = report.by_process[index]
        compiling = f"compiling {duration(summary.compile_time_ns)}"
        rows.append((named[index], ", ".join((*summary_counts(summary), compiling))))
    return rows


def _graphs(summary: Summary) -> str:
    if summary.frames_unfinished and not summary.graphs:
        return "number of graphs unknown"
    return f"{count(summary.graphs, 'graph')}, {count(summary.operators, 'operator')}"


def _verdict(summary: Summary, until: str) -> str:
    graphs = _graphs(summary)
    if summary.graph_breaks:
        return (
            f"{count(summary.graph_breaks, 'graph break')}"
            f" at {count(summary.distinct_graph_breaks, 'site')}{until}: {graphs}"
        )
    if not summary.frames:
        return f"nothing was compiled{until}; Dynamo traced no frame"
    if not summary.graphs and until:
        return f"no graph breaks and no graphs{until}"
    if not summary.graphs:
        return "no graph breaks, but also no graphs: everything runs eagerly"
    later = " in the first calls" if summary.later.graph_breaks else ""
    return f"no graph breaks{later}{until}: {graphs}"


def _summary_rows(report: Report) -> list[tuple[str, str, str]]:
    summary = report.summary
    total = total_line(report)
    states = ("compiled", "skipped", "failed", "unfinished")
    numbers = [(getattr(summary, f"frames_{state}"), state) for state in states]
    frames = ", ".join(f"{number:,} {state}" for number, state in numbers if number)
    unfinished, hits = summary.frames_unfinished, summary.recompile_limit_hits
    graphs = f"or more; {count(unfinished, 'frame')} still compiling" if unfinished else ""
    each = listed([f"{number:,}" for number in summary.operators_per_graph])
    operators = f"per graph: {each}" if len(summary.operators_per_graph) > 1 else ""
    sites = f"at {count(summary.distinct_graph_breaks, 'site')}" if summary.graph_breaks else ""
    refused = f"{hits:,} more refused at the recompile limit" if hits else ""
    return [
        ("frames", f"{summary.frames:,}", frames),
        ("graphs", f"{summary.graphs:,}", graphs),
        ("operators", f"{summary.operators:,}", operators),
        ("graph breaks", f"{summary.graph_breaks:,}", sites),
        ("recompiles", f"{summary.recompiles:,}", refused),
        *([("warm call", *total)] if total else []),
        ("compile time", duration(summary.compile_time_ns), ""),
        *_later(summary),
    ]


def _later(summary: Summary) -> Iterator[tuple[str, str, str]]:
    later = summary.later
    parts = [
        count(later.graphs, "graph") if later.graphs else "",
        f"{count(later.graph_breaks, 'graph break')}"
        f" ({count(later.distinct_graph_breaks, 'new site')})"
        if later.graph_breaks
        else "",
        count(later.recompiles, "recompile") if later.recompiles else "",
    ]
    if any(parts):
        yield ("later calls", "add", ", ".join(part for part in parts if part))
