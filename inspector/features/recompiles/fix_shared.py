"""Facts for several sections of ``recompile_fixes.md``: dynamic sources, limits, bounds, breaks."""

import dataclasses
import re
from collections.abc import Sequence

from inspector.features.recompiles.around_calls import MANY, around_calls, limit_of
from inspector.features.recompiles.case import Facts, FixCase, is_zero_one
from inspector.features.recompiles.marks import specialized_use
from inspector.report.failed_frames import error_text
from inspector.report.wording import listed
from inspector.run.compilation import Compilation, Frame
from inspector.run.dynamic_sources import dynamic_sources
from inspector.run.graph_break import Outcome
from inspector.run.recompile import Answer, Bound, Recompile, RecompileClass, SymbolUse
from inspector.shared.roots import Roots
from inspector.shared.stack import StackFrame, user_frame

_LOOP = re.compile(r"\bfor\b.+\bin\b")
_LOOP_AND_BODY = re.compile(r"\s*for\b[^:]+\bin\b[^:]*:\s*[^\s#]")  # it may be the body's line
_EQUALITY = re.compile(r"[=!]=")
ENVIRONMENT = "TORCH_COMPILE_DYNAMIC_SOURCES"
"""Torch's environment variable for what is dynamic from the first call on."""
_FLOAT = RecompileClass.FLOAT
_MOST_LIKEWISE = 6
_FEW_SOURCES = 8
_SIZE_OR_INT = frozenset({RecompileClass.SIZE, RecompileClass.INT})
_DYNAMIC = frozenset({*_SIZE_OR_INT, RecompileClass.SYMBOLIC_SHAPE})
# torch/_dynamo/config.py, 2.7 to 2.13: versions of one function; `accumulated_recompile_limit` is
# for it in all of its objects. Before, they were `cache_size_limit` and `accumulated_…`.
_LIMIT = "recompile_limit"
_DEFAULT_LIMIT = 8
_DEFAULT_ACCUMULATED = 256
_FEW = 64
_NEAR = 2
_OFTEN = 3
_COUNTED = frozenset({RecompileClass.INT, RecompileClass.LENGTH})
_NUMBER_OF_KEYS = re.compile(r"\d+ keys?")
_MOST_BOUNDS = 2


def environment(case: FixCase) -> str:
    """The environment variable that makes it dynamic, as a sentence; empty for floats alone."""
    sources = ",".join(dynamic_sources(case.items, case.history))
    if not sources:
        return ""
    return f'Without changing the source, set {ENVIRONMENT}="{sources}" in the environment.'


def _environment_of_all(case: FixCase) -> str:
    return environment(dataclasses.replace(case, items=case.history or case.items))


def _has_dynamic_sources(case: FixCase) -> bool:
    """Whether what changes can be dynamic without a change of the source."""
    return case.first.kind in _DYNAMIC and bool(_environment_of_all(case))


def lowered(text: str) -> str:
    """A sentence as a clause."""
    return text[:1].lower() + text[1:]


def special(case: FixCase) -> SymbolUse | None:
    """The symbol that a line makes a constant, or None; of a number, in any recompilation.

    Of a number that changed beside something else, its own finding knows.
    """
    item = case.first
    if not is_number(case):
        return specialized_use(item, case.history)
    same = [each for each in case.history if (each.kind, each.name) == (item.kind, item.name)]
    uses = item.symbols or [use for each in same for use in each.symbols]
    return next((use for use in uses if use.specialized), None)


def special_frame(case: FixCase) -> StackFrame | None:
    """The line that makes it a constant, or None."""
    use = special(case)
    return user_frame(use.guarded, case.roots) if use else None


def is_number(case: FixCase) -> bool:
    """Whether a number changes, and no size."""
    return case.first.kind in {RecompileClass.INT, RecompileClass.FLOAT}


def constant(case: FixCase) -> str:
    """What a line makes of it, as Python writes it: torch's has all digits of a float."""
    use = special(case)
    text = (use.specialized if use else None) or ""
    try:
        return repr(float(text)) if is_number(case) and "." in text else text
    except ValueError:
        return text


def constant_at(case: FixCase) -> str:
    """`` at model.py:7 (`y = x[:4]`)``; empty where that is not known."""
    frame = special_frame(case)
    return f" at {case.line(frame)}" if frame else ""


def _special_code(case: FixCase) -> str:
    frame = special_frame(case)
    return frame.code if frame else ""


def is_unrolled_loop(case: FixCase) -> bool:
    """Whether a loop makes it a constant, and not what is in it."""
    code = _special_code(case)
    return bool(_LOOP.search(code)) and not _LOOP_AND_BODY.match(code)


def break_across(case: FixCase, items: Sequence[Recompile]) -> str:
    """What to do about several values that one graph break hands on."""
    where = case.place(case.behind) if case.behind else "the line before"
    # Tensors whose sizes changed together are told as one change.
    sized = [
        change.name
        for item in items
        for change in (item.changes if item.kind is RecompileClass.SIZE else ())
        if change.kind is item.kind
    ]
    every = [name for name in (*(item.name for item in items), *sized) if case.is_kept(name)]
    names = tuple(dict.fromkeys(map(case.crossing_name, every)))
    kept = (
        f"{names[0]} becomes an input"
        if len(names) == 1
        else f"{listed(names, _MOST_LIKEWISE)} become inputs"
    )
    return (
        f"Remove the graph break at {where}. Because of it, {kept} of the code compiled after it."
    )


def near_limit(case: FixCase) -> bool:
    """Whether torch compiles hardly any more of the function."""
    hit = any(item.limit is not None for item in case.history)
    return hit or len(case.history) + 1 >= _DEFAULT_LIMIT - _NEAR


def _is_counted(case: FixCase) -> bool:
    """Whether something else is new in each compilation, as a count of calls is: no limit helps."""
    found: dict[str, list[str]] = {}
    for change in (change for item in case.items for change in item.changes):
        if change.kind in _COUNTED or _NUMBER_OF_KEYS.fullmatch(change.now):
            found.setdefault(change.name, []).append(change.now)
    return any(len({*texts}) == len(texts) >= _OFTEN for texts in found.values())


def raised_limit(case: FixCase, of_what: str = "values") -> str:
    """A higher limit, the one that is in the way, where it is not too many programs."""
    values = len(case.items) + 1
    if values > _FEW or _is_counted(case):
        return ""
    hit = next((item.limit for item in case.history if item.limit is not None), None)
    name = hit.name if hit else _LIMIT
    needed = max(2 * (hit.number if hit else _DEFAULT_LIMIT), 2 * values)
    how = limit_of(needed)
    if name != _LIMIT:
        default = _DEFAULT_ACCUMULATED if name.startswith("accumulated_") else _DEFAULT_LIMIT
        how = f"{around_calls(f'{name}={needed}')} ({default} by default)"
    return f"If there are only a few {of_what}, raise the limit: {how}. Each is then compiled once."


def bounds_of(item: Recompile) -> str:
    """The bounds of one recompilation, likewise."""
    return listed([f"`{bound.text}`" for bound in item.bounds], _MOST_BOUNDS)


def beyond(case: FixCase) -> Bound | None:
    """The bound that what was compiled first is beyond, or None."""
    bounds = case.first.bounds if case.first.answer is Answer.DYNAMIC else ()
    return next((bound for bound in bounds if bound.parts), None)


def bound_at(case: FixCase) -> str:
    """`` (model.py:7: `if x.shape[0] > 5`)``; empty where that is not known."""
    found = beyond(case)
    frame = user_frame(found.stack, case.roots) if found else None
    code = f": `{frame.code.strip()}`" if frame and frame.code else ""
    return f" ({case.place(frame)}{code})" if frame else ""


def all_failed(items: Sequence[Recompile]) -> bool:
    """Whether nothing was kept of any of them."""
    return all(item.answer is Answer.FAILED for item in items)


def failure_fix(frame: Frame, items: Sequence[Recompile], roots: Roots) -> tuple[str, ...]:
    """What to do about compilations that fail; nothing about others."""
    if not all_failed(items):
        return ()
    ids = {item.compile_id for item in items}
    failed = [each for each in frame.compilations if each.compile_id in ids]
    found = dict.fromkeys(text for each in failed if (text := _fails_at(each, roots)))
    what = " and ".join([*found][:2]) or "the cause of the failure"
    mend = (
        f"Fix {what}: a failed compilation is not cached, so every such call compiles and fails "
        "again."
    )
    is_for_fullgraph = any(
        record.outcome is Outcome.RAISED for item in failed for record in item.graph_breaks
    )
    return (mend, _ONE_GRAPH) if is_for_fullgraph else (mend,)


_ONE_GRAPH = (
    "Remove fullgraph=True: the graph then breaks there, or the whole function runs eagerly."
)


def _fails_at(item: Compilation, roots: Roots) -> str:
    """``the graph break at model.py:5 (Failed to trace builtin operator)``; empty where unknown."""
    record = next((r for r in item.graph_breaks if r.outcome is Outcome.RAISED), None)
    if record is not None:
        place, what, why = record.user, "graph break", record.cause.title
    elif item.failure is not None:
        place, what = user_frame(item.failure.stack, roots), "compile error"
        why = error_text(item.failure)
    else:
        return ""
    at = f" at {roots.shown(place.file)}:{place.line}" if place is not None else ""
    return f"the {what}{at} ({why})"


def reader(case: FixCase) -> StackFrame | None:
    """The line that looks at what changes, and so has the guard."""
    return case.first.guard_stack[-1] if case.first.guard_stack else case.first.caused_by


def _the_call(case: FixCase) -> str:
    frame = case.site.frame
    return f"the call at {case.place(frame)}" if frame else "the call"


def _is_on_stack(case: FixCase) -> bool:
    """Whether a graph break kept it where it has no name."""
    return "___stack" in case.first.name


FACTS: Facts = {
    "is_on_stack": _is_on_stack,
    "compilations": lambda case: len(case.items),
    "has_bounds": lambda case: bool(case.first.bounds),
    "is_zero_one": lambda case: is_zero_one(case.first),
    "setter": lambda case: (
        f"{case.called} itself"
        if case.set_at is None or case.set_at.name == case.called.rpartition(".")[2]
        else f"`self.{case.set_at.name}()`, which {case.called} calls,"
    ),
    "set_at_line": lambda case: case.line(case.set_at) if case.set_at else "",
    # Where a line goes that has to run in the caller, or behind the call.
    "by_call": lambda case: f"by {_the_call(case)}",
    "behind_call": lambda case: f"after {_the_call(case)}",
    "environment_of_all": _environment_of_all,
    "has_dynamic_sources": _has_dynamic_sources,
    # So few are better named than all made dynamic.
    "few_dynamic_sources": lambda case: (
        _has_dynamic_sources(case)
        and len(dynamic_sources(case.history or case.items, case.history)) <= _FEW_SOURCES
    ),
    # The variable for what can be dynamic, and has a name.
    "kept_environment": lambda case: (
        environment(case)
        if case.first.kind in {*_DYNAMIC, RecompileClass.RANK} and not _is_on_stack(case)
        else ""
    ),
    "is_dynamic": lambda case: case.first.answer is Answer.DYNAMIC,
    # The line is of an operator's fake implementation.
    "is_inside_operator": lambda case: (use := special(case)) is not None and use.is_inside,
    "is_literal": lambda case: (
        re.search(rf"\b{re.escape(constant(case))}\b", _special_code(case)) is not None
    ),
    "bound": lambda case: found.text if (found := beyond(case)) else "",
    "skipped_place": lambda case: (
        case.place(case.skipped_by.user) if case.skipped_by and case.skipped_by.user else ""
    ),
    "environment_clause": lambda case: lowered(environment(case)),
    "is_equality": lambda case: _EQUALITY.search(_special_code(case)) is not None,
    "limit_of_many": lambda _: limit_of(MANY),
    "remove_break": lambda case: break_across(case, (case.first,)),
    "raised_limit_of_keys": lambda case: raised_limit(case, "sets of keys"),
    "within": lambda case: bounds_of(case.first),
    "sides": lambda case: f" {case.before} and {case.now}" if case.before and case.now else "",
    "first_side": lambda case: case.before or "the first one",
    "apart_place": lambda case: case.place(case.separating_break) if case.separating_break else "",
    "skipped_title": lambda case: case.skipped_by.cause.title if case.skipped_by else "",
    "any_failure": lambda case: any(item.failure for item in case.items),
}
