"""Where the user's own code calls a compiled function, and what it passes there."""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import re
from collections.abc import Iterator, Sequence

from inspector.model.guard_source import without_class_dicts
from inspector.model.run import Run
from inspector.model.stack import StackFrame, plain_name

__all__ = ["CallSite", "call_site", "user_spelling"]

_MODULE_DICT = re.compile(r"\._(?:modules|parameters|buffers)\[(['\"])(\w+)\1\]")
_BASE = re.compile(r"^(?P<base>[A-Za-z_]\w*)(?P<path>.*)$", re.DOTALL)
_NUMPY = re.compile(r"^___from_numpy\((.+)\)$")
_KEPT = re.compile(r"^___stack\d+")
# Whoever calls these calls no function of the user's.
_LIBRARIES = frozenset({"torch", "np", "numpy", "math", "F", "nn", *dir(builtins)})
_GLOBAL = re.compile(r"^G\[(['\"])(\w+)\1\]")


@dataclasses.dataclass(frozen=True, slots=True)
class CallSite:
    """The place from which a compiled function is called.

    Attributes:
        frame: The caller's frame, or None where the program's own code does not call it (the
            inputs of ``inspect explain``) or nobody knows.
        expression: What the caller passes for the source that was asked for; an empty string where
            the text of the line does not tell.
    """

    frame: StackFrame | None
    expression: str


def user_spelling(name: str) -> str:
    """A source as the user would write it: ``self.layers[0].weight``, ``N``."""
    name = without_class_dicts(name)
    numpy = _NUMPY.match(name)
    text = _GLOBAL.sub(r"\2", numpy[1] if numpy else name)
    text = _KEPT.sub("(kept over a graph break)", text)
    return _MODULE_DICT.sub(lambda m: f"[{m[2]}]" if m[2].isdecimal() else f".{m[2]}", text)


def call_site(run: Run, stack: Sequence[StackFrame], frame: StackFrame, name: str) -> CallSite:
    """Where a function was called from, and what was passed there.

    Args:
        run: The run.
        stack: The stack down to the function, outermost first.
        frame: The function's definition.
        name: The source of interest as reasons spell it (``x``, ``d['k']``, ``self.cache``).
    """
    callers = [item for item in stack[:-1] if run.roots.is_user(item.file)]
    if not callers:
        return CallSite(None, "")
    return CallSite(callers[-1], _passed(run, callers[-1], frame, user_spelling(name)))


def _passed(run: Run, caller: StackFrame, frame: StackFrame, name: str) -> str:
    match = _BASE.match(name)
    parameters = _parameters(run.sources.text(frame.file) or "", frame.line)
    if match is None or match["base"] not in parameters:
        return ""
    index = parameters.index(match["base"])
    calls = _meant(run.sources.text(caller.file) or "", caller, plain_name(frame.name))
    found = {_argument(call, match["base"], index, parameters) for call in calls}
    text = found.pop() if len(found) == 1 else ""
    return text and text + match["path"]


def _meant(text: str, caller: StackFrame, name: str) -> list[ast.Call]:
    """The calls on a line that can be the one of the function.

    The one that the caller is at, where that is known; else those that have the function's name,
    or those that are no library's, the outer ones of them.
    """
    calls = list(_calls(text, caller.line, caller.code))
    exact = [call for call in calls if _span(text, call) == _span_of(caller)]
    if exact:
        return exact
    named = [call for call in calls if _callee(call)[-1:] == [name]]
    if named:
        return named
    own = [call for call in calls if (_callee(call) or [""])[0] not in _LIBRARIES]
    inner = {node for call in own for node in ast.walk(call) if node is not call}
    return [call for call in own if call not in inner]


def _callee(call: ast.Call) -> list[str]:
    """``["self", "layer"]`` of ``self.layer(x)``; nothing of what is no name."""
    names: list[str] = []
    node = call.func
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else list(reversed(names))


def _span_of(frame: StackFrame) -> tuple[int | None, ...]:
    return (frame.line, frame.end_line, frame.column, frame.end_column)


def _span(text: str, call: ast.Call) -> tuple[int | None, ...]:
    """First and last line, and columns in characters; ``ast`` counts UTF-8 bytes."""
    end = call.end_lineno or call.lineno
    columns = ((call.lineno, call.col_offset), (end, call.end_col_offset or 0))
    lines = text.split("\n")
    if not text or end > len(lines):
        return ()
    begin, last = (
        len(lines[line - 1].encode("utf-8", "surrogatepass")[:at].decode("utf-8", "replace"))
        for line, at in columns
    )
    return (call.lineno, end, begin, last)


def _argument(call: ast.Call, base: str, index: int, parameters: Sequence[str]) -> str:
    """What a call passes for a parameter, where that is a name and what is reached from it."""
    for keyword in call.keywords:
        if keyword.arg == base:
            return _simple(keyword.value)
    if any(isinstance(item, ast.Starred) for item in call.args):
        return ""
    # A method, or a module that is called: the first parameter is the object before the dot.
    if parameters[:1] == ("self",):
        if index == 0:
            return _simple(call.func)
        index -= 1
    if len(call.args) > len(parameters) or index >= len(call.args):
        return ""
    return _simple(call.args[index])


def _simple(node: ast.expr) -> str:
    inner = node
    while isinstance(inner, ast.Attribute | ast.Subscript):
        inner = inner.value
    return ast.unparse(node) if isinstance(inner, ast.Name) else ""


def _calls(text: str, line: int, code: str) -> Iterator[ast.Call]:
    """The calls on a line of a file; of a line alone, where the file is not known."""
    tree = _tree(text) if text else _tree(code.strip())
    line = line if text else 1
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.Call) and node.lineno <= line <= (node.end_lineno or node.lineno):
            yield node


@functools.lru_cache(maxsize=16)
def _tree(text: str) -> ast.Module | None:
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _parameters(text: str, line: int) -> tuple[str, ...]:
    """The positional parameters of the function that is defined at a line."""
    tree = _tree(text)
    for node in ast.walk(tree) if tree is not None else ():
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
            if line in {first, node.lineno}:
                arguments = node.args
                every = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
                return tuple(item.arg for item in every)
    return ()
