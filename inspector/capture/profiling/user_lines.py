"""Marks the lines of the user's own code in a profile, while this thread runs them.

Outside of compiled graphs it is the only thing that says where an operator comes from. Python's
tracing is used, which Dynamo's code takes part in; torch's own ``with_stack`` knows a function's
first line alone, and ends the program where it meets memory of a CUDA graph that was overwritten.
A graph that runs as Python (``backend="eager"``) is marked with the lines that its nodes are from.
Calls of modules are marked, too: what `torch.nn.Linear` does has the line that calls it, or, where
no line of the user's does, that which makes it.
"""

from __future__ import annotations

import contextlib
import linecache
import sys
from collections.abc import Callable, Iterator, Sequence
from types import CodeType, FrameType
from typing import Any, NamedTuple

import torch
from torch import fx, nn

from inspector.capture.graphs.module_places import made_at, module_stack, stack_of
from inspector.capture.roots import recorded_roots
from inspector.capture.timeline.trace import mark_name
from inspector.shared.stack import is_graph_code, user_frame
from inspector.trace.printed_stack import printed_frames

USER_MARK = "inspector at "
"""What a mark's name begins with; ``file(line): function`` follows."""
MODULE_MARK = " | module "
"""What stands in a mark's name before the module of a graph's statement, as Dynamo calls it."""
CALL_MARK = "inspector in "
"""What the name of the mark around a module's call begins with; as Dynamo calls it follows."""
_ROOT = "L['self']"
_CALL = nn.Module._call_impl.__code__  # noqa: SLF001 - every call of a module is one of it
_COMPILED = "_orig_mod"  # what torch.compile's module calls the program's own


def generated_files() -> frozenset[str]:
    """The files that Inductor has written and that were loaded."""
    from torch._inductor.codecache import PyCodeCache

    return frozenset(str(getattr(module, "__file__", "")) for module in PyCodeCache.modules)


def is_users(file: str) -> bool:
    """Whether a file is the user's, and none that Inductor has written.

    What Python calls ``<string>`` or ``<frozen os>`` (code of dataclasses, of its own modules) is
    in no file that anyone could look into.
    """
    is_nowhere = file == "<string>" or file.startswith(("<frozen ", "<eval_with_key>"))
    return not is_nowhere and recorded_roots().is_user(file) and file not in generated_files()


@contextlib.contextmanager
def marked_user_lines(is_user: Callable[[str], bool]) -> Iterator[None]:
    """Marks each line while it runs; where a debugger traces already, nothing is marked."""
    if sys.gettrace() is not None:
        yield
        return
    marks = _Marks(is_user)
    sys.settrace(marks.enter)
    try:
        yield
    finally:
        sys.settrace(None)
        marks.end()


class _Mark(NamedTuple):
    """What is marked while a frame is at a line, or is there.

    Attributes:
        marks: The profiler's own marks, the outermost first.
        is_line: Whether it is of a line that runs.
    """

    frame: FrameType
    marks: Sequence[Any]
    is_line: bool

    def end(self) -> None:
        for mark in reversed(self.marks):
            mark.__exit__(None, None, None)


class _Marks:
    """The marks that are open, the outermost first."""

    def __init__(self, is_user: Callable[[str], bool]) -> None:
        self._is_user = is_user
        self._known: dict[str, bool] = {}
        self._graph_lines: dict[tuple[CodeType, int], str] = {}
        self._open: list[_Mark] = []
        self._paths: dict[int, str] = {}
        # Compiled code calls these, with tensors and modules: Dynamo would compile them as well.
        self.enter = torch.compiler.disable(self._enter)
        self._at_line = torch.compiler.disable(self._step)
        self._at_end = torch.compiler.disable(self._leave)

    def _enter(self, frame: FrameType, event: str, argument: object) -> Any:  # noqa: ARG002
        if frame.f_code is _CALL:
            module = frame.f_locals.get("self")
            if isinstance(module, nn.Module) and id(module) not in self._paths:
                for name, child in module.named_modules():
                    parts = [part for part in name.split(".") if part and part != _COMPILED]
                    # What Dynamo calls a module in the one that is compiled:
                    # ``L['self'].layers.0``.
                    self._paths.setdefault(id(child), ".".join([_ROOT, *parts]))
            called = CALL_MARK + self._paths.get(id(module), "")
            is_within = any(mark.is_line for mark in self._open)
            made = "" if is_within or self._has_lines(module) else made_at(module)
            self._begin(frame, called, *([USER_MARK + made] if made else []))
            frame.f_trace_lines = False
            return self._at_end
        file = frame.f_code.co_filename
        if file not in self._known:
            self._known[file] = is_graph_code(file) or self._is_user(file)
        return self._at_line if self._known[file] else None

    def _has_lines(self, module: object) -> bool:
        """Whether a module's own code is the user's: its lines say more than where it is made."""
        code = getattr(getattr(type(module), "forward", None), "__code__", None)
        return code is not None and self._is_user(code.co_filename)

    def end(self) -> None:
        while self._open:
            self._open.pop().end()

    def _leave(self, frame: FrameType, event: str, argument: object) -> None:  # noqa: ARG002
        if event == "return":
            self._close(frame)

    def _step(self, frame: FrameType, event: str, argument: object) -> Any:  # noqa: ARG002
        if event in {"line", "return"}:
            self._close(frame)
        name = self._name(frame) if event == "line" else ""
        if name:
            self._begin(frame, name, is_line=True)
        return self._at_line

    def _begin(self, frame: FrameType, *names: str, is_line: bool = False) -> None:
        from torch._C._profiler import _RecordFunctionFast

        marks = [_RecordFunctionFast(mark_name(name)) for name in names]
        for mark in marks:
            mark.__enter__()
        self._open.append(_Mark(frame, marks, is_line))

    def _name(self, frame: FrameType) -> str:
        code = frame.f_code
        if not is_graph_code(code.co_filename):
            return f"{USER_MARK}{code.co_filename}({frame.f_lineno}): {code.co_name}"
        key = code, frame.f_lineno
        if key not in self._graph_lines:
            self._graph_lines[key] = graph_line(frame)
        return self._graph_lines[key]

    def _close(self, frame: FrameType) -> None:
        """Closes the mark of a frame, and those of frames that it called and that are gone."""
        if not any(mark.frame is frame for mark in self._open):
            return
        while self._open:
            mark = self._open.pop()
            mark.end()
            if mark.frame is frame:
                return


def graph_line(frame: FrameType) -> str:
    """The mark of the statement that a frame of graph code is at; empty where nobody knows.

    It has the line that the statement is from and, as Dynamo calls it, the module that it is in.
    """
    node = _node_at(frame)
    found = user_frame(printed_frames(stack_of(node)), recorded_roots()) if node else None
    if node is None or found is None:
        return ""
    modules = [MODULE_MARK + str(name) for name, _ in module_stack(node).values()]
    return f"{USER_MARK}{found.file}({found.line}): {found.name}{''.join(modules[-1:])}"


def _node_at(frame: FrameType) -> fx.Node | None:
    """The node whose statement a frame is at, by torch's map of lines to numbers of nodes.

    The map is of the graph as it was when its code was made. A graph that was changed since has
    other nodes at these numbers; the statement names the right one.
    """
    module = frame.f_locals.get("self")
    if not isinstance(module, fx.GraphModule):
        return None
    numbers = getattr(module, "_lineno_map", None) or {}
    number = numbers.get(frame.f_lineno - getattr(module, "_prologue_start", 0))
    nodes = list(module.graph.nodes)
    if number is None or number >= len(nodes):
        return None
    text = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
    node: fx.Node = nodes[number]
    assigned = text.partition("=")[0].partition(":")[0].strip()  # `name : annotation = …`
    return node if assigned == node.name else None
