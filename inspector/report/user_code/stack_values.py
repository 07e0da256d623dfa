"""What Python has on its stack where a graph breaks, as the user wrote it.

Dynamo hands it to what it compiles after the break as ``___stack0``, ``___stack1`` and so on
(`ContinueExecutionCache.generate` in torch/_dynamo/resume_execution.py, 2.11 to 2.13): the operands
that were computed before, in order, and what the expression that broke the graph gave.
"""

import ast

from inspector.report.user_code.code import Code

# What leaves nothing of its own beside the part of it that is being computed.
_NOTHING = (
    ast.stmt, ast.withitem, ast.keyword, ast.Attribute, ast.UnaryOp, ast.BoolOp, ast.IfExp,
    ast.NamedExpr, ast.Lambda,
)  # fmt: skip
_COMPOUND = (ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.IfExp)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def stack_values(code: Code) -> tuple[str, ...]:
    """The values on the stack after an expression that broke the graph, the lowest first.

    Empty where the syntax does not tell; an empty text for what is too long to be shown, or for
    the iterator of a loop and how a context is left.
    """
    node: ast.AST | None = code.expression
    parents, found = code.parents(), [node]
    while node is not None and not isinstance(node, _FUNCTIONS):
        outer = parents.get(node)
        below = _below(outer, node)
        if below is None:
            return ()
        found[:0], node = below, outer
    return tuple(_shown(code, each) for each in found if each is not None)


def _shown(code: Code, node: ast.AST) -> str:
    node = node.value if isinstance(node, ast.keyword) else node
    text = "" if isinstance(node, ast.stmt) else code.shown(node)
    return f"({text})" if text and isinstance(node, _COMPOUND) else text


def _below(outer: ast.AST | None, inner: ast.AST) -> list[ast.AST] | None:
    """What a node has on the stack while a part of it is computed; None where it does not tell."""
    parts = _parts(outer, inner)
    is_packed = any(
        isinstance(each, ast.Starred) or (isinstance(each, ast.keyword) and each.arg is None)
        for each in parts
    )
    if inner not in parts or is_packed:
        return None
    before = parts[: parts.index(inner)]
    # What was compared before is no longer there.
    return before[-1:] if isinstance(outer, ast.Compare) else before


def _parts(outer: ast.AST | None, inner: ast.AST) -> list[ast.AST]:
    """What is on the stack of a node, in order; without the part that is computed if unknown."""
    match outer:
        case ast.BinOp(left=one, right=two) | ast.Subscript(value=one, slice=two):
            return [one, two]
        case ast.Slice():
            return [end for end in (outer.lower, outer.upper, outer.step) if end is not None]
        case ast.Compare():
            return [outer.left, *outer.comparators]
        case ast.Call():
            return [outer.func, *outer.args, *outer.keywords]
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            return [*elts]
    return _of_statement(outer, inner) if isinstance(outer, (*_NOTHING, *_FUNCTIONS)) else []


def _of_statement(outer: ast.AST, inner: ast.AST) -> list[ast.AST]:
    before: list[ast.AST] = []
    is_known = not isinstance(outer, ast.Match)
    match outer:
        case ast.For() | ast.AsyncFor():
            before = [outer] if inner in outer.body else []
        case ast.With() | ast.AsyncWith():  # how each context is left, once it is entered
            items = list[ast.AST](outer.items)
            before = [outer] * (items.index(inner) if inner in items else len(items))
        case ast.AugAssign(target=ast.Subscript(value=owner, slice=key) as target):
            before = [owner, key, target]
        case ast.AugAssign(target=ast.Attribute(value=owner) as target):
            before = [owner, target]
        case ast.AugAssign(target=target):
            before = [target]
        case ast.Assign() | ast.AnnAssign():  # the value comes before its target
            is_known = inner is outer.value
        case ast.Try() | ast.TryStar():
            is_known = inner in (*outer.body, *outer.orelse)
    return [*before, inner] if is_known else []
