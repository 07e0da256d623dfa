"""Everything that is said about the guards of a run."""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.features.guards.change import ChangeKind
from inspector.features.guards.grouping import Cause, Group, by_cause, by_module, kinds_of
from inspector.features.guards.levers import Lever, levers_of
from inspector.features.guards.next import NextChange, next_changes
from inspector.features.guards.predict import Effect, FrameGuards, frame_guards
from inspector.features.guards.time import GuardTime, guard_time
from inspector.features.recompiles.instances import shared_instances
from inspector.report.command_line import command_about, command_again, is_model
from inspector.report.finding import Finding
from inspector.report.overview import is_plain, reading_texts
from inspector.report.place import qualified_name
from inspector.report.processes import found_in
from inspector.report.rule import Rule
from inspector.report.user_code.call_site import parameters_at, user_spelling
from inspector.run.cache_entries.entry import Entry
from inspector.run.compilation import Frame
from inspector.run.run import Run
from inspector.shared.stack import StackFrame

FORMAT_VERSION = 1
"""Of a guards report as JSON: counts up when a field changes its meaning or goes."""


@dataclasses.dataclass(frozen=True, slots=True)
class FrameRow:
    """The guards of one frame.

    Attributes:
        limit: Maximum number of cache entries of the frame.
        is_closed: Whether the recompile limit was hit.
        is_skipped: Whether the frame runs eagerly because a later compilation produced no code.
        guards: Number of guards in the newest cache entry.
        torch_latency_ns: Guard evaluation time of the newest entry with cold CPU caches, as
            reported by torch, or None.
        per_call_ns: Guard evaluation time per warm call, over all cache entries of the frame, or
            None.
    """

    process: int
    frame_id: int | None
    name: str
    file: str
    line: int
    entries: int
    limit: int
    is_closed: bool
    is_skipped: bool
    guards: int
    torch_latency_ns: int | None
    per_call_ns: int | None
    next_changes: tuple[NextChange, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class GuardsReport:
    """The guards of a run.

    Attributes:
        guards: Number of guards in the newest cache entry of every frame.
        kinds: Number of guards by kind, most frequent first.
        groups: Guards grouped by module.
        causes: Guards grouped by the source line that caused them.
        levers: Settings that make guards cheaper, where they were tried; most saved first.
        frames: Frames, first those near the recompile limit, then those whose guarded values
            changed before.
        notices: Missing data and how to obtain it, one sentence each.
    """

    run: Run
    guards: int
    kinds: Mapping[str, int]
    groups: tuple[Group, ...]
    causes: tuple[Cause, ...]
    frames: tuple[FrameRow, ...]
    time: GuardTime | None
    levers: tuple[Lever, ...]
    unread: tuple[str, ...]
    findings: tuple[Finding, ...]
    notices: tuple[str, ...]
    next_steps: tuple[str, ...]


def make_guards_report(run: Run, rules: Iterable[Rule[Run, Finding]]) -> GuardsReport:
    """Reads the trees of a run, whose logs must still be there.

    Raises:
        OSError: A log is gone.
    """
    rows: list[FrameRow] = []
    newest: list[Entry] = []
    unread: list[str] = []
    times = [guard_time(process) for process in run.processes]
    for index, process in enumerate(run.processes):
        for frame in process.frames:
            guards = frame_guards(frame)
            if guards is None:
                continue
            rows.append(_row(run, index, frame, guards, times[index]))
            entry = guards.entries[-1]
            newest.append(entry)
            unread += [line for item in guards.entries for line in item.tree.unknown]
    found = [finding for rule in rules for finding in found_in(run, rule.check)]
    known = [item for item in times if item is not None]
    is_recompiled = any(item.is_recompile or item.hit_limit for item in run.compilations)
    again = command_again if is_model(run) and not run.place else command_about
    time = max(known, key=lambda item: item.per_call_ns, default=None)
    return GuardsReport(
        run=run,
        guards=sum(row.guards for row in rows),
        kinds=kinds_of(guard for entry in newest for guard in entry.tree.guards),
        groups=by_module(newest),
        causes=by_cause(run, newest),
        frames=tuple(sorted(rows, key=_urgency)),
        time=time,
        levers=tuple(lever for process in run.processes for lever in levers_of(process)),
        unread=tuple(unread),
        findings=tuple(found),
        notices=tuple(_notices(run, rows, time, len(unread))),
        next_steps=(again(run, "explain"),) if is_recompiled else (),
    )


def _row(
    run: Run, process: int, frame: Frame, guards: FrameGuards, time: GuardTime | None
) -> FrameRow:
    entry = guards.entries[-1]
    definition = StackFrame(frame.file, frame.first_line, frame.name)
    optional = parameters_at(run, definition).optional  # None by default
    compilation = next(c for c in frame.compilations if c.compile_id == entry.compile_id)
    return FrameRow(
        process=process,
        frame_id=frame.frame_id,
        name=_name(run, frame),
        file=run.roots.shown(frame.file),
        line=frame.first_line,
        entries=len(guards.entries),
        limit=guards.settings.recompile_limit,
        is_closed=guards.is_closed,
        is_skipped=guards.is_skipped,
        guards=len(entry.tree.guards),
        torch_latency_ns=entry.tree.latency_ns or compilation.guard_latency_ns,
        per_call_ns=time.by_frame.get(frame.frame_id or 0) if time else None,
        next_changes=with_instances(frame, guards, next_changes(guards, optional)),
    )


def _urgency(row: FrameRow) -> tuple[int, int, int]:
    """What is at or near its limit first, then what has changed before, then many guards."""
    is_near = row.is_closed or 1 < row.entries >= row.limit // 2
    changed = sum(change.changed_before for change in row.next_changes)
    return (not is_near, -changed, -row.guards)


def _name(run: Run, frame: Frame) -> str:
    return qualified_name(run, frame.name, frame.file, frame.first_line)


def _notices(run: Run, rows: list[FrameRow], time: GuardTime | None, unread: int) -> Iterator[str]:
    again = command_again(run, "guards")
    yield from reading_texts(run)
    if is_plain(run):
        yield ("a plain trace has no guard times, class names of methods, or model source")
    if not rows:
        yield ("no guards recorded: nothing was compiled, or the log lacks `dynamo_cpp_guards_str`")
        return
    if time is None:
        yield f"guard time per warm call was not measured; run `{again}` to measure it"
    elif time.is_program:
        yield "a call is one entry into compiled code"
    if unread:
        yield f"{unread:,} lines of guard trees could not be parsed; the JSON report lists them"


def with_instances(
    frame: Frame, guards: FrameGuards, changes: Sequence[NextChange]
) -> tuple[NextChange, ...]:
    """What recompiles a function next, another object first where several share it."""
    is_full = guards.is_closed or guards.settings.recompile_limit <= len(guards.entries)
    lead = "another instance runs eagerly" if is_full else "each recompiles"
    found = shared_instances(frame)
    own = []
    for name, (number, classes) in found.items():
        shown = user_spelling(name)
        own.append(
            NextChange(
                kind=ChangeKind.INSTANCE,
                source=name,
                name=shown,
                text=f"{shown} is one of {number} instances of {classes} that differ: {lead}",
                becomes=Effect.EAGER if is_full else Effect.CONSTANT,
                changed_before=True,
                cause=None,
            )
        )
    inside = tuple(f"{name}{end}" for name in found for end in ("", ".", "["))
    others = [
        dataclasses.replace(item, changed_before=False) if item.name.startswith(inside) else item
        for item in changes
    ]
    return (*own, *sorted(others, key=lambda item: not item.changed_before))
