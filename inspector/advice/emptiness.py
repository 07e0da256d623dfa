"""Steps that are left out where nothing is selected for them, as in a mixture of experts."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import Code
from inspector.advice.one_function import under
from inspector.advice.sizes import deciding_by_size, is_selection

_SETTING = "capture_dynamic_output_shape_ops=True"
_SET = f"and use {under(_SETTING)}: how many are selected is then a symbol of the graph"
_NOTHING = "with nothing selected it works on no rows, and changes nothing"
_IN_STEP = "a step with nothing selected works on no rows, and changes nothing"


def _skips_alone(code: Code) -> bool:
    """Whether all that is decided by a size is whether there is anything."""
    deciding = list(deciding_by_size(code))
    return bool(deciding) and all(map(_skips, deciding))


def _visits_alone(code: Code) -> bool:
    """Whether there is a loop over what is hit, and nothing else but skipping.

    In it, which of them it is may be asked as well: of a Python number Python knows.
    """
    deciding = list(deciding_by_size(code))
    loops = [item for item in deciding if _visits(item)]
    asked = [item for loop in loops for item in ast.walk(loop) if _asks_which(item, loop)]
    if isinstance(code.statement, ast.If) and code.statement not in asked:
        return False  # a branch that breaks the graph for another reason
    return bool(loops) and all(item in loops or item in asked or _skips(item) for item in deciding)


def _asks_which(node: ast.AST, loop: ast.stmt) -> bool:
    """``if expert == self.last: …`` in a loop over experts."""
    if not isinstance(node, ast.If) or not isinstance(loop, ast.For):
        return False
    names = {inner.id for inner in ast.walk(node.test) if isinstance(inner, ast.Name)}
    target = loop.target.id if isinstance(loop.target, ast.Name) else ""
    return target in names and names <= {target, "self"}


def _visits(statement: ast.stmt) -> bool:
    """A loop over what an operator found, in which each step selects what it works on."""
    if not isinstance(statement, ast.For) or not isinstance(statement.iter, ast.Name):
        return False
    inner = [node for item in statement.body for node in ast.walk(item)]
    return any(map(is_selection, inner))


def _skips(statement: ast.stmt) -> bool:
    """``if rows.numel() == 0: continue``, or ``if len(rows): …``."""
    if not isinstance(statement, ast.If) or statement.orelse:
        return False
    if _is_empty(statement.test):
        return [type(item) for item in statement.body] == [ast.Continue]
    leaves = (ast.Return, ast.Break, ast.Continue, ast.Raise)
    inner = (node for item in statement.body for node in ast.walk(item))
    return _is_filled(statement.test) and not any(isinstance(node, leaves) for node in inner)


def _is_empty(test: ast.expr) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=number):
            return _is_size(number)
        case ast.Compare(left=number, ops=[ast.Eq()], comparators=[ast.Constant(value=0)]):
            return _is_size(number)
        case ast.Compare(left=number, ops=[ast.Lt()], comparators=[ast.Constant(value=1)]):
            return _is_size(number)
    return False


def _is_filled(test: ast.expr) -> bool:
    match test:
        case ast.Compare(
            left=number, ops=[ast.Gt() | ast.NotEq()], comparators=[ast.Constant(value=0)]
        ):
            return _is_size(number)
        case ast.Compare(left=number, ops=[ast.GtE()], comparators=[ast.Constant(value=1)]):
            return _is_size(number)
    return _is_size(test)


def _is_size(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="numel" | "nelement"), args=[]):
            return True
        case ast.Call(func=ast.Attribute(attr="size"), args=[ast.Constant(value=0)]):
            return True
        case ast.Call(func=ast.Name(id="len"), args=[_]):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape"), slice=ast.Constant(value=0)):
            return True
    return False


def _skip_tailored(code: Code) -> str:
    tests = [item.test for item in deciding_by_size(code) if isinstance(item, ast.If)]
    shown = {code.shown(test) for test in tests} - {""}
    if len(shown) != 1:
        return ""
    return f"Take the step in any case, without the test `{shown.pop()}` ({_NOTHING}), {_SET}."


def _visit_tailored(code: Code) -> str:
    loops = [item for item in deciding_by_size(code) if isinstance(item, ast.For)]
    over = code.shown(loops[0].iter) if len(loops) == 1 else ""
    if not over:
        return ""
    return (
        f"Loop over all that there are instead of over `{over}`, with a Python number from "
        f"`range(…)` ({_IN_STEP}), {_SET}."
    )


ADVICE = (
    case("empty-selection", where=_skips_alone, tailored=_skip_tailored),
    case("loop-over-hits", where=_visits_alone, tailored=_visit_tailored),
)
