"""Operators whose output shape depends on values."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import Code, attribute
from inspector.advice.kinds import DYNAMIC_SHAPE

__all__ = ["ADVICE"]

_HINT = r"capture_dynamic_output_shape_ops"

_MASK = """\
import torch

@torch.compile
def forward(x):
    return x[x > 0].sum()

outputs = [forward(x) for x in (torch.arange(-2.0, 3.0), -torch.ones(3))]
"""


def _finds_indices(node: ast.expr) -> bool:
    """``nonzero`` in one of its spellings; `where` with one argument is one."""
    match node:
        case ast.Call(func=ast.Attribute(attr="where"), args=[_], keywords=[]):
            return True
    return attribute("nonzero", "argwhere")(node)


def _stores_masked(code: Code) -> bool:
    """``y[m] = v[m]``: the break is in the value."""
    match code.statement:
        case ast.Assign(targets=[ast.Subscript(slice=mask)], value=ast.Subscript(slice=same)):
            return ast.dump(mask) == ast.dump(same)
    return False


def _stores_tailored(code: Code) -> str:
    match code.statement:
        case ast.Assign(
            targets=[ast.Subscript(value=ast.Name(id=name), slice=mask)],
            value=ast.Subscript(value=values),
        ):
            shown = code.shown(mask), code.shown(values)
            if all(shown):
                return (
                    f"Choose instead of selecting: `{name} = torch.where({shown[0]}, {shown[1]}, "
                    f"{name})`, if both have one shape; it makes a new tensor."
                )
    return ""


MASK = Advice(
    id="boolean-mask",
    kinds=(DYNAMIC_SHAPE,),
    says=r"aten\.(?:nonzero|index|masked_select)",
    title="a selection by a boolean mask",
    fix="Keep the full shape and mask what is not selected: `torch.where(mask, x, 0)`, or "
    "`x.masked_fill(~mask, 0)`, before a reduction.",
    before=_MASK,
    after=_MASK.replace("x[x > 0].sum()", "torch.where(x > 0, x, 0).sum()"),
    keeps="The outputs, where the filling does not change the reduction: 0 for a sum, `-inf` for a "
    "maximum; a mean is the sum divided by `mask.sum()`.",
)

CAPTURE = Advice(
    id="dynamic-shape-captured",
    kinds=(DYNAMIC_SHAPE,),
    title="an operator whose output shape depends on values",
    fix="To leave it where it is: `torch._dynamo.config.capture_dynamic_output_shape_ops = True` "
    "makes the size a symbol of the graph.",
    before=_MASK,
    after=_MASK.replace(
        "import torch\n",
        "import torch\n\ntorch._dynamo.config.capture_dynamic_output_shape_ops = True\n",
        1,
    ),
    keeps="The outputs. Python code behind it that needs to know the size breaks the graph there "
    "instead.",
    other_way_of=("boolean-mask", "nonzero", "masked-store", "unique", "bincount"),
    instead_of=_HINT,
)

STORE = Advice(
    id="masked-store",
    kinds=(DYNAMIC_SHAPE,),
    where=_stores_masked,
    title="masked values stored through the same mask",
    fix="Choose instead of selecting: `y = torch.where(mask, values, y)`.",
    tailored=_stores_tailored,
    before="""\
import torch

@torch.compile
def forward(x, other):
    y = x * 2
    y[x < 0] = other[x < 0]
    return y

outputs = [forward(x, torch.ones(3)) for x in (torch.arange(3.0) - 1, torch.ones(3))]
""",
    after="""\
import torch

@torch.compile
def forward(x, other):
    y = x * 2
    y = torch.where(x < 0, other, y)
    return y

outputs = [forward(x, torch.ones(3)) for x in (torch.arange(3.0) - 1, torch.ones(3))]
""",
    keeps="The values, in a new tensor; use `y.copy_(torch.where(…))` where others hold `y`.",
)

NONZERO = Advice(
    id="nonzero",
    kinds=(DYNAMIC_SHAPE,),
    says=r"aten\.nonzero",
    where=lambda code: code.has(_finds_indices),
    title="the indices of what is not zero",
    fix="Use the mask itself instead of the indices that it has: `torch.where(mask, a, b)`, or, for "
    "at most k of them, `mask.float().topk(k)`.",
    before="""\
import torch

@torch.compile
def forward(x):
    found = torch.nonzero(x > 0).squeeze(-1)
    return x.index_fill(0, found, 1.0)

outputs = [forward(x) for x in (torch.arange(-2.0, 3.0), -torch.ones(3))]
""",
    after="""\
import torch

@torch.compile
def forward(x):
    return torch.where(x > 0, 1.0, x)

outputs = [forward(x) for x in (torch.arange(-2.0, 3.0), -torch.ones(3))]
""",
    keeps="The outputs.",
)

UNIQUE = Advice(
    id="unique",
    kinds=(DYNAMIC_SHAPE,),
    says=r"unique",
    title="torch.unique",
    fix="Call `torch.unique` in the caller, on what the compiled function returns.",
    before="""\
import torch

@torch.compile
def forward(x):
    winners = x.argmax(-1)
    return torch.softmax(x, -1), torch.unique(winners)

outputs = [forward(x) for x in (torch.eye(3), torch.ones(3, 3))]
""",
    after="""\
import torch

@torch.compile
def compute(x):
    return torch.softmax(x, -1), x.argmax(-1)

def forward(x):
    probabilities, winners = compute(x)
    return probabilities, torch.unique(winners)

outputs = [forward(x) for x in (torch.eye(3), torch.ones(3, 3))]
""",
    keeps="The outputs; `unique` itself runs eagerly, behind the graph.",
)

BINCOUNT = Advice(
    id="bincount",
    kinds=(DYNAMIC_SHAPE,),
    says=r"bincount",
    title="torch.bincount",
    fix="Count into a tensor of known size: `torch.zeros(classes, dtype=torch.int64)"
    ".scatter_add(0, x, torch.ones_like(x))`.",
    before="""\
import torch

@torch.compile
def forward(x):
    return torch.bincount(x, minlength=4) * 2

outputs = [forward(torch.tensor(x)) for x in ([0, 1, 1], [3, 3, 0])]
""",
    after="""\
import torch

@torch.compile
def forward(x):
    zeros = torch.zeros(4, dtype=torch.int64)
    return zeros.scatter_add(0, x, torch.ones_like(x)) * 2

outputs = [forward(torch.tensor(x)) for x in ([0, 1, 1], [3, 3, 0])]
""",
    keeps="The outputs, where no value reaches the size; such a value is an error.",
)

REPEAT = Advice(
    id="repeat-interleave",
    kinds=(DYNAMIC_SHAPE,),
    says=r"repeat_interleave",
    title="torch.repeat_interleave with a tensor of counts",
    fix="If the total is known in Python, pass it: `torch.repeat_interleave(x, n, output_size=total)`.",
    before="""\
import torch

@torch.compile
def forward(x, counts):
    return torch.repeat_interleave(x * 2, counts)

outputs = [forward(torch.arange(3.0), torch.tensor(n)) for n in ([1, 2, 1], [0, 0, 4])]
""",
    after="""\
import torch

@torch.compile
def forward(x, counts):
    return torch.repeat_interleave(x * 2, counts, output_size=4)

outputs = [forward(torch.arange(3.0), torch.tensor(n)) for n in ([1, 2, 1], [0, 0, 4])]
""",
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
    before="""\
import torch
from torch.nn.functional import one_hot

@torch.compile
def forward(x):
    return one_hot(x) * 2

outputs = [forward(torch.tensor(x)) for x in ([0, 1, 2], [2, 2, 0])]
""",
    after="""\
import torch
from torch.nn.functional import one_hot

@torch.compile
def forward(x):
    return one_hot(x, num_classes=3) * 2

outputs = [forward(torch.tensor(x)) for x in ([0, 1, 2], [2, 2, 0])]
""",
    keeps="The outputs, where the largest value is the last class.",
    instead_of=r"num_classes",
)

ADVICE = (STORE, NONZERO, MASK, CAPTURE, UNIQUE, BINCOUNT, REPEAT, ONE_HOT)
