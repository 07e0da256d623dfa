"""What the two sides of a branch give: for each name, the values that it can have after it."""

import ast
import copy
import dataclasses
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from inspector.report.user_code.code import Code, dotted_name, names_of, replaced

_RETURNED = "return"
# More, and nobody would do it by hand.
_MOST = 3

Values: TypeAlias = dict[str, ast.expr]
"""What names and attributes are, in terms of before the branch, and under ``return``."""


@dataclasses.dataclass(frozen=True, slots=True)
class Chosen:
    """One thing that a branch decides.

    Attributes:
        target: What it is given to, as in ``x = ``; ``return `` where it is returned.
    """

    target: str
    then: ast.expr
    otherwise: ast.expr


def branch_choices(code: Code) -> tuple[ast.expr, tuple[Chosen, ...]] | None:
    """The condition of a branch and all that it decides; None where that is more than values."""
    match code.statement:
        case ast.If(test=test, body=body, orelse=orelse):
            found = _of_statement(code, body, orelse)
        case ast.Assign() | ast.Return() as statement:
            test, found = _of_expression(statement)
        case _:
            return None
    return (test, found) if found and len(found) <= _MOST else None


def _of_statement(
    code: Code, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt]
) -> tuple[Chosen, ...]:
    then, otherwise = _values(code, body), _values(code, orelse)
    if then is None or otherwise is None:
        return ()
    if _RETURNED in then or _RETURNED in otherwise:
        if any(name != _RETURNED and _is_needed(code, name) for name in {**then, **otherwise}):
            return ()
        one, two = then.get(_RETURNED), otherwise.get(_RETURNED)
        match code.block()[1:]:
            case [ast.Return(value=ast.expr() as value)] if two is None and not orelse:
                two = value
        return (Chosen("return ", one, two),) if one is not None and two is not None else ()
    found = []
    names = [*{**then, **otherwise}]
    # What is read in the branch alone is in the values of the others.
    for name in [name for name in names if _is_needed(code, name)] or names:
        sides = [side.get(name) or _kept(code, name) for side in (then, otherwise)]
        if sides[0] is None or sides[1] is None:
            return ()
        found.append(Chosen(f"{name} = ", sides[0], sides[1]))
    # Those that are computed of others that the branch gives come before these are set.
    return tuple(found) if _in_any_order(found) else ()


def _of_expression(statement: ast.Assign | ast.Return) -> tuple[ast.expr, tuple[Chosen, ...]]:
    """``x = a if condition else b``, also within a larger expression."""
    inner = [node for node in ast.walk(statement) if isinstance(node, ast.IfExp)]
    value = statement.value
    if len(inner) != 1 or value is None:
        return ast.Constant(value=True), ()
    then, otherwise = (replaced(value, {inner[0]: x}) for x in (inner[0].body, inner[0].orelse))
    test = inner[0].test
    if isinstance(statement, ast.Return):
        return test, (Chosen("return ", then, otherwise),)
    match statement.targets, then, otherwise:
        case [ast.Tuple(elts=targets)], ast.Tuple(elts=one), ast.Tuple(elts=two):
            names = [_target(target) for target in targets]
            if not all(names) or not len(names) == len(one) == len(two):
                return test, ()
            found = [Chosen(f"{n} = ", a, b) for n, a, b in zip(names, one, two, strict=True)]
            return test, tuple(found) if _in_any_order(found) else ()
        case [target], _, _ if name := _target(target):
            return test, (Chosen(f"{name} = ", then, otherwise),)
    return test, ()


def _values(code: Code, statements: Sequence[ast.stmt]) -> Values | None:
    """What a side gives; None where it does more."""
    found: Values = {}
    for place, statement in enumerate(statements):
        if not _give(code, statement, found):
            return None
        if _RETURNED in found and place + 1 < len(statements):
            return None
    return found


def _give(code: Code, statement: ast.stmt, found: Values) -> bool:
    """Adds what a statement gives; False where it does more."""
    match statement:
        case ast.Pass() | ast.Expr(value=ast.Constant()):
            given: Values | None = {}
        case ast.Assign(targets=[target], value=value):
            given = _assigned(target, value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            given = _assigned(target, value)
        case ast.AugAssign(target=target, op=operation, value=value):
            read = copy.deepcopy(target)
            read.ctx = ast.Load()
            # What is written in place can be the caller's, or a count of an object.
            is_parameter = isinstance(target, ast.Name) and target.id in code.parameters()
            is_count = not isinstance(target, ast.Name) and isinstance(value, ast.Constant)
            added = ast.BinOp(read, operation, value)
            given = None if is_parameter or is_count else _assigned(target, added)
        case ast.Return(value=ast.expr() as value):
            given = {_RETURNED: value}
        case _:
            given = None
    if given is not None:
        found.update({name: _of_before(value, {**found}) for name, value in given.items()})
    return given is not None


def _assigned(target: ast.expr, value: ast.expr) -> Values | None:
    match target, value:
        case ast.Tuple(elts=targets), ast.Tuple(elts=values) if len(targets) == len(values):
            names = [_target(each) for each in targets]
            return dict(zip(names, values, strict=True)) if all(names) else None
    name = _target(target)
    return {name: value} if name else None


def _target(node: ast.expr) -> str:
    """A name, an attribute of names, or an element at a place that stays what it is."""
    match node:
        case ast.Subscript(value=value, slice=index) if dotted_name(value) and _is_fixed(index):
            return ast.unparse(node)
    return dotted_name(node)


def _is_fixed(index: ast.expr) -> bool:
    plain = (ast.Constant, ast.Name, ast.Slice, ast.Tuple, ast.UnaryOp, ast.USub, ast.expr_context)
    return all(isinstance(node, plain) for node in ast.walk(index))


def _of_before(value: ast.expr, given: Mapping[str, ast.expr]) -> ast.expr:
    """A value in terms of what names stood for before the branch."""
    kinds = (ast.Name, ast.Attribute, ast.Subscript)
    known = (node for node in ast.walk(value) if given and isinstance(node, kinds))
    names = {node: ast.unparse(node) for node in known}
    new = {node: given[name] for node, name in names.items() if name in given}
    return replaced(value, new) if new else value


def _kept(code: Code, name: str) -> ast.expr | None:
    """What a name is where a side does not give it; None where it may have no value."""
    if name.isidentifier():
        return ast.Name(name, ast.Load()) if code.is_set_before(name) else None
    node: ast.expr = ast.parse(name, mode="eval").body
    return node


def _is_needed(code: Code, name: str) -> bool:
    """Whether something after the branch, or a loop around it, can read what it gives a name."""
    if not name.isidentifier() or code.statement is None:
        return True
    inner = {id(node) for node in ast.walk(code.statement)}
    is_read_behind = any(id(load) not in inner for load in code.loads(name))
    return is_read_behind or (code.is_in_loop() and code.is_set_before(name))


def _in_any_order(found: Sequence[Chosen]) -> bool:
    """Whether none of them is computed of what one before it has set."""
    given: set[str] = set()
    for each in found:
        read = names_of(each.then) | names_of(each.otherwise)
        if read & given:
            return False
        given |= names_of(ast.parse(each.target.removesuffix(" = "), mode="eval"))
    return True
