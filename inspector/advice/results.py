"""Tensors that are resized or given another content."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import attribute

OUT = Advice(
    id="out-argument",
    kinds=(Kind("GB0247", "Shape mismatch with out= tensor variant"),),
    title="out= with a tensor of another shape or layout",
    fix="Take the result instead of giving `out=`, if nobody else holds that tensor; or give a "
    "contiguous `out=` of the right shape.",
    before="""\
import torch


@torch.compile
def forward(x):
    result = torch.empty(0)
    torch.mul(x, 2, out=result)
    return result + 1


outputs = [forward(x) for x in (torch.ones(3), torch.ones(5))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    result = torch.mul(x, 2)
    return result + 1


outputs = [forward(x) for x in (torch.ones(3), torch.ones(5))]
""",
    keeps="The outputs, in a new tensor; `out=` also converts to its own dtype.",
)

RESIZE = Advice(
    id="resize",
    kinds=(
        Kind("GB0126", "Unsupported Tensor.resize_() call"),
        Kind("GB0148", "Unsupported function call (delayed)"),
    ),
    where=lambda code: code.has(attribute("resize_", "resize_as_")),
    title="resize_",
    fix="Make a tensor of the new size (`x.new_empty(size)`, or `x.reshape(size)` where its "
    "values are kept) instead of resizing one; in the caller, where others hold the one.",
    before="""\
import torch


@torch.compile
def forward(x):
    result = torch.empty(0)
    result.resize_(x.shape)
    return result.copy_(x) + 1


outputs = [forward(x) for x in (torch.ones(3), torch.ones(5))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    result = x.new_empty(x.shape)
    return result.copy_(x) + 1


outputs = [forward(x) for x in (torch.ones(3), torch.ones(5))]
""",
    keeps="The outputs, in a new tensor.",
)

DATA = Advice(
    id="data-of-another-dtype",
    kinds=(Kind("GB0220", "Failed to mutate tensor data attribute to different dtype"),),
    title=".data set to a tensor of another dtype",
    fix="Return the new tensor, and set `.data` in the caller; or use the new tensor in its place.",
    before="""\
import torch

table = torch.zeros(3)


@torch.compile
def forward(x):
    y = (x * 2).double()
    table.data = y
    return y + 1


outputs = [(forward(x), table.clone()) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch

table = torch.zeros(3)


@torch.compile
def compute(x):
    y = (x * 2).double()
    return y + 1, y


def forward(x):
    result, table.data = compute(x)
    return result


outputs = [(forward(x), table.clone()) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs, and the tensor that is changed.",
)

ADVICE = (OUT, RESIZE, DATA)
