"""Values of tensors that Python itself needs: to sort by, as keys, in sets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.advice.advice import case
from inspector.advice.code import Code, dotted_name, header
from inspector.advice.numbers import is_number_of

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
    nodes = ast.walk(code.function) if code.function is not None and name else ()
    return any(_shows(node, name) for node in nodes)


def _shows(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Assign(targets=[target], value=value):
            return dotted_name(target) == name and _makes(value)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            return dotted_name(target) == name and _makes(value)
        case ast.Call(func=ast.Attribute(value=owner, attr=method)):
            return method in _OF_DICTS and dotted_name(owner) == name
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr=method))):
            return method in _OF_SETS and dotted_name(owner) == name
    return False


def _makes(value: ast.expr) -> bool:
    match value:
        case ast.Dict() | ast.DictComp() | ast.Set() | ast.SetComp():
            return True
        case ast.Call(func=function):
            return dotted_name(function).rpartition(".")[2] in _MADE_HERE
    return False


_ORDERING = frozenset({"max", "min", "nlargest", "nsmallest", "sort", "sorted"})
_HASHING = frozenset({"Counter", "frozenset", "set"})
_MAKING = frozenset({"Counter", "fromkeys"})


def _sorts(code: Code) -> bool:
    """Whether a ``key=`` function of an order makes numbers of tensors here."""
    calls = [node for node in _here(code) if isinstance(node, ast.Call)]
    keys = [
        word.value
        for call in calls
        if _name(call) in _ORDERING
        for word in call.keywords
        if word.arg == "key"
    ]
    return any(_makes_values(code, key) for key in keys)


def _hashes(code: Code) -> bool:
    """Whether values of tensors go into a set, a dict or a counter here."""
    for node in _here(code):
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


def _here(code: Code) -> Iterator[ast.AST]:
    """All of the statement: torch's columns are those of what iterates, or of what is called."""
    return header(code.statement) if code.statement is not None else iter(())


def _makes_values(code: Code, node: ast.expr) -> bool:
    """Whether values of tensors are made in an expression, by what torch points at."""
    return any(map(_is_value, ast.walk(node))) and _is_pointed_at(code, node)


def _is_value(node: ast.AST) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr="item" | "tolist")):
            return True
        case ast.Call(func=ast.Name(id="bool" | "float" | "int"), args=[_]):
            return True
    return False


def _is_pointed_at(code: Code, node: ast.expr) -> bool:
    """Whether torch points into an expression, or at what it is in; yes where it does not say."""
    pointed = code.expression
    if pointed is None:
        return True
    return any(inner is pointed for inner in ast.walk(node)) or any(
        inner is node for inner in ast.walk(pointed)
    )


def _name(call: ast.Call) -> str:
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


ADVICE = (
    case("sorted-by-tensor", where=_sorts),
    case("values-as-keys", where=_hashes),
)
