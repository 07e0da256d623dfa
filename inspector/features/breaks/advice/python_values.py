"""Values of tensors that Python itself needs: to sort by, as keys, in sets."""

from __future__ import annotations

import ast

from inspector.features.breaks.advice.advice import case
from inspector.features.breaks.advice.numbers import is_number_of
from inspector.report.user_code.code import Code, called, dotted_name, written

_MADE_HERE = frozenset({"Counter", "OrderedDict", "defaultdict", "dict", "frozenset", "set"})
# What nothing but a dict has. (A tensor has `values`, a list `pop`.)
_OF_DICTS = frozenset({"get", "items", "keys", "setdefault"})
_OF_SETS = frozenset({"add", "discard"})
_BY_KEY = frozenset({*_OF_SETS, "pop", "remove"})


def becomes_key(code: Code) -> bool:
    """Whether the number that torch points at is a key or a member, or its name is further on."""
    number = code.find(lambda node: is_number_of(node, "bool", "float", "int"))
    return number is not None and _is_key(code, number, code.parents(), set())


def _is_key(code: Code, node: ast.AST, parents: dict[ast.AST, ast.AST], followed: set[str]) -> bool:
    while isinstance(parents.get(node), ast.Tuple | ast.BinOp | ast.UnaryOp):
        node = parents[node]  # `(row, int(v))` is a key, too
    match parent := parents.get(node):
        case ast.Subscript(value=owner, slice=key) if key is node:
            return _is_hashed(code, owner)
        case ast.Dict(keys=keys):
            return node in keys
        case ast.Call(args=[first, *_]) if first is node:
            # `x.add(1)` of a tensor gives another one, which would be used.
            is_statement = isinstance(parents.get(parent), ast.Expr)
            return _takes_key(code, parent, is_statement=is_statement)
        case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[owner]):
            return left is node and _is_hashed(code, owner)
        case ast.Assign(targets=[ast.Name(id=name)]) if name not in followed:
            followed.add(name)
            return any(_is_key(code, load, parents, followed) for load in code.loads(name))
    return False


def _takes_key(code: Code, call: ast.Call, *, is_statement: bool) -> bool:
    """Whether the first argument of a method is a key or a member."""
    match call.func:
        case ast.Attribute(value=owner, attr=name):
            is_set = name in _OF_SETS and is_statement
            return name in _OF_DICTS or is_set or (name in _BY_KEY and _is_hashed(code, owner))
    return False


def _is_hashed(code: Code, owner: ast.expr) -> bool:
    """Whether something certainly is a dict or a set: made here, or used as nothing else is."""
    name = dotted_name(owner)
    return bool(name) and any(_shows(node, name) for node in code.walk())


def _shows(node: ast.AST, name: str) -> bool:
    match node:
        case (
            ast.Assign(targets=[target], value=value)
            | ast.AnnAssign(target=target, value=ast.expr() as value)
        ):
            makes = isinstance(value, ast.Dict | ast.DictComp | ast.Set | ast.SetComp)
            return dotted_name(target) == name and (makes or called(value) in _MADE_HERE)
        case ast.Call(func=ast.Attribute(value=owner, attr=method)):
            return method in _OF_DICTS and dotted_name(owner) == name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method))):
            return method in _OF_SETS and dotted_name(owner) == name
    return False


_ORDERING = frozenset({"max", "min", "nlargest", "nsmallest", "sort", "sorted"})
_HASHING = frozenset({"Counter", "frozenset", "set"})
_MAKING = frozenset({"Counter", "fromkeys"})


def _sorts(code: Code) -> bool:
    """Whether a ``key=`` function of an order makes numbers of tensors here."""
    orders = [
        node for node in code.header() if isinstance(node, ast.Call) and called(node) in _ORDERING
    ]
    keys = [word.value for call in orders for word in call.keywords if word.arg == "key"]
    return any(_makes_values(code, key) for key in keys)


def _hashes(code: Code) -> bool:
    """Whether values of tensors go into a set, a dict or a counter here."""
    for node in code.header():
        match node:
            case ast.Set() | ast.SetComp():
                inside: list[ast.expr] = [node]
            case ast.DictComp(key=key):
                inside = [key]
            # `state.set(…)` may be anything.
            case ast.Call(func=ast.Name(id=name), args=args) if name in _HASHING:
                inside = args
            case ast.Call(func=ast.Attribute(attr=name), args=args) if name in _MAKING:
                inside = args
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="update"), args=args)):
                inside = args
            case _:
                continue
        if any(_makes_values(code, part) for part in inside):
            return True
    return becomes_key(code)


_is_value = written(
    "_.item(*_, **_)", "_.tolist(*_, **_)", "bool(_)", "float(_)", "int(_)"
)  # fmt: skip


def _makes_values(code: Code, node: ast.expr) -> bool:
    """Whether values of tensors are made in an expression, by what torch points at.

    Torch's columns can also be those of what iterates, or of what is called.
    """
    pointed, inner = code.expression, [*ast.walk(node)]
    is_here = pointed is None or pointed in inner or node in [*ast.walk(pointed)]
    return is_here and any(map(_is_value, inner))


ADVICE = (case("sorted-by-tensor", where=_sorts), case("values-as-keys", where=_hashes))
