"""Recompilations, and frames that hit the recompile limit."""

import dataclasses
from collections.abc import Iterator

from inspector.features.costs.blame import limit_site
from inspector.features.costs.sites import limit_costs
from inspector.features.recompiles.case import FixCase, is_zero_one
from inspector.features.recompiles.changes import also_changed, keys_of
from inspector.features.recompiles.fix import fixes
from inspector.features.recompiles.fix_shared import all_failed, failure_fix
from inspector.features.recompiles.fix_values import without_state
from inspector.features.recompiles.instances import (
    instance_lines,
    instances_fixes,
    instances_message,
    other_instances,
)
from inspector.features.recompiles.nearby_breaks import (
    BreakBefore,
    break_before,
    given_up_caller,
    is_kept,
)
from inspector.features.recompiles.own_writes import own_growth, own_write
from inspector.features.recompiles.wording import changed, reason_lines, reason_notes
from inspector.report.finding import Finding
from inspector.report.place import fingerprint, frame_kind, make_place, qualified_name
from inspector.report.rule import Rule
from inspector.report.severity import Severity
from inspector.report.user_code.call_site import call_site, is_wrapper, user_spelling
from inspector.report.wording import count, listed
from inspector.run.compilation import Frame
from inspector.run.folding.recompile import make_recompile
from inspector.run.folding.recompile_facts import CompileFacts
from inspector.run.graph_break import GraphBreak, Outcome
from inspector.run.recompile import Answer, Recompile, RecompileClass
from inspector.run.run import Process, Run
from inspector.run.summary import is_measured
from inspector.shared.stack import StackFrame, user_frame
from inspector.trace.guards import DynamoSettings

_BY_DIMENSION = frozenset({RecompileClass.SIZE, RecompileClass.STRIDE})
_INSTANCES = "instances"


class RecompileRule(Rule[Run, Finding]):
    """A function is recompiled."""

    id = "recompile"
    severity = Severity.WARNING

    def check(self, run: Run) -> Iterator[Finding]:
        """One finding per frame, guarded source and class."""
        for process in run.processes:
            costs = limit_costs(run, process)
            for frame in process.frames:
                for items, are_instances in _by_cause(run, frame):
                    cost = costs.get(limit_site(frame)) if _hit_limit(items) else None
                    found = _finding(run, process, frame, items, are_instances=are_instances)
                    yield dataclasses.replace(found, cost=cost)


def _by_cause(run: Run, frame: Frame) -> Iterator[tuple[tuple[Recompile, ...], bool]]:
    """The recompilations of a frame by what failed, in the order in which each was first met.

    And whether they are for other objects than the ones compiled before.
    """
    causes: dict[tuple[str, str, int | None, bool, bool], list[Recompile]] = {}
    every = [
        # A run that was put together by hand has the reasons alone.
        item.recompile or make_recompile(item, CompileFacts(), {}, run.roots)
        for item in frame.compilations
        if (item.is_recompile or item.hit_limit) and not is_measured(item)
    ]
    instances = other_instances(every)
    for recompile in every:
        # An unknown guard has no source: its text tells it apart from others.
        what = recompile.name or recompile.guard
        dimension = recompile.index if recompile.kind in _BY_DIMENSION else None
        # What fails is compiled again by every call; of what is kept, by another value.
        failed = all_failed([recompile])
        key = (recompile.kind.value, what, dimension, is_zero_one(recompile), failed)
        other = instances.get(recompile.compile_id)
        if other is not None:
            key = (_INSTANCES, other.name, None, False, failed)
        causes.setdefault(key, []).append(recompile)
    for key, items in causes.items():
        yield tuple(items), key[0] == _INSTANCES


def _finding(
    run: Run, process: Process, frame: Frame, items: tuple[Recompile, ...], *, are_instances: bool
) -> Finding:
    items = tuple(without_state(item, frame.file) for item in items)
    first = items[0]
    place = _place(run, frame, first)
    before = break_before(run, frame)
    case = _case(run, process, frame, items, before)
    shown = tuple(map(case.shown, items))
    advice = failure_fix(frame, items, run.roots)
    if are_instances and not advice:
        settings = frame.compilations[-1].settings or DynamoSettings()
        hit = next((item.limit for item in items if item.limit), None)
        limit = hit.number if hit else settings.recompile_limit
        advice = tuple(filter(None, instances_fixes(case, limit)))
        message, why = instances_message(case, shown, limit), instance_lines(shown)
    else:
        advice = advice or fixes(case)
        message, why = _message(case.function, shown), reason_lines(shown)
    is_eager = any(item.answer is Answer.EAGER for item in items)
    is_uncompiled = _hit_limit(items) or is_eager or all_failed(items)
    return Finding(
        rule=RecompileRule.id,
        # Such a call runs eagerly from then on, or fails.
        severity=Severity.ERROR if is_uncompiled else Severity.WARNING,
        message=message,
        place=make_place(run, place, items[-1].stack),
        why="\n".join(why),
        fix=advice[0] if advice else "",
        alternatives=advice[1:],
        hints=(first.hint,) if first.hint else (),
        notes=(*_breaks_around(run, process, frame, case, before), *reason_notes(items, run.roots)),
        records=len(items),
        fingerprint=fingerprint(
            run,
            place,
            RecompileRule.id,
            frame_kind(run, frame.file, frame.name),
            _INSTANCES if are_instances else first.kind.value,
            _cause(first, are_instances=are_instances),
        ),
        evidence="recompile_reasons",
        later=all(item.call for item in items),
        recompiles=items,
    )


def _case(
    run: Run,
    process: Process,
    frame: Frame,
    items: tuple[Recompile, ...],
    before: BreakBefore | None,
) -> FixCase:
    """The recompilations with all that a fix needs to know."""
    first = items[0]
    definition = StackFrame(frame.file, frame.first_line, frame.name)
    caller = given_up_caller(process, frame, items[-1].stack)
    is_whole = process.has_inspector_events
    sites = [call_site(run, item.stack, definition, is_whole=is_whole) for item in items]
    site = sites[-1]
    records = (record for item in frame.compilations for record in item.graph_breaks)
    resumes = any(record.outcome is Outcome.RESUMED for record in records)
    callers = {(each.frame.file, each.frame.line): each.frame for each in sites if each.frame}
    first_site = call_site(run, first.first_stack, definition) if first.first_stack else site
    if site.frame is not None:
        del callers[site.frame.file, site.frame.line]
    return FixCase(
        items=items,
        site=site,
        function=_name(run, frame, first),
        roots=run.roots,
        history=tuple(item.recompile for item in frame.compilations if item.recompile is not None),
        behind=before.place if before else None,
        handed_on=frozenset(_handed_on(run, frame, items)) if before else frozenset(),
        elsewhere=tuple(callers.values()) if site.frame else (),
        first_site=None if first_site.frame == site.frame else first_site,
        set_at=own_write(run, definition, user_spelling(first.name)),
        grown=dict(_grown(run, first)),
        has_breaks=before is not None or resumes,
        file=frame.file,
        separating_break=caller.user if caller else None,
        skipped_by=_skipped_by(frame, items),
    )


def _grown(run: Run, first: Recompile) -> Iterator[tuple[str, StackFrame]]:
    """Where the function that has the failed guard makes containers longer, by the container."""
    frame = first.guard_stack[-1] if first.guard_stack else first.caused_by
    for item in (first, *also_changed(first)):
        if frame and item.kind in {RecompileClass.LENGTH, RecompileClass.KEYS}:
            at = own_growth(run, frame, user_spelling(item.name))
            if at is not None:
                yield item.name, at


def _skipped_by(frame: Frame, items: tuple[Recompile, ...]) -> GraphBreak | None:
    """The graph break at which Dynamo gave the function up in one of these recompilations."""
    ids = {item.compile_id for item in items if item.answer is Answer.EAGER}
    records = (
        record for each in frame.compilations if each.compile_id in ids
        for record in each.graph_breaks
    )  # fmt: skip
    given_up = (record for record in records if record.outcome is Outcome.FRAME_SKIPPED)
    return next((record for record in given_up if record.user is not None), None)


def _handed_on(run: Run, frame: Frame, items: tuple[Recompile, ...]) -> Iterator[str]:
    """The names of what changed and is the function's own, kept over the graph break before it."""
    for item in items:
        # Of several sizes that change together the first alone is told as a change.
        parts = [
            dataclasses.replace(item, name=each.name, origin=each.origin) for each in item.changes
        ]
        for each in (item, *also_changed(item), *parts):
            if is_kept(run, frame, each):
                yield each.name


def _name(run: Run, frame: Frame, first: Recompile) -> str:
    """The function's name; of torch's own function around a module, the module's class."""
    if is_wrapper(StackFrame(frame.file, frame.first_line, frame.name)) and first.wraps:
        return first.wraps.rpartition(".")[2]
    return qualified_name(run, frame.name, frame.file, frame.first_line)


def _breaks_around(
    run: Run, process: Process, frame: Frame, case: FixCase, before: BreakBefore | None
) -> Iterator[str]:
    """Which graph break made the function, and which one has it compiled alone."""
    if before is not None:
        title = f" ({before.title})" if before.title else ""
        what = (
            f"{case.crossing_name(case.first.name)} is kept across"
            if case.crossed_break
            else "the function resumes after"
        )
        yield f"{what} the graph break at {case.place(before.place)}{title}"
    found = given_up_caller(process, frame, case.items[-1].stack)
    if found is not None and found.user is not None:
        caller = qualified_name(run, found.frame_name, found.frame_file, found.frame_line)
        yield (
            f"its caller {caller} has a graph break at {case.place(found.user)} "
            f"({found.cause.title}), so it is compiled separately for each call"
        )


def _cause(item: Recompile, *, are_instances: bool) -> str:
    """What tells two findings of a class apart, the same with every torch."""
    dimension = str(item.index) if item.kind in _BY_DIMENSION else ""
    found = (user_spelling(item.name), dimension, "0/1" if is_zero_one(item) else "")
    if item.other_instance is not None and are_instances:
        found = (item.other_instance.name, "", "")
    return "\0".join((*found, "failed") if all_failed([item]) else found)


def _hit_limit(items: tuple[Recompile, ...]) -> bool:
    return any(item.hit_limit for item in items)


def _message(name: str, items: tuple[Recompile, ...]) -> str:
    times = sum(not item.hit_limit for item in items)
    if all_failed(items):
        return f"{name} fails to compile in {count(times, 'more call')}: {changed(items[0])}"
    said = [f"recompiled {'once' if times == 1 else f'{times} times'}"] if times else []
    if _hit_limit(items):
        raised = any(item.limit and item.limit.raised for item in items)
        said.append(f"hits the recompile limit and {'fails' if raised else 'runs eagerly'}")
    # Behind a failed condition the size is as dynamic as before; strides depend on each other.
    becomes = items[0].kind not in {RecompileClass.SYMBOLIC_SHAPE, RecompileClass.STRIDE}
    since = ""
    if any(item.answer is Answer.EAGER for item in items):
        since = "; it runs eagerly from then on"
    elif times and becomes and all(item.answer is Answer.DYNAMIC for item in items):
        since = "; it is dynamic from then on"
    also = [changed(item) for item in also_changed(items[0])]
    and_also = f" and {listed(also, 2)}" if also else ""
    # With the keys that came or went in any of them.
    first = dataclasses.replace(items[0], new_keys=keys_of(items), missing_keys=())
    return f"{name} {', '.join(said)} because {changed(first)}{and_also}{since}"


def _place(run: Run, frame: Frame, first: Recompile) -> StackFrame:
    """The function's definition; where that is torch's own, the line that has it recompile."""
    if not run.roots.is_user(frame.file):
        caller = user_frame(first.stack, run.roots)
        if caller is not None:
            return caller
    line = run.sources.definition_line(frame.file, frame.first_line)
    return StackFrame(frame.file, line, frame.name)


RULE = RecompileRule()
