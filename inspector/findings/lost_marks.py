"""Marks that do not reach a compiled function: ``.clone()``, ``.to()`` and the like drop them.

``torch._dynamo.mark_dynamic`` sets an attribute of one tensor object (torch/_dynamo/decorators.py,
2.11 to 2.13), and whatever makes a new tensor makes it without.
"""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Iterator, Sequence

from inspector.model.run import Run
from inspector.model.stack import StackFrame

_FUNCTIONS = frozenset({"mark_dynamic", "maybe_mark_dynamic", "mark_unbacked"})


@dataclasses.dataclass(frozen=True, slots=True)
class LostMark:
    """A mark on a tensor of which another one is made.

    Attributes:
        line: The line that makes the other tensor.
        text: What makes it (``a.clone()``).
        result: The name of what is made, or the one that it is to get.
    """

    file: str
    line: int
    text: str
    marked: str
    mark_line: int
    function: str
    result: str
    needs_name: bool


def lost_mark(run: Run, caller: StackFrame, passed: str, parameter: str) -> LostMark | None:
    """The mark that what a caller passes has lost, or None where there was none.

    Args:
        passed: What it passes, as it stands there.
    """
    body = _body(run.sources.text(caller.file) or "", caller.line)
    marks = list(_marks(body, caller.line))
    expression = _parsed(passed)
    if expression is None or not marks:
        return None
    if isinstance(expression, ast.Name):
        made = _assigned(body, expression.id, caller.line)
        if made is None:
            return None
        line, expression, result, needs_name = made.lineno, made.value, passed, False
    else:
        line, result, needs_name = caller.line, parameter, True
    for mark_line, function, name in reversed(marks):
        if mark_line <= line and _is_made_of(expression, name):
            return LostMark(
                caller.file, line, ast.unparse(expression), name, mark_line, function, result,
                needs_name,
            )  # fmt: skip
    return None


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _body(text: str, line: int) -> Sequence[ast.AST]:
    """All nodes of the innermost function around a line, or of the module."""
    try:
        tree: ast.AST = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
    inner = tree
    for node in ast.walk(tree):
        is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if is_function and node.lineno <= line <= (node.end_lineno or 0):  # type: ignore[attr-defined]
            inner = node  # ast.walk meets the outer ones first
    return tuple(ast.walk(inner))


def _marks(body: Sequence[ast.AST], line: int) -> Iterator[tuple[int, str, str]]:
    """Line, function and name of every mark that stands before a line."""
    for node in body:
        if not isinstance(node, ast.Call) or node.lineno > line or not node.args:
            continue
        function = node.func
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        if name in _FUNCTIONS:
            yield node.lineno, name, ast.unparse(node.args[0])


def _assigned(body: Sequence[ast.AST], name: str, line: int) -> ast.Assign | None:
    """The last assignment to a name before a line."""
    found = [
        node
        for node in body
        if isinstance(node, ast.Assign)
        and node.lineno < line
        and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    ]
    return max(found, key=lambda node: node.lineno, default=None)


def _is_made_of(expression: ast.expr, name: str) -> bool:
    """Whether an expression makes something of a name, and is not the name itself."""
    if ast.unparse(expression) == name:
        return False
    return any(isinstance(node, ast.expr) and ast.unparse(node) == name
               for node in ast.walk(expression))  # fmt: skip
