"""Code that asks whether it is compiled, and does less then."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.advice.advice import case
from inspector.advice.code import Code, dotted_name, header

# Those of torch, and of transformers around them.
_ASKING = frozenset({"is_compiling", "is_dynamo_compiling", "is_torchdynamo_compiling"})


def _left_alone(code: Code) -> Iterator[tuple[str, ast.If]]:
    """What the statement needs and only code that is not compiled sets, and the branch of it."""
    needed = {
        node.id
        for node in (header(code.statement) if code.statement else ())
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    for node in ast.walk(code.function) if code.function else ():
        if isinstance(node, ast.If) and not node.orelse and _is_eager_alone(node.test):
            for statement in node.body:
                yield from ((name, node) for name in _set_by(statement) if name in needed)


def _is_eager_alone(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=function)):
            return dotted_name(function).rpartition(".")[2] in _ASKING
        case ast.BoolOp(op=ast.And(), values=values):
            return any(map(_is_eager_alone, values))
    return False


def _set_by(statement: ast.stmt) -> Iterator[str]:
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    yield from (target.id for target in targets if isinstance(target, ast.Name))


def _tailored(code: Code) -> str:
    name, branch = next(_left_alone(code))
    begin = f"Pass `{name}`" if name in code.parameters() else f"Set `{name}` in any case"
    test = code.shown(branch.test)
    return (
        f"{begin}: line {branch.lineno} sets it only where the code is not compiled"
        f"{f' (`{test}`)' if test else ''}, and what follows needs it."
    )


ADVICE = (
    case(
        "set-only-uncompiled",
        where=lambda code: any(True for _ in _left_alone(code)),
        tailored=_tailored,
    ),
)
