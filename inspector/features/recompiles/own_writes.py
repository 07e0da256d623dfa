"""The line at which a compiled function itself sets what it is compiled for."""

import ast
from collections.abc import Iterator

from inspector.report.user_code.calls import Definition, definition_at
from inspector.run.run import Run
from inspector.run.source import parsed
from inspector.shared.stack import StackFrame, plain_name, resumed_line

_GROWING = frozenset({"append", "appendleft", "extend", "extendleft", "insert"})
_DISPLAYS = (ast.List, ast.Tuple, ast.ListComp)
_ITEM_OF = frozenset({"get", "setdefault"})


def own_write(run: Run, frame: StackFrame, name: str) -> StackFrame | None:
    """The first line of a function, or of a method that it calls on itself, that sets something."""
    text, line = run.sources.text(frame.file) or "", resumed_line(frame.name)
    found = definition_at(
        text, frame.line if line is None else line, plain_name(frame.name),
        is_inside=line is not None,
    )  # fmt: skip
    for function in _with_methods(text, found[0]) if found is not None else ():
        at = written_line(function, name)
        if at is not None:
            own = getattr(function, "name", "<lambda>")
            return StackFrame(frame.file, at, own, run.sources.line(frame.file, at) or "")
    return None


def _with_methods(text: str, function: Definition) -> Iterator[Definition]:
    """A function, then the methods of its class that it calls on `self`, and that those call."""
    tree = parsed(text) or ast.Module([], [])
    bodies = [node.body for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    body = next((each for each in bodies if function in each), [])
    methods = {each.name: each for each in body if isinstance(each, ast.FunctionDef)}
    waiting: list[Definition] = [function]
    while waiting:
        method = waiting.pop(0)
        yield method
        for node in _own_nodes(method):
            match node:
                case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                    waiting += [methods.pop(name)] if name in methods else []


def written_line(function: Definition, name: str) -> int | None:
    """The first line at which a function sets something, or None.

    A plain name counts where the function says that it is a global or one of the function around
    it; what a function sets that is defined within does not.
    """
    node = _parsed(name)
    wanted = ast.unparse(node) if node is not None else ""
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


def own_growth(run: Run, frame: StackFrame, name: str) -> StackFrame | None:
    """The first line of a function that makes a container longer, or None."""
    text, function = run.sources.text(frame.file) or "", plain_name(frame.name)
    found = definition_at(text, frame.line, function, is_inside=True)
    wanted = _last(_parsed(name))
    if found is None or not wanted:
        return None
    nodes = list(_own_nodes(found[0]))
    same = {wanted}  # with the names that the function gives to it, or to what is in it
    for node in nodes:
        match node:
            case ast.Assign(targets=[ast.Name(id=other)], value=value) if _last(value) == wanted:
                same.add(other)
    at = min((line for node in nodes for line in _growing(node, wanted, same)), default=None)
    if at is None:
        return None
    return StackFrame(frame.file, at, function, run.sources.line(frame.file, at) or "")


def _growing(node: ast.AST, wanted: str, same: set[str]) -> Iterator[int]:
    """The line, where a statement or a call makes it longer; its items can be tensors."""
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=method)):
            if method in _GROWING and _last(owner) in same:
                yield node.lineno
        case ast.AugAssign(target=target, op=ast.Add() | ast.BitOr(), value=value):
            if _last(target) == wanted or (_last(target) in same and isinstance(value, _DISPLAYS)):
                yield node.lineno
        case ast.Assign(targets=[target], value=ast.BinOp() | ast.List() | ast.Tuple() as value):
            parts = [inner for inner in ast.walk(value) if isinstance(inner, ast.expr)]
            if _last(target) in same and _last(target) in map(_last, parts):
                yield from (
                    [node.lineno] if any(isinstance(part, _DISPLAYS) for part in parts) else []
                )


def _last(node: ast.expr | None) -> str:
    """The last name that leads to a container: ``history`` of ``self.history[key]``."""
    while True:
        match node:
            case ast.Subscript(value=inner):
                node = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=method)) if method in _ITEM_OF:
                node = inner
            case ast.Attribute(attr=name) | ast.Name(id=name):
                return name
            case _:
                return ""


def _parsed(name: str) -> ast.expr | None:
    try:
        return ast.parse(name, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


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
