"""Loops whose number of steps depends on the value of a tensor."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.advice.advice import Advice
from inspector.advice.code import Code, dotted_name, header
from inspector.advice.conditions import decides
from inspector.advice.kinds import BRANCH, BRANCH_HINTS, BUILTIN, ITEM, ON_TENSOR_OR_ITEM

_HINTS = rf"{BRANCH_HINTS}|capture_scalar_outputs"


def _goes(code: Code, *kinds: type[ast.stmt]) -> bool:
    """Whether a branch leaves the step of the loop around it in one of these ways."""
    if not isinstance(code.statement, ast.If):
        return False
    return any(isinstance(node, kinds) for node in _of_this_loop(code.statement))


def _of_this_loop(statement: ast.stmt) -> Iterator[ast.stmt]:
    for child in ast.iter_child_nodes(statement):
        if isinstance(child, ast.stmt):
            yield child
            if not isinstance(child, ast.For | ast.AsyncFor | ast.While | ast.FunctionDef):
                yield from _of_this_loop(child)


def _leaves(code: Code) -> bool:
    if _goes(code, ast.Break):
        return True
    return _goes(code, ast.Return) and code.is_in_loop()


BREAK = Advice(
    id="branch-break",
    kinds=(BRANCH, ITEM),
    says=ON_TENSOR_OR_ITEM,
    where=decides(_leaves),
    title="a loop that is left for some values of a tensor",
    fix="Run a fixed number of steps that change nothing once the loop is done: from `done = "
    "torch.zeros((), dtype=torch.bool, device=z.device)`, `done = done | condition` in the place "
    "of the branch, and `z = torch.where(done, z, new)` in the place of each `z = new`, if a step "
    "neither writes anywhere nor draws random numbers; or loop in the caller, and compile what one "
    "step does.",
    keeps="The outputs and gradients. All steps are computed, and the graph holds each of them; "
    "one that is infinite or NaN makes the gradient NaN. What the loop computes and is needed "
    "behind it is chosen in the same way. The result is a new tensor.",
    instead_of=_HINTS,
)

CONTINUE = Advice(
    id="branch-continue",
    kinds=(BRANCH, ITEM),
    says=ON_TENSOR_OR_ITEM,
    where=decides(lambda code: _goes(code, ast.Continue)),
    title="a step of a loop that is skipped for some values of a tensor",
    fix="Compute the rest of the step in any case, and let it change nothing where it is to be "
    "skipped: `z = torch.where(condition, z, new)`, if it neither writes anywhere nor draws random "
    "numbers; or loop in the caller, and compile what one step does.",
    keeps="The outputs and gradients. All steps are computed; one that is infinite or NaN makes "
    "the gradient NaN. The result is a new tensor.",
    instead_of=_HINTS,
)


def _is_range(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and dotted_name(node.func) == "range"


def _bounds_loop(code: Code) -> bool:
    """Whether the number that is made here says how often a loop runs."""
    if code.statement is None:
        return False
    ranges = [node for node in header(code.statement) if _is_range(node)]
    if ranges:
        inner = [node for found in ranges for node in ast.walk(found)]
        return code.expression is None or code.expression in inner
    bounds = [node for node in ast.walk(code.function or ast.Pass()) if _is_bound(node)]
    return bool(code.target) and any(_reads(node, code.target) for node in bounds)


def _is_bound(node: ast.AST) -> bool:
    return isinstance(node, ast.While) or _is_range(node)


def _reads(node: ast.AST, name: str) -> bool:
    """Whether a call of `range`, or the test of a loop, needs a name."""
    bound = node.test if isinstance(node, ast.While) else node
    return any(isinstance(inner, ast.Name) and inner.id == name for inner in ast.walk(bound))


RANGE = Advice(
    id="tensor-as-count",
    kinds=(ITEM, BUILTIN),
    says=r"Tensor\.item\(\)|builtin(?: operator)? `?range\b",
    where=_bounds_loop,
    title="a loop with as many steps as a tensor says",
    fix="Loop in the caller, which can have the number, and compile what one step does; or run as "
    "many steps as there can be, and let those beyond the number change nothing: `for step in "
    "range(most): x = torch.where(step < n, new, x)`, if a step neither writes anywhere nor draws "
    "random numbers.",
    keeps="The outputs and gradients, for numbers that are not larger than `MOST`. All steps are "
    "computed, so each must be possible (an index in its range, `x[min(step, len(x) - 1)]`); one "
    "that is infinite or NaN makes the gradient NaN. The result is a new tensor.",
    instead_of=r"capture_scalar_outputs|^Avoid calling builtin|logging function",
)

ADVICE = (BREAK, CONTINUE, RANGE)
