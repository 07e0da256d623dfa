"""Kinds of tensors that Dynamo does not take apart."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind

SPARSE = Advice(
    id="sparse-tensor",
    kinds=(
        Kind("GB0277", "Attempted to wrap sparse Tensor with VariableTracker"),
        Kind("GB0015", "Attempted to wrap sparse Tensor"),
    ),
    title="a sparse tensor",
    fix="Do what is sparse in the caller, and compile what is done with the dense result.",
    before="""\
import torch


@torch.compile
def forward(matrix, x):
    return torch.sparse.mm(matrix, x).relu() + 1


outputs = [forward(torch.eye(3).to_sparse(), x) for x in (torch.ones(3, 2), -torch.ones(3, 2))]
""",
    after="""\
import torch


@torch.compile
def compute(product):
    return product.relu() + 1


def forward(matrix, x):
    return compute(torch.sparse.mm(matrix, x))


outputs = [forward(torch.eye(3).to_sparse(), x) for x in (torch.ones(3, 2), -torch.ones(3, 2))]
""",
    keeps="The outputs; the sparse operator itself runs eagerly.",
)

NESTED = Advice(
    id="strided-nested-tensor",
    kinds=(Kind("GB0016", "Attempted to wrap strided NestedTensor"),),
    title="a nested tensor of strided layout",
    fix="Make it with `layout=torch.jagged`, which Dynamo traces.",
    before="""\
import torch


@torch.compile
def forward(x):
    return x.sin() * 2


def run(parts):
    nested = torch.nested.nested_tensor(parts)
    return list(forward(nested).unbind())


outputs = [run([torch.ones(2, 3), torch.zeros(n, 3)]) for n in (1, 4)]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    return x.sin() * 2


def run(parts):
    nested = torch.nested.nested_tensor(parts, layout=torch.jagged)
    return list(forward(nested).unbind())


outputs = [run([torch.ones(2, 3), torch.zeros(n, 3)]) for n in (1, 4)]
""",
    keeps="The outputs. The parts may differ in their first dimension only.",
)

INFERENCE = Advice(
    id="is-inference-mode",
    kinds=(Kind("GB0046", "Encountered torch.is_inference_mode_enabled during tracing"),),
    title="asking for inference mode",
    fix="Ask in the caller and pass the answer as an argument.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y + 1 if torch.is_inference_mode_enabled() else y


def run(x, mode):
    with torch.inference_mode(mode):
        return forward(x)


outputs = [run(torch.ones(3), mode) for mode in (True, False)]
""",
    after="""\
import torch


@torch.compile
def compute(x, inference):
    y = x * 2
    return y + 1 if inference else y


def forward(x):
    return compute(x, torch.is_inference_mode_enabled())


def run(x, mode):
    with torch.inference_mode(mode):
        return forward(x)


outputs = [run(torch.ones(3), mode) for mode in (True, False)]
""",
    keeps="The outputs; it is compiled once for each answer.",
)

ADVICE = (SPARSE, NESTED, INFERENCE)
