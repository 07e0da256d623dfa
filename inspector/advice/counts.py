"""Operators that count, with sizes that can be said beforehand."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code, dotted_name
from inspector.advice.kinds import CAPTURE_SHAPES, DYNAMIC_SHAPE

UNIQUE = Advice(
    id="unique",
    kinds=(DYNAMIC_SHAPE,),
    instead_of=CAPTURE_SHAPES,
    says=r"unique",
    title="torch.unique",
    fix="Call `torch.unique` in the caller, on what the compiled function returns; where more is "
    "done with its result, compile that as a second function.",
    keeps="The outputs; `unique` itself runs eagerly, behind the graph.",
)


def _is_call_of(name: str, node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted_name(node.func).rpartition(".")[2] == name


def _bincount_tailored(code: Code) -> str:
    """In the user's names where nothing is weighed: weights have a dtype of their own."""
    match code.find(lambda node: _is_call_of("bincount", node)):
        case ast.Call(func=ast.Attribute(value=owner), args=args, keywords=words):
            counted = args[:1] if dotted_name(owner) == "torch" else [owner]
            sizes = [word.value for word in words if word.arg == "minlength"]
            if len(words) != len(sizes) or len(args) > 1 or not counted:
                return ""
            name, size = dotted_name(counted[0]), code.shown(sizes[0]) if sizes else "classes"
            if name and size:
                return _counted(name, size, is_known=bool(sizes))
    return ""


def _counted(name: str, size: str, *, is_known: bool) -> str:
    """How values are counted into a tensor of known size."""
    whether = (
        f", if no value of `{name}` is above that"
        if is_known
        else ", where `classes` is larger than the largest value there can be"
    )
    return (
        f"Count into a tensor of known size: `{name}.new_zeros({size}, dtype=torch.int64)"
        f".scatter_add(0, {name}.long(), torch.ones_like({name}, dtype=torch.int64))`{whether}."
    )


def _repeat_tailored(code: Code) -> str:
    found = code.find(lambda node: _is_call_of("repeat_interleave", node))
    shown = code.shown(found)
    if not shown or "output_size" in shown:
        return ""
    return f"If the total is known in Python, pass it: `{shown[:-1]}, output_size=total)`."


BINCOUNT = Advice(
    id="bincount",
    kinds=(DYNAMIC_SHAPE,),
    instead_of=CAPTURE_SHAPES,
    says=r"bincount",
    title="torch.bincount",
    fix="Count into a tensor of known size: `x.new_zeros(classes, "
    "dtype=torch.int64).scatter_add(0, x.long(), torch.ones_like(x, dtype=torch.int64))`.",
    tailored=_bincount_tailored,
    keeps="The outputs, where bincount would give that size: no value reaches it (that is an "
    "error), and the largest value or `minlength` asks for it. Weights go in the place of the "
    "ones.",
)

REPEAT = Advice(
    id="repeat-interleave",
    kinds=(DYNAMIC_SHAPE,),
    says=r"repeat_interleave",
    title="torch.repeat_interleave with a tensor of counts",
    fix="If the total is known in Python, pass it: "
    "`torch.repeat_interleave(x, n, output_size=total)`.",
    tailored=_repeat_tailored,
    keeps="The outputs; the counts must add up to the size.",
)

ONE_HOT = Advice(
    id="one-hot",
    kinds=(
        Kind(
            "GB0246",
            "Attempted to use `torch.nn.functional.one_hot` with data-dependent output shape",
        ),
    ),
    title="one_hot without a number of classes",
    fix="Say how many classes there are: `one_hot(x, num_classes=…)`.",
    keeps="The outputs, where the largest value is the last class.",
    instead_of=r"num_classes",
)


COMBINATIONS = Advice(
    id="combinations",
    kinds=(DYNAMIC_SHAPE,),
    instead_of=CAPTURE_SHAPES,
    where=lambda code: code.has(lambda node: _is_call_of("combinations", node)),
    title="torch.combinations",
    fix="For pairs: `i, j = torch.triu_indices(len(x), len(x), 1, device=x.device)` and "
    "`torch.stack((x[i], x[j]), 1)` instead of `torch.combinations(x, 2)`; of more than two, make "
    "the indices once, of `itertools.combinations(range(n), r)`, and index with them.",
    keeps="The outputs and gradients, in the same order. With a size of its own `combinations` "
    "makes a mask of all tuples, and selects by it.",
)

ADVICE = (COMBINATIONS, UNIQUE, BINCOUNT, REPEAT, ONE_HOT)
