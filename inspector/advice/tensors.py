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
    keeps="The outputs; the sparse operator itself runs eagerly.",
)

NESTED = Advice(
    id="strided-nested-tensor",
    kinds=(Kind("GB0016", "Attempted to wrap strided NestedTensor"),),
    title="a nested tensor of strided layout",
    fix="Make it with `layout=torch.jagged`, which Dynamo traces.",
    keeps="The outputs. The parts may differ in their first dimension only.",
)

INFERENCE = Advice(
    id="is-inference-mode",
    kinds=(Kind("GB0046", "Encountered torch.is_inference_mode_enabled during tracing"),),
    title="asking for inference mode",
    fix="Ask in the caller and pass the answer as an argument.",
    keeps="The outputs; it is compiled once for each answer.",
)

ADVICE = (SPARSE, NESTED, INFERENCE)
