"""What to write where a number changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from inspector.findings.around_calls import MANY, around_calls, limit_of
from inspector.findings.call_site import user_spelling
from inspector.findings.recompile_case import NOTHING_NEEDED, Advice, FixCase
from inspector.findings.recompile_fix_shared import (
    beyond,
    environment,
    kept_fix,
    parted,
    specialized_fix,
    within,
)
from inspector.model.recompile import Answer, Origin, RecompileClass, SymbolUse
from inspector.model.stack import user_frame

_ITEM = ".item()"  # how guards spell the value of a tensor without dimensions
# A line that needs the number itself: it decides, counts, cuts, or is written into a text.
_DECIDING = re.compile(
    r"\b(?:if|elif|while|assert|for|range|and|or|not|math\.\w+|int|min|max)\b|[<>]|[=!]="
    r"|\[[^\[\]]*:[^\[\]]*\]|\bf['\"]"
)
# Behind what is indexed: a method that writes to it, and an assignment.
_ASSIGNS = r"\s*(?:[-+*/%&|^@]|//|\*\*|<<|>>)?=(?!=)"
_STORE = re.compile(_ASSIGNS)
_WRITES = {"copy_": "=", "add_": "+=", "sub_": "-=", "mul_": "*=", "div_": "/="}
_WRITING = re.compile(rf"\.({'|'.join(_WRITES)})\(([^,=]+)\)\s*$")
_PARTS = r"(?:\[[^\[\]]*\]|\.\w+)"
_IN_PLACE = re.compile(rf"{_PARTS}*\.\w*[a-z]_\(|{_PARTS}+{_ASSIGNS}")


def _int(case: FixCase) -> Iterator[str]:
    item = case.first
    special = _special(case)
    if case.kept_over:
        yield from kept_fix(case)
    elif indexed := _indexed(case):
        yield indexed
    elif item.origin is Origin.MODULE_ATTRIBUTE:
        yield from _attribute(case)
    elif special is not None:
        yield from _specialized(case, special)
    elif item.origin is Origin.GLOBAL:
        yield from _global(case)
    elif beyond(item) is not None:
        yield from _parted(case)
    else:
        nothing = NOTHING_NEEDED if item.answer is Answer.DYNAMIC else ""
        if nothing and item.bounds:
            nothing = f"{nothing.removesuffix('. ')} within {within(item)}. "
        yield f"{nothing}{environment(case)}"
        if not _decides(case):
            yield _as_tensor(case)


def _attribute(case: FixCase) -> Iterator[str]:
    yield (
        f"Make {around_calls('allow_unspec_int_on_nn_module=True')}: {case.name} is a constant of "
        "each graph otherwise."
    )
    yield environment(case)
    yield f"Pass the number to forward() as an argument, instead of reading {case.name} there."
    if not _decides(case):
        yield (
            f"Make it a tensor: {_set_in_constructor(case.name)} = torch.tensor(…) in the "
            "constructor, changed in place (fill_(), add_())."
        )


def _global(case: FixCase) -> Iterator[str]:
    # Of what the function counts itself the caller has to keep count.
    own = f"Set it outside, {case.by_call}, and pass" if case.set_at else "Pass"
    yield (
        f"{own} {case.name} to {case.called} as an argument: a global int is a constant of "
        "each graph, an int argument becomes dynamic."
    )
    if not _decides(case):
        yield f"Make it a tensor: {case.name} = torch.tensor(…), changed in place."


def _indexed(case: FixCase) -> str:
    """A tensor without dimensions that is an index: torch reads its value, and makes it one.

    With one dimension it stays data (tried with torch 2.13); the result has that dimension more.
    """
    if not case.first.name.endswith(_ITEM):
        return ""
    index = user_spelling(case.first.name.removesuffix(_ITEM))
    special = _special(case)
    frame = user_frame(special.guarded, case.roots) if special else case.first.caused_by
    pattern = rf"(?P<table>[A-Za-z_][\w.]*)\[\s*{re.escape(index)}\s*\]"
    found = re.search(pattern, frame.code) if frame else None
    if frame is None or found is None:
        return ""
    instead, place = f"{found['table']}[{index}.reshape(1)]", found[0]
    written = _WRITING.match(frame.code, found.end())
    if written is not None:
        instead, place = (
            f"{instead} {_WRITES[written[1]]} {written[2]}",
            place + written[0].rstrip(),
        )
    elif _IN_PLACE.match(frame.code, found.end()):
        return ""  # a view is written to, and would be a copy
    same = "What is written is the same"
    if written is None and not _STORE.match(frame.code, found.end()):
        instead = f"{instead}.squeeze(0)"
        same = "The result is the same (without .squeeze(0) it has one dimension more)"
    return (
        f"Write {instead} in place of {place} at {case.place(frame)}: torch makes the value of "
        "a tensor without dimensions a constant of the graph where it is an index, and an index "
        f"with one dimension stays data. {same}, and all values are one program."
    )


def _parted(case: FixCase) -> Iterator[str]:
    """Two numbers on two sides of a condition."""
    bound = beyond(case.first)
    if bound is None:
        return
    told = parted(case, bound, "numbers", "dynamic or not")
    named = environment(case)
    yield f"{told} To save that: {named[:1].lower()}{named[1:]}" if named else told


def _special(case: FixCase) -> SymbolUse | None:
    """What made it a constant; of what changed beside something else, its own finding knows."""
    item = case.first
    same = [each for each in case.history if (each.kind, each.name) == (item.kind, item.name)]
    uses = item.symbols or [use for each in same for use in each.symbols]
    return next((use for use in uses if use.specialized), None)


def _specialized(case: FixCase, special: SymbolUse) -> Iterator[str]:
    """A number that a line made a constant; NumPy's own scalars are tensors to Dynamo."""
    frame = user_frame(special.guarded, case.roots)
    scalar = rf"\b(?:np|numpy)\.(?:float|int|uint)\d+\(\s*{re.escape(case.name)}\s*\)"
    if frame is None or not re.search(scalar, frame.code):
        yield specialized_fix(case, special)
        return
    code = frame.code.strip()
    yield (
        f"{_as_tensor(case)} As a number it is made a constant at {case.place(frame)} (`{code}`), "
        "and NumPy's conversion takes the tensor, too."
    )
    yield (
        "Where it has to stay a number, each value is compiled once. Where there are more than 8: "
        f"{limit_of(MANY)}."
    )


def is_data(case: FixCase) -> bool:
    """Whether no line needs the number itself, so that it can be one that the graph is given."""
    return not _decides(case)


def _decides(case: FixCase) -> bool:
    """Whether a line needs the number itself: of a tensor, that would break the graph."""
    index = re.compile(rf"\[\s*{re.escape(case.name)}\s*\]")
    return any(_DECIDING.search(code) or index.search(code) for code in _codes(case))


def _is_keyword(case: FixCase) -> bool:
    """Whether a line passes it on by keyword: `alpha`, `eps` and the like take no tensor."""
    passed = re.compile(rf"\w=\s*[-+]?{re.escape(case.name)}\b")
    return any(passed.search(code) for code in _codes(case))


def _codes(case: FixCase) -> Iterator[str]:
    """The lines that put guards on it."""
    for use in case.first.symbols:
        yield from (frame.code for frame in use.guarded[-1:])
    yield from (frame.code for frame in case.first.guard_stack[-1:])
    if case.first.caused_by:
        yield case.first.caused_by.code


def _as_tensor(case: FixCase) -> str:
    """A tensor in place of a number."""
    given = case.argument
    is_variable = case.first.origin in {Origin.GLOBAL, Origin.CLOSURE}
    if given.path or is_variable or not (given.text or case.site.frame is None):
        return f"Make {case.passed} a tensor: torch.tensor(…), made where its value is set."
    return f"Pass it as a tensor: torch.tensor({given.text or case.name}) {case.at_call}."


def _float(case: FixCase) -> Iterator[str]:
    special = _special(case)
    if case.kept_over:
        yield from kept_fix(case)
        return
    if special is not None:
        yield from _specialized(case, special)
        return
    if case.first.origin is Origin.MODULE_ATTRIBUTE:
        yield (
            f"Make {case.name} a tensor: {_set_in_constructor(case.name)} = torch.tensor(…) in "
            "the constructor, and changed in place (fill_()) afterwards."
        )
        return
    if case.first.answer is Answer.DYNAMIC:
        yield (
            f"{NOTHING_NEEDED}Compile with torch.compile(…, dynamic=True): then the first value is "
            "dynamic, too."
        )
    if not _is_keyword(case) and not _decides(case):
        yield _as_tensor(case)


def _set_in_constructor(name: str) -> str:
    """How the constructor of its module sets it: an attribute, or an item of a container."""
    match = re.search(r"\.(\w+)((?:\[[^\]]*\])*)$", name)
    return f"self.{match[1]}{match[2]}" if match else name


NUMBERS: Advice = {
    RecompileClass.INT: _int,
    RecompileClass.FLOAT: _float,
}
