"""Marks code behind graph breaks that Dynamo left to Python: torch marks only what it compiled.

Without a mark nothing tells where the line that broke ends and the rest of the function begins.
"""

from __future__ import annotations

import contextlib
import gc
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any, NamedTuple

import torch
from torch._dynamo import config

from inspector.capture import versions
from inspector.capture.timeline.timeline import EAGER_MARK
from inspector.capture.timeline.trace import mark_name
from inspector.capture.writer import guarded

# torch/_dynamo/symbolic_convert.py and output_graph.py, 2.13: the global by which compiled code
# calls what comes behind a break, and the function that makes it where it has free variables.
_GLOBAL = "__resume_at_"
_FACTORY = "install_resume_function_global.<locals>._make_fn"


class _Rest(NamedTuple):
    """What is a global of a module, and what marks it."""

    scope: dict[str, Any]
    name: str
    function: FunctionType
    marked: Callable[..., object]


@contextlib.contextmanager
def marked_eager_continuations() -> Iterator[None]:
    """While this is open, calls of what Dynamo made and then gave up are marked."""
    rests: list[_Rest] = []
    guarded("mark eager continuations", lambda: rests.extend(_rests()))
    for rest in rests:
        rest.scope[rest.name] = rest.marked
    try:
        yield
    finally:
        for rest in rests:
            if rest.scope.get(rest.name) is rest.marked:
                rest.scope[rest.name] = rest.function


def _rests() -> Iterator[_Rest]:
    for function in [item for item in gc.get_objects() if type(item) is FunctionType]:
        if function.__name__.startswith(_GLOBAL):
            name, scope, code = function.__name__, function.__globals__, function.__code__
            marked = _marked(function, code.co_name)
        elif function.__qualname__.endswith(_FACTORY):
            cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
            found = {name: cell.cell_contents for name, cell in cells}
            name, scope, code = found["name"], found["f_globals"], found["code"]
            marked = _making(function, code.co_name)
        else:
            continue
        if scope.get(name) is function and _may_run_eagerly(code):
            yield _Rest(scope, name, function, marked)


def _may_run_eagerly(code: CodeType) -> bool:
    """Whether there is nothing compiled of it, although it was called before, or no more will be.

    At the recompile limit calls that no entry fits run eagerly. With nested graph breaks what comes
    behind a break in an inlined function has no entry, and is traced as a part of its caller's.
    """
    entries: list[object] = torch._C._dynamo.eval_frame._debug_get_cache_entry_list(code)  # noqa: SLF001
    is_inlined = not entries and config.nested_graph_breaks
    return not is_inlined and (not entries or len(entries) >= config.recompile_limit)


def _marked(function: Callable[..., object], name: str) -> Callable[..., object]:
    mark = mark_name(f"{EAGER_MARK} {name}")

    def rest(*arguments: object) -> object:
        with torch._C._profiler._RecordFunctionFast(mark):  # noqa: SLF001
            return function(*arguments)

    versions.skip_frames_of(rest)  # Dynamo would compile it, as all that compiled code calls
    return rest


def _making(
    factory: Callable[..., Callable[..., object]], name: str
) -> Callable[..., Callable[..., object]]:
    def make(*arguments: object) -> Callable[..., object]:
        return _marked(factory(*arguments), name)

    versions.skip_frames_of(make)
    return make
