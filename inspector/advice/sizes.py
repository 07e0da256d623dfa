"""Whether Python decides by a size that values of tensors have."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.advice.code import Code, attribute, dotted_name, header

# Their number of results depends on values, wherever the setting that captures one captures all.
_OPERATORS = frozenset({
    "argwhere", "bincount", "masked_select", "nonzero", "unique", "unique_consecutive",
})  # fmt: skip


def decides_by_size(code: Code) -> bool:
    """Whether a branch or a loop of the function depends on what such an operator gave."""
    return any(True for _ in deciding_by_size(code))


def deciding_by_size(code: Code) -> Iterator[ast.stmt]:
    """The branches and loops of the function that depend on what such an operator gave.

    The operator is that of the statement, or any other of the function that is known to be one.
    What is computed of its result has sizes that depend on it, too.
    """
    statements = sorted(
        (node for node in _nodes(code) if isinstance(node, ast.stmt)),
        key=lambda node: node.lineno,
    )
    found: set[str] = set()
    for statement in statements:
        is_deciding = bool(found & set(_decided_by(statement)))
        is_own = code.statement is not None and statement.lineno == code.statement.lineno
        nodes = list(header(statement))
        if is_own or any(map(is_selection, nodes)) or found & set(_names(nodes, ast.Load)):
            is_deciding |= is_own and any(map(is_selection, _deciding(statement)))
            found |= set(_names(nodes, ast.Store))
        if is_deciding:
            yield statement


def _nodes(code: Code) -> Iterator[ast.AST]:
    return ast.walk(code.function) if code.function is not None else iter(())


def is_selection(node: ast.AST) -> bool:
    """Whether it is a call of such an operator; `where` with one argument is one."""
    match node:
        case ast.Call(func=ast.Attribute(attr="where"), args=[_], keywords=[]):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _OPERATORS
    return False


def _names(nodes: list[ast.AST], context: type[ast.expr_context]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, context):
            yield node.id


def _decided_by(statement: ast.stmt) -> Iterator[str]:
    yield from _names(list(_deciding(statement)), ast.Load)


def _deciding(statement: ast.stmt) -> Iterator[ast.AST]:
    """The nodes of what a statement decides by: its test, what it loops over."""
    for node in header(statement):
        match node:
            case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
                yield from () if _is_identity(test) else ast.walk(test)
            case ast.For(iter=over) | ast.comprehension(iter=over):
                yield from ast.walk(over) if _is_range(over) else ()


def _is_identity(test: ast.expr) -> bool:
    """``x is None``, which asks for no size."""
    return isinstance(test, ast.Compare) and all(
        isinstance(operator, ast.Is | ast.IsNot) for operator in test.ops
    )


def _is_range(node: ast.expr) -> bool:
    """Whether a loop runs as often as there are items: it is over a tensor, or over numbers."""
    if isinstance(node, ast.Call):
        return dotted_name(node.func) in {"range", "zip", "enumerate"}
    return True


def caution(code: Code, instead: str = "") -> str:
    """What differs where the size is 1 and something is squeezed; empty where nothing is.

    Without knowing it, torch takes such a size for another number than 1, and Inductor keeps the
    dimension (2.11 to 2.13; tried). Where a 1 is broadcast it raises.
    """
    calls = [node for node in _nodes(code) if isinstance(node, ast.Call)]
    squeezes = (call for call in calls if attribute("squeeze", "squeeze_")(call.func))
    call = min(squeezes, key=lambda node: (node.lineno, node.col_offset), default=None)
    if call is None:
        return ""
    is_any = not call.args and not call.keywords
    ways = ["name the dimension if another is meant (`squeeze(-1)`)"] if is_any else []
    ways += [instead] if instead else []
    then = f": {'; or '.join(ways)}" if ways else ""
    shown = code.shown(call) or "squeeze"
    return f"Where `{shown}` meets this size, and it is 1, Inductor keeps the dimension{then}."
