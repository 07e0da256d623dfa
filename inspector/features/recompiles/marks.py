"""``torch._dynamo.mark_dynamic`` for every size of a function's inputs that changes, in one fix.

A mark promises that the dimension stays dynamic: where one of two inputs that must have the same
size is marked and the other one is not, torch raises ``ConstraintViolationError``.
"""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.features.recompiles.case import FixCase, is_zero_one
from inspector.features.recompiles.changes import key_of
from inspector.report.user_code.call_site import user_spelling
from inspector.run.closure_name import ClosureName
from inspector.run.dynamic_sources import tensor_of
from inspector.run.recompile import Change, Recompile, RecompileClass, SymbolUse
from inspector.trace.failed_guard import stripped_source

_OF_MODULE = re.compile(r"\._(?:parameters|buffers)\[")
_ARRAY = "___from_numpy("
_KEPT = "___stack"  # over a graph break: it has no name that one could write
_SIZED = re.compile(r"^(?P<tensor>.+)\.size\(\)\[(?P<index>\d+)\]$")
_KEYED = re.compile(r"(?P<container>.+)\[(?P<key>'[^']*'|\"[^\"]*\")\]")
_WHERE = " (where "
_KEYS = (RecompileClass.KEYS, RecompileClass.LENGTH)
Marks = Mapping[str, tuple[int, ...]]
"""Dimensions to mark, by the name of the tensor as reasons spell it."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Lines:
    """What gets a name first (``a = torch.ones(n, 3)``), the marks, and the names to pass."""

    names: tuple[str, ...]
    marks: tuple[str, ...]
    given: tuple[str, ...]


def changing_sizes(history: Iterable[Recompile]) -> Marks:
    """The dimensions that change and can be dynamic, over all recompilations of a function.

    Left out are sizes 0 and 1, which cannot be marked; what a line makes a constant, for which a
    mark is an error; and parameters and buffers, whose sizes torch makes constants in any case.
    """
    history = tuple(history)
    fixed = constants(history)
    marks: dict[str, list[int]] = {}
    for item in history:
        for name, source, index in _sizes(item):
            if f"{source}.size()[{index}]" not in fixed and index not in marks.get(name, ()):
                marks.setdefault(name, []).append(index)
    return {name: tuple(sorted(indexes)) for name, indexes in marks.items()}


def of_parameters(source: str) -> bool:
    """Whether a tensor is a parameter or a buffer of a module."""
    return _OF_MODULE.search(source) is not None


def _sizes(item: Recompile) -> Iterator[tuple[str, str, int]]:
    """Tensor, the same in Dynamo's spelling, and dimension."""
    for change in item.changes:
        if change.kind is RecompileClass.SIZE and change.index is not None:
            usual = not change.is_zero_one and not of_parameters(change.source)
            if usual and "._base" not in change.source:
                yield change.name, change.source, change.index
    is_size = item.kind is RecompileClass.SIZE and not is_zero_one(item)
    if is_size and not item.changes and item.index is not None and not of_parameters(item.source):
        yield item.name, item.source, item.index


def mark_fix(case: FixCase) -> str:
    """The line that marks them all."""
    if case.separating_break is not None:
        # In a caller that is compiled, too, a mark is an error (`forbid_in_graph`).
        return (
            f"Fix the graph break at {case.place(case.separating_break)}, so {case.called} becomes "
            "part of its caller. Or compile with torch.compile(…, dynamic=True): a compiled caller "
            "cannot mark dimensions."
        )
    marks = changing_sizes((*case.items, *case.history))
    name = tensor_of(case.first.name)
    if name not in marks:
        index = case.first.index
        if index is None:  # of a symbolic size, in its source
            sized = _SIZED.match(case.first.name)
            index = int(sized["index"]) if sized else 0
        marks = {name: (index,), **marks}
    marks = {name: found for name, found in marks.items() if _can_mark(case, name)}
    if not marks:
        return "Mark the sizes that change with torch._dynamo.mark_dynamic."
    # What goes on behind a graph break meets the mark again, next to sizes that have none.
    function = "maybe_mark_dynamic" if case.has_breaks else "mark_dynamic"
    return _marking(case, marks, f"torch._dynamo.{function}")


def marks_of(case: FixCase, sizes: Iterable[str]) -> str:
    """The line that marks some sizes (``x.size()[0]``); empty where the caller cannot."""
    marks: dict[str, list[int]] = {}
    for size in sizes:
        match = _SIZED.match(size)
        if match and _can_mark(case, match["tensor"]):
            marks.setdefault(match["tensor"], []).append(int(match["index"]))
    if not marks or case.separating_break is not None:
        return ""
    shown = {name: tuple(sorted(indexes)) for name, indexes in marks.items()}
    return _marking(case, shown, "torch._dynamo.mark_dynamic")


def _marking(case: FixCase, marks: Marks, function: str) -> str:
    """The line for the first call, whose marks hold for all that is found afterwards."""
    first = case.first_site
    if first is not None and first.frame is not None and first.call is not None:
        at_first = dataclasses.replace(case, site=first, elsewhere=())
        lines = _lines(at_first, marks, function)
        # It may pass one tensor as two, or lack one.
        is_whole = not any(_WHERE in line for line in lines.marks)
        if is_whole and len(set(lines.marks)) == len(lines.marks):
            return _sentence(lines, at_first)
    return _sentence(_lines(case, marks, function), case)


def _can_mark(case: FixCase, name: str) -> bool:
    """Whether the caller has it: what a graph break hands on is the function's own."""
    return not name.startswith(_KEPT) and not case.is_kept(name)


def _lines(case: FixCase, marks: Marks, function: str) -> _Lines:
    names: list[str] = []
    lines: list[str] = []
    given: list[str] = []
    for name, dimensions in marks.items():
        expression = _expression(case, name, names, given)
        shown = str(dimensions[0]) if len(dimensions) == 1 else str(list(dimensions))
        line = f"{function}({expression}, {shown})"
        condition = _condition(case, name, expression)
        lines.append(f"{line}{_WHERE}{condition})" if condition else line)
    return _Lines(tuple(names), tuple(lines), tuple(given))


def _condition(case: FixCase, name: str, expression: str) -> str:
    """What has to hold for a tensor to be there, where it is missing in some calls."""
    every: list[Change | Recompile] = []
    for item in (*case.items, *case.history):
        every += [*item.changes, item]
    changes = [(each.kind, each.name, each.before, each.now) for each in every]
    if any(kind is RecompileClass.NONE and of == name for kind, of, _, _ in changes):
        return f"{expression} is not None"
    keyed = _KEYED.fullmatch(name)
    key = keyed["key"] if keyed else ""
    shown = expression.removesuffix(f"[{key}]")
    if keyed is None or shown == expression:
        return ""
    for kind, of, before, now in changes:
        if of == keyed["container"] and kind in _KEYS:
            # On one side alone: of ``with 'k'`` and ``without 'k'``, or of all keys.
            asked = key_of(before)
            # Of a number of keys nobody knows which one it was.
            is_number = before.partition(" ")[0].isdecimal()
            if asked == key if asked else is_number or (key in before) != (key in now):
                return f"{key} in {shown}"
    return ""


def _expression(case: FixCase, name: str, names: list[str], given: list[str]) -> str:
    """What is marked; what has no name at the call gets one."""
    passed = case.site.passed(name)
    closed = ClosureName.of(name)
    if closed is not None:
        return closed.expression
    if name.startswith(_ARRAY):
        names.append(f"t = torch.from_numpy({passed.written or user_spelling(name)})")
        given.append("t (remove torch.from_numpy from the function: it does not accept tensors)")
        return "t"
    if passed.whole or case.site.frame is None or case.is_own(name):
        return passed.whole or user_spelling(name)
    own = f"{passed.parameter}_given"
    if passed.text:
        names.append(f"{own} = {passed.text}")
    else:
        names.append(f"{own} for the argument {passed.parameter}")
    given.append(own)
    return own + passed.path


def _sentence(lines: _Lines, case: FixCase) -> str:
    marks = _joined(lines.marks)
    if ClosureName.of(case.first.name):
        return f"Call {marks} where the value is set, before the first call."
    if not lines.names:
        return f"Call {marks} {case.before_first_call}."
    assign = "Assign the tensor to a variable"
    if len(set(lines.names)) > 1:
        assign = "Assign the tensors to variables"
    return (
        f"{assign} first: {', '.join(dict.fromkeys(lines.names))}. Call {marks} "
        f"{case.before_first_call}, and pass {_joined(tuple(dict.fromkeys(lines.given)))}."
    )


def _joined(items: Sequence[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"


def constants(history: Iterable[Recompile]) -> frozenset[str]:
    """The sizes (``L['x'].size()[0]``) for which a mark is an error.

    A line that works for one size makes it a constant each time. A size that was a constant once,
    because another input of the same size was, is dynamic where both are. So is one that was taken
    for another size, which was equal then.
    """
    made: set[str] = set()
    released: set[str] = set()
    for item in history:
        shared = item.equal_sizes.changed if item.equal_sizes else ()
        own = {
            use.source
            for use in item.symbols
            if use.specialized and not use.held_by and stripped_source(use.source) not in shared
        }
        made |= own
        for change in item.changes:
            if change.kind is RecompileClass.SIZE and change.index is not None:
                source = f"{change.source}.size()[{change.index}]"
                made |= {source} if change.specialized is not None else set()
                released |= {source} if change.is_dynamic and source not in own else set()
    return frozenset(made - released)


def specialized_use(item: Recompile, history: Iterable[Recompile]) -> SymbolUse | None:
    """The symbol of a guard that a line makes a constant each time, or None."""
    use = next((use for use in item.symbols if use.specialized and not use.held_by), None)
    if use is None or item.kind not in {RecompileClass.SIZE, RecompileClass.SYMBOLIC_SHAPE}:
        return use
    return use if use.source in constants((item, *history)) else None
