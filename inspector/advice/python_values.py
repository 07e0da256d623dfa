"""Values of tensors that Python itself needs: to sort by, as keys, in sets."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code, header
from inspector.advice.keys import becomes_key
from inspector.advice.kinds import DATA_DEPENDENT, ITEM

_TOLIST = Kind("GB0109", "Tensor.tolist() with non-integer tensor")
_HINTS = r"capture_scalar_outputs|capture_dynamic|^Consider|data-dependent output"
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


SORT = Advice(
    id="sorted-by-tensor",
    kinds=(ITEM, DATA_DEPENDENT),
    where=_sorts,
    title="sorting by the values of tensors",
    fix="Let torch sort: `order = scores.argsort(stable=True)` of all values in one tensor "
    "(with `descending=True` for `reverse=True`; `argmax` or `topk` for the first ones), and "
    "`x[order]` with it. What is no tensor is sorted in the caller.",
    keeps="The outputs and gradients. Equal values stay in their order, as in Python; NaN comes "
    "last.",
    instead_of=_HINTS,
)


HASH = Advice(
    id="values-as-keys",
    kinds=(ITEM, DATA_DEPENDENT, _TOLIST),
    where=_hashes,
    title="values of a tensor in a set, a dict or a counter",
    fix="Make the set, the dict or the counter in the caller, which can have the values, and pass "
    "what the compiled function needs of it. Where the values are small integers torch can count "
    "them: `torch.zeros(most).index_add(0, labels, torch.ones(len(labels)))`.",
    keeps="The outputs and gradients. A number that is passed compiles once more when it is "
    "another one, and is dynamic then.",
    instead_of=_HINTS,
)

ADVICE = (SORT, HASH)
