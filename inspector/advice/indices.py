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

ELEMENT = Advice(
    id="tensor-as-element",
    kinds=(Kind("GB0219", "Backend compiler exception"),),
    says=r"_local_scalar_dense",
    where=lambda code: code.has(_indexes),
    title="an element at a tensor without dimensions",
    fix="Give the index a dimension: `x[i]` is `x[i.reshape(1)].squeeze(0)` and `x[i] = v` is "
    "`x[i.reshape(1)] = v`; in another dimension, `x[:, i]` is "
    "`x.index_select(1, i.reshape(1)).squeeze(1)` and `x[:, i] = v` is "
    "`x.index_copy_(1, i.reshape(1), v.unsqueeze(1))`. Torch reads a tensor without dimensions as "
    "a number, which it knows only when the program runs.",
    before="""\
import torch

table = torch.arange(12.0).reshape(4, 3)


@torch.compile
def forward(cache, step, row):
    scaled = row * 2 + table[step]
    cache[step] = scaled
    cache[:, step] = scaled.sum()
    return cache + scaled


outputs = [forward(torch.zeros(4, 3), torch.tensor(step), torch.ones(3)) for step in (0, 2)]
""",
    after="""\
import torch

table = torch.arange(12.0).reshape(4, 3)


@torch.compile
def forward(cache, step, row):
    at = step.reshape(1)
    scaled = row * 2 + table[at].squeeze(0)
    cache[at] = scaled
    cache[:, at] = scaled.sum()
    return cache + scaled


outputs = [forward(torch.zeros(4, 3), torch.tensor(step), torch.ones(3)) for step in (0, 2)]
""",
    keeps="The outputs. `x[i]` is a view, and what is taken by a tensor with a dimension is a "
    "copy: what is changed in it does not change `x`.",
    instead_of="Report an issue to the backend",
    variants=(
        """\
import torch


@torch.compile
def forward(x, index):
    return x[:, index] * 2


outputs = [forward(torch.arange(6.0).reshape(2, 3), torch.tensor(1))]
""",
    ),
    backend="aot_eager",
)

ADVICE = (MODULE, INDEX, ELEMENT)
