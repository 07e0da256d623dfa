"""Graph breaks."""

from collections.abc import Iterator

from inspector.features.breaks.advice.lookup import Functions, advise, compiled_functions
from inspector.features.breaks.hints import is_fundamental, raised
from inspector.features.costs.sites import site_costs
from inspector.report.finding import Finding
from inspector.report.place import qualified_name
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.run.cost import Cost
from inspector.run.ended import is_echoed_break
from inspector.run.graph_break import BreakSite, Evidence, GraphBreak, Outcome
from inspector.run.run import Run
from inspector.run.summary import group_sites, is_later, is_measured
from inspector.shared.stack import is_resumed, plain_name, resumed_line
from inspector.trace.graph_break import BACKEND_FAILED, Cause

_CONSEQUENCES = {
    Outcome.REST_SKIPPED: "the rest of the function runs eagerly",
    Outcome.FRAME_SKIPPED: "the whole function runs eagerly",
    Outcome.RAISED: "fullgraph=True turns it into an error",
}


class GraphBreakRule(Rule[Run, Finding]):
    """The graph breaks here."""

    id = "graph-break"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per site; sites that only later calls reach are marked."""
        # The report begins with the exception that ended the program.
        records = [record for record in run.graph_breaks if not is_echoed_break(run, record)]
        first = group_sites(record for record in records if not is_later(record))
        known = {site.first.key for site in first}
        costs = site_costs(run)
        compiled = compiled_functions(run)
        later = group_sites(
            record for record in records if is_later(record) and not is_measured(record)
        )
        for site in first:
            yield _finding(run, site, costs.get(site.first.key), compiled, later=False)
        for site in later:
            if site.first.key not in known:
                yield _finding(run, site, None, compiled, later=True)


def _finding(
    run: Run, site: BreakSite, cost: Cost | None, compiled: Functions, *, later: bool
) -> Finding:
    record = site.first
    cause = record.cause
    at = RULE.at(
        run,
        record.user,
        # Torch has renamed types, and keeps their ids (GB0131 between 2.11 and 2.13).
        cause.gb_id or record.key[2],
        stack=max((record.stack for record in site.records), key=len),
        severity=Severity.ERROR if Outcome.RAISED in site.outcomes else None,
    )
    advised = advise(run, record, at["place"], compiled)
    return Finding(
        **at,
        message=cause.title,
        why=_why(cause),
        fix=advised.fix,
        alternatives=advised.alternatives,
        example=advised.example,
        rewrites=advised.rewrites,
        hints=cause.hints,
        notes=tuple(_notes(run, site)),
        records=len(site.records),
        gb_id=cause.gb_id,
        gb_type=cause.gb_type,
        url=cause.url,
        outcome=record.outcome.value,
        evidence=record.evidence.value,
        later=later,
        cost=cost,
    )


def _why(cause: Cause) -> str:
    # Of some torch has no explanation, and says the cause in its own words for developers.
    text = cause.explanation or (cause.context.strip().partition("\n")[0] or cause.title)
    exception = raised(cause)
    return f"{exception} was raised while tracing. {text}" if exception else text


def _notes(run: Run, site: BreakSite) -> Iterator[str]:
    record = site.first
    if record.evidence is Evidence.PARSED:
        yield (
            "torch logs graph breaks only in 2.6 and later; this one is inferred from restart "
            "reasons, failures, and names of resumed functions"
        )
    if record.caused_by is not None:
        yield "caused by another graph break: torch could not end the graph there"
    for consequence in dict.fromkeys(_consequence(run, record) for record in site.records):
        names = dict.fromkeys(
            qualified_name(run, each.frame_name, each.frame_file, each.frame_line)
            for each in site.records
            if _consequence(run, each) == consequence and each.frame_name
        )
        yield f"{consequence} ({', '.join(names)})" if names else consequence
    if (outer := record.cause.higher_order) and record.outcome is not Outcome.RAISED:
        yield f"a graph cannot break inside {outer}: the whole call runs eagerly"
    if record.outcome is not Outcome.RESUMED and record.caused_by is None:
        yield (
            "the code after this line was not traced: fix this graph break, then run `inspect "
            "explain` again"
        )
    yield from _others_on_the_line(site)
    if is_fundamental(record.cause.hints):
        yield "torch is unlikely to ever trace this, according to its own hints"
    inner = record.stack[-1] if record.stack else None
    if inner is not None and inner is not record.user:
        yield f"torch stopped tracing at {run.roots.shown(inner.file)}:{inner.line} in {inner.name}"
    if record.project is not None:
        yield f"reached from {run.roots.shown(record.project.file)}:{record.project.line}"


def _others_on_the_line(site: BreakSite) -> Iterator[str]:
    """Breaks of the same type on the same line with another cause: all of them must be fixed.

    What differs below the first line of torch's explanation would read as the same sentence twice.
    """
    records = (site.first, *site.records)
    if site.first.cause.gb_id == BACKEND_FAILED:
        return  # one failure of the backend has two records
    _, *others = dict.fromkeys(record.cause.explanation.partition("\n")[0] for record in records)
    for text in others:
        yield f"another graph break on this line: {text}"


def _consequence(run: Run, record: GraphBreak) -> str:
    if record.outcome is not Outcome.RESUMED:
        return _CONSEQUENCES[record.outcome]
    is_cut_off = any(
        not item.finished and any(record is found for found in item.graph_breaks)
        for item in run.compilations
    )
    if not record.has_graph and is_cut_off:
        return "the recording ends before this function is compiled, so its graphs are unknown"
    before = "the graph ends here" if record.has_graph else "no operator precedes it"
    left_alone = _left_alone(run, record)
    if left_alone:
        return f"{before}; the code after it runs eagerly: {left_alone}"
    return f"{before}; tracing resumes after it"


def _left_alone(run: Run, record: GraphBreak) -> str:
    """Why Dynamo skipped the code after a break, in its words; empty where it did not."""
    name = plain_name(record.frame_name)
    lines = {
        item.line
        for item in record.stack
        if (item.file, plain_name(item.name)) == (record.frame_file, name)
    }
    found = (
        item.reason
        for process in run.processes
        for item in process.skipped
        if is_resumed(item.name)
        and (item.file, plain_name(item.name)) == (record.frame_file, name)
        and resumed_line(item.name) in lines
        # Other calls may have had a tensor there.
        and not any((frame.file, frame.name) == (item.file, item.name) for frame in process.frames)
    )
    return next(found, "")


RULE = GraphBreakRule()
