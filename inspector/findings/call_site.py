"""Where the user's own code calls a compiled function, and what it passes there."""

from __future__ import annotations

import ast
import dataclasses
import functools
import re
from collections.abc import Iterator, Sequence

from inspector.model.run import Run
from inspector.model.stack import StackFrame

__all__ = ["CallSite", "call_site", "user_spelling"]

_MODULE_DICT = re.compile(r"\._(?:modules|parameters|buffers)\[(['\"])(\w+)\1\]")
_BASE = re.compile(r"^(?P<base>[A-Za-z_]\w*)(?P<path>.*)$", re.DOTALL)
_NUMPY = re.compile(r"^___from_numpy\((.+)\)$")
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
    numpy = _NUMPY.match(name)
    text = _GLOBAL.sub(r"\2", numpy[1] if numpy else name)
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
    told = {
        call: text
        for call in _calls(run.sources.text(caller.file) or "", caller.line, caller.code)
        if (text := _argument(call, match["base"], index, parameters))
    }
    # Of `model(torch.ones(3))` the outer call is meant.
    inner = {node for call in told for node in ast.walk(call) if node is not call}
    found = {text for call, text in told.items() if call not in inner}
    return found.pop() + match["path"] if len(found) == 1 else ""


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
