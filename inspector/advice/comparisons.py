"""Tensors compared or taken apart as a whole, and functions of math applied to them."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import attribute
from inspector.advice.kinds import DATA_DEPENDENT

__all__ = ["ADVICE"]

TOLIST = Advice(
    id="tolist",
    kinds=(
        Kind("GB0109", "Tensor.tolist() with non-integer tensor"),
        DATA_DEPENDENT,
        Kind("GB0086", "Not a Python constant"),
    ),
    where=lambda code: code.has(attribute("tolist")),
    title="tolist",
    fix="Keep it a tensor: index it or `unbind` it, and make the list in the caller if need be.",
    instead_of=r"^Ensure the input tensor|^type \(e\.g\.",
    before="""\
import torch

@torch.compile
def forward(x, weights):
    first, second = weights.tolist()
    return x * first + x.relu() * second

outputs = [forward(torch.arange(3.0), torch.tensor(w)) for w in ([0.5, 2.0], [1.0, -1.0])]
""",
    after="""\
import torch

@torch.compile
def forward(x, weights):
    first, second = weights.unbind()
    return x * first + x.relu() * second

outputs = [forward(torch.arange(3.0), torch.tensor(w)) for w in ([0.5, 2.0], [1.0, -1.0])]
""",
    keeps="The outputs, to rounding: Python numbers are float64, tensors keep their dtype.",
)

COMPARE = Advice(
    id="equal-or-allclose",
    kinds=(DATA_DEPENDENT,),
    where=lambda code: code.has(attribute("equal", "allclose")),
    title="torch.equal or torch.allclose",
    fix="Compare on the tensors: `(a == b).all()` instead of `torch.equal(a, b)`, "
    "`torch.isclose(a, b).all()` instead of `torch.allclose(a, b)`; the answer is a tensor.",
    before="""\
import torch

@torch.compile
def forward(x, y):
    return x + y, torch.allclose(x, y)

outputs = [forward(torch.ones(3), y) for y in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch

@torch.compile
def forward(x, y):
    return x + y, torch.isclose(x, y).all()

outputs = [forward(torch.ones(3), y) for y in (torch.ones(3), torch.zeros(3))]
""",
    keeps="The answer, as a tensor of one bool. (`torch.equal` is False for different shapes, "
    "where `==` raises an error.)",
)

ADVICE = (TOLIST, COMPARE)
