"""The line at which a compiled function itself sets what it is compiled for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.findings.calls import Definition, definition_at
from inspector.model.run import Run
from inspector.model.stack import StackFrame, plain_name, resumed_line

__all__ = ["own_write", "written_line"]


def own_write(run: Run, frame: StackFrame, name: str) -> StackFrame | None:
    """The first line of a function that sets something, or None.

    Args:
        run: The run.
        frame: The function's definition.
        name: What is set, as the user writes it (``self.step``, ``state['mode']``).
    """
    text, line = run.sources.text(frame.file) or "", resumed_line(frame.name)
    found = definition_at(
        text, frame.line if line is None else line, plain_name(frame.name),
        is_inside=line is not None,
    )  # fmt: skip
    at = written_line(found[0], name) if found is not None else None
    if at is None:
        return None
    return StackFrame(
        frame.file, at, plain_name(frame.name), run.sources.line(frame.file, at) or ""
    )


def written_line(function: Definition, name: str) -> int | None:
    """The first line at which a function sets something, or None.

    A plain name counts where the function says that it is a global or one of the function around
    it; what a function sets that is defined within does not.
    """
    wanted = _normal(name)
    nodes = list(_own_nodes(function))
    outer = {
        each for node in nodes if isinstance(node, ast.Global | ast.Nonlocal) for each in node.names
    }
    lines = [
        target.lineno
        for node in nodes
        for target in _targets(node)
        if ast.unparse(target) == wanted and (not isinstance(target, ast.Name) or wanted in outer)
    ]
    return min(lines, default=None)


def _normal(name: str) -> str:
    """As ``ast`` writes it; empty for what is no expression."""
    try:
        return ast.unparse(ast.parse(name, mode="eval"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""


def _own_nodes(function: Definition) -> Iterator[ast.AST]:
    """All that runs when the function is called, without the functions that it defines."""
    left: list[ast.AST] = list(function.body) if isinstance(function.body, list) else []
    while left:
        node = left.pop()
        yield node
        if not isinstance(node, Definition | ast.ClassDef):
            left += ast.iter_child_nodes(node)


def _targets(node: ast.AST) -> Iterator[ast.expr]:
    """What a statement sets."""
    if isinstance(node, ast.Assign):
        left = list(node.targets)
    elif isinstance(node, ast.AugAssign | ast.AnnAssign | ast.For | ast.NamedExpr):
        left = [node.target]
    else:
        return
    while left:
        target = left.pop()
        if isinstance(target, ast.Tuple | ast.List):
            left += target.elts
        else:
            yield target.value if isinstance(target, ast.Starred) else target
