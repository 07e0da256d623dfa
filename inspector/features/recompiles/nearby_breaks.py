"""Graph breaks around a function: the one it resumes after, and the one in its caller."""

import dataclasses
import re
import symtable
from collections.abc import Sequence

from inspector.run.closure_name import ClosureName
from inspector.run.compilation import Frame, FrameState
from inspector.run.graph_break import GraphBreak, Outcome
from inspector.run.recompile import Origin, Recompile
from inspector.run.run import Process, Run
from inspector.shared.stack import StackFrame, is_resumed, plain_name, resumed_line

_LOCAL = frozenset({Origin.ARGUMENT, Origin.UNKNOWN})
_VARIABLE = re.compile(r"[A-Za-z_]\w*")


@dataclasses.dataclass(frozen=True, slots=True)
class BreakBefore:
    """The break after which a function resumes.

    Attributes:
        place: Its line; of a break in a function that was called, the line in there.
    """

    place: StackFrame
    title: str


def break_before(run: Run, frame: Frame) -> BreakBefore | None:
    """Where the graph broke, for a function that Dynamo made; None for the user's own.

    Where no record of a break goes through the line at which the function goes on, that line is all
    that is known.
    """
    line = resumed_line(frame.name)
    if line is None:
        return None
    name = plain_name(frame.name)
    found = [item for item in run.graph_breaks if _goes_through(item, frame.file, line)]
    # One site breaks every function that it is inlined into.
    own = [item for item in found if plain_name(item.frame_name) == name]
    for item in own or found:
        if item.user is not None:
            return BreakBefore(item.user, item.cause.title)
    return BreakBefore(StackFrame(frame.file, line, name), "")


def _goes_through(record: GraphBreak, file: str, line: int) -> bool:
    stack = (*record.stack, *(() if record.user is None else (record.user,)))
    return any(
        frame.file == file and frame.line <= line <= (frame.end_line or frame.line)
        for frame in stack
    )


def is_kept(run: Run, frame: Frame, item: Recompile) -> bool:
    """Whether what changes is a local that the function itself computes.

    No attribute or global is one, and no parameter that stays what the caller passed: without the
    break the function is compiled for it all the same. A local that a comprehension or an inner
    function uses comes to what goes on behind a break as a variable of its closure.
    """
    if item.name.startswith("___stack"):
        return True
    if ClosureName.of(item.name) is not None or "__closure__" in item.name:
        return False  # one of another function's
    variable = _VARIABLE.match(item.name)
    found = _of_function(run, frame, variable[0]) if variable is not None else None
    is_passed = found is not None and found.is_parameter() and not found.is_assigned()
    if item.origin in _LOCAL:
        return not is_passed
    is_own = found is not None and found.is_local() and not is_passed
    return item.origin is Origin.CLOSURE and is_own


def _of_function(run: Run, frame: Frame, variable: str) -> symtable.Symbol | None:
    """A variable of the user's function that a frame is of; None where it has none of the name."""
    try:
        tables = [symtable.symtable(run.sources.text(frame.file) or "", frame.file, "exec")]
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    name, line = plain_name(frame.name), resumed_line(frame.name) or frame.first_line
    found: list[symtable.SymbolTable] = []
    while tables:
        table = tables.pop()
        tables += table.get_children()
        if table.get_name() == name and table.get_lineno() <= line:
            found.append(table)
    own = max(found, key=symtable.SymbolTable.get_lineno, default=None)  # the line is in it
    if own is None or variable not in own.get_identifiers():
        return None
    return own.lookup(variable)


def given_up_caller(
    process: Process, frame: Frame, stack: Sequence[StackFrame]
) -> GraphBreak | None:
    """The graph break without which a function is traced as a part of what calls it, or None."""
    if is_resumed(frame.name):
        return None
    own = frame.file, plain_name(frame.name)
    for caller in reversed(stack[:-1]):
        name = caller.file, plain_name(caller.name)
        frames = [item for item in process.frames if (item.file, plain_name(item.name)) == name]
        for item in frames:
            records = [
                record
                for compilation in item.compilations
                for record in compilation.graph_breaks
                if record.caused_by is None and record.user is not None
            ]
            # All of the caller runs eagerly; or it met the break in the function, and calls it.
            gave_up = (r for r in records if r.outcome is Outcome.FRAME_SKIPPED)
            inside = (
                record
                for record in records
                if own in {(place.file, plain_name(place.name)) for place in record.stack}
            )
            found = next(gave_up, None) or next(inside, None)
            if found is not None:
                return found
        if any(item.state is FrameState.COMPILED for item in frames):
            return None  # what it calls is its own doing
    return None
