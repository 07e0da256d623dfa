"""Iterators, generators, and orders by values."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code
from inspector.advice.kinds import METHOD

GENERATOR = Advice(
    id="generator-from-outside",
    kinds=(
        Kind("GB0811", "missing tp_iter"),
        Kind("GB0253", "call_method on generator"),
    ),
    says=r"(?i)generator",
    title="a loop over a generator that was made outside",
    fix="Pass a list or a tuple of its items instead (`itertools.islice` of an endless one); or "
    "make the generator inside.",
    keeps="The outputs. All items are made before the call.",
    instead_of=r"enable_faithful_generator",
)

NEXT = Advice(
    id="next-of-outer-iterator",
    kinds=(Kind("GB4347", "Missing tp_iternext"), METHOD),
    says=r"tp_iternext|`__next__` of class|__next__",
    title="next() of an iterator that was made outside",
    fix="Call `next()` in the caller, as often as here, and pass what it gives.",
    keeps="The outputs, and how far the iterator has come.",
    instead_of=r"^Avoid calling|file an issue",
)


_HANDLER = Kind("GB0193", "invalid call to builtin op handler")
_SIZES = frozenset({"dim", "numel", "size"})


def _by_size(code: Code) -> bool:
    """Whether the key of an order is a size, which is a number while tracing."""
    keys = [
        node.value for node in code.nodes() if isinstance(node, ast.keyword) and node.arg == "key"
    ]
    return any(_is_size(key.body if isinstance(key, ast.Lambda) else key) for key in keys)


def _is_size(node: ast.expr) -> bool:
    match node:
        case ast.Name(id="len") | ast.Call(func=ast.Name(id="len")):
            return True
        case ast.Subscript(value=ast.Attribute(attr="shape")) | ast.Attribute(attr="ndim"):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name in _SIZES
    return False


MAX_BY_SIZE = Advice(
    id="max-by-size",
    kinds=(_HANDLER,),
    says=r"\b(?:max|min)\b",
    where=_by_size,
    title="max or min with a size as the key",
    fix="Choose in a loop, which is traced with the sizes known: `best = xs[0]`, then `for x in "
    "xs[1:]:` and `if x.shape[0] > best.shape[0]: best = x` (`<` for `min`).",
    keeps="The outputs and gradients: of equals the first one is chosen, as by `max`.",
)
MAX_KEY = Advice(
    id="max-with-key",
    kinds=(_HANDLER,),
    says=r"\b(?:max|min)\b",
    title="max or min with a key over tensors",
    fix="Stack them and their keys, and select by `argmax` (or `argmin`): "
    "`torch.stack(tensors).index_select(0, torch.stack(keys).argmax().view(1)).squeeze(0)`.",
    keeps="The outputs and gradients, for tensors of one shape and dtype, and keys without NaN. "
    "What is selected is a new tensor.",
)

SORT = Advice(
    id="sorted-tensors",
    kinds=(Kind("GB0207", "sort with non-constant keys"),),
    title="a Python sort by the values of tensors",
    fix="Stack them and sort the tensor, if they have no dimensions: "
    "`torch.stack(tensors).sort().values`; where they are keys of something else, select by "
    "`torch.stack(keys).argsort(stable=True)`. In both, `reverse=True` is `descending=True`.",
    keeps="The outputs and gradients, for tensors of one dtype without NaN.",
)

SET = Advice(
    id="set-of-tensors",
    kinds=(Kind("GB0222", "Attempted to wrap a set with tensors"),),
    title="a set of tensors as an argument",
    fix="Pass a tuple or a list: a set finds tensors by identity, not by value.",
    keeps="The outputs, where the order does not matter; a set has none.",
)

ADVICE = (GENERATOR, NEXT, MAX_BY_SIZE, MAX_KEY, SORT, SET)
