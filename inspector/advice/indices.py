"""Tensors that are an index."""

from __future__ import annotations

import ast

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import attribute
from inspector.advice.kinds import ITEM

__all__ = ["ADVICE", "makes_number"]


def makes_number(node: ast.expr) -> bool:
    """Whether an expression makes a Python number of a tensor."""
    return attribute("item")(node) or (
        isinstance(node, ast.Name) and node.id in {"bool", "float", "int"}
    )


def _indexes(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and not isinstance(node.slice, ast.Slice | ast.Constant)


def _calls_item(node: ast.expr) -> bool:
    """Whether a call is ``experts[index](x)``."""
    return isinstance(node, ast.Call) and _indexes(node.func)


MODULE = Advice(
    id="tensor-chooses-module",
    kinds=(ITEM, Kind("GB0218", "unsupported index(Tensor)")),
    where=lambda code: code.has(_calls_item) and not code.has(makes_number),
    title="a module chosen by a tensor",
    fix="Choose with a Python int, made in the caller: it is compiled once for each module.",
    before="""\
import torch

torch.manual_seed(0)
experts = torch.nn.ModuleList([torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)])


@torch.compile
def forward(x, index):
    return experts[index](x * 2)


outputs = [forward(torch.ones(3), torch.tensor(index)) for index in (0, 1)]
""",
    after="""\
import torch

torch.manual_seed(0)
experts = torch.nn.ModuleList([torch.nn.Linear(3, 2), torch.nn.Linear(3, 2)])


@torch.compile
def compute(x, index):
    return experts[index](x * 2)


def forward(x, index):
    return compute(x, int(index))


outputs = [forward(torch.ones(3), torch.tensor(index)) for index in (0, 1)]
""",
    keeps="The outputs; the caller waits for the device once, before the graph.",
    instead_of=r"capture_scalar_outputs",
)

INDEX = Advice(
    id="tensor-as-index",
    kinds=(
        ITEM,
        Kind("GB0070", "Indexing list with non-scalar tensor"),
    ),
    where=lambda code: (
        code.has(_indexes) and not code.has(makes_number) and not code.has(_calls_item)
    ),
    title="a list of tensors indexed by a tensor",
    fix="Stack what is in the list and select from it: `index = torch.where(index < 0, index + "
    "len(tables), index)` where it can be negative, then `torch.stack(tables).index_select(0, "
    "index.view(1)).squeeze(0)`; `stacked[index]` needs the number too.",
    before="""\
import torch

tables = [torch.ones(3), torch.arange(3.0)]


@torch.compile
def forward(x, index):
    return x + tables[index]


outputs = [forward(torch.ones(3), torch.tensor(index)) for index in (0, 1, -1)]
""",
    after="""\
import torch

tables = [torch.ones(3), torch.arange(3.0)]


@torch.compile
def forward(x, index):
    index = torch.where(index < 0, index + len(tables), index)
    return x + torch.stack(tables).index_select(0, index.view(1)).squeeze(0)


outputs = [forward(torch.ones(3), torch.tensor(index)) for index in (0, 1, -1)]
""",
    keeps="The outputs and gradients; all entries must have one shape and dtype. What is selected "
    "is a new tensor. Stacked once, outside, the entries would not follow what they are changed "
    "to.",
    instead_of=r"capture_scalar_outputs|^Your code may result",
)

ADVICE = (MODULE, INDEX)
