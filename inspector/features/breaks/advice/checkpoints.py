"""Code under activation checkpointing, where a graph cannot end."""

from __future__ import annotations

import ast

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.edits import statements_instead_of
from inspector.features.breaks.advice.logged_scalars import is_told
from inspector.features.breaks.advice.numbers import tensor_of
from inspector.report.user_code.code import Code, dotted_name
from inspector.shared.edit import Edit


def _leaves(code: Code) -> bool:
    """Whether the value leaves the function by another way than its result."""
    return is_told(code) or not code.has(lambda node: tensor_of(node) is not None)


def _tailored(code: Code) -> str:
    match code.statement:
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript() as target], value=value):
            pass
        case _:
            return ""
    new, then = code.shown(value), ""
    if (tensor := tensor_of(value)) is not None:
        new, then = f"{code.shown(tensor)}.detach()", " Read its number in the caller."
    return (
        f"Return `{new}` as a second result of the checkpointed function, and store it in "
        f"`{code.shown(target)}` where `checkpoint` returns it.{then}"
    )


def _edits(code: Code) -> tuple[Edit, ...]:
    """A value that ``self`` keeps, as a second result; empty where it takes a person."""
    match code.statement, code.function:
        case (
            ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=name)], value=value),
            ast.FunctionDef(name="forward", body=[*_, ast.Return(value=ast.expr() as whole)]),
        ):
            pass
        case _:
            return ()
    (*before, returned), call = code.function.body, _checkpoint_call(code)
    is_only = not any(isinstance(node, ast.Return) for each in before for node in ast.walk(each))
    is_free = not code.loads(name) and not code.stores(name)
    if call is None or not is_only or not is_free or code.statement not in before:
        return ()
    statement, result, module = call
    tensor = tensor_of(value)
    kept = ast.unparse(value) if tensor is None else f"{ast.unparse(tensor)}.detach()"
    called = f"{result}, {module}.{name} = {ast.unparse(statement.value)}"
    return (
        *statements_instead_of(code, code.statement, [f"{name} = {kept}"]),
        *statements_instead_of(code, returned, [f"return {ast.unparse(whole)}, {name}"]),
        *statements_instead_of(code, statement, [called]),
    )


def _checkpoint_call(code: Code) -> tuple[ast.Assign, str, str] | None:
    """``x = checkpoint(layer, x)``, ``x`` and ``layer``, if it is the only one in the file."""
    tree = ast.parse("\n".join(code.lines))
    called = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls = [node for node in called if dotted_name(node.func).endswith("checkpoint")]
    for node in ast.walk(tree) if len(calls) == 1 else ():
        match node:
            case ast.Assign(targets=[target], value=ast.Call(args=[module, *_]) as call):
                if call is calls[0]:
                    return node, ast.unparse(target), ast.unparse(module)
    return None


STORED = case("checkpointed-value", where=_leaves, tailored=_tailored, edits=_edits)

ADVICE = (STORED, case("checkpoint-sequential"))
