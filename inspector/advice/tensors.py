"""Tensors: kinds of them, their memory, and results that are given."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import attribute
from inspector.advice.kinds import METHOD

DATA_PTR = Advice(
    id="data-ptr",
    kinds=(
        Kind("GB5976", "Data pointer comparison"),
        Kind("GB0023", "Builtin `operator.*` comparison with constant `self` failed"),
    ),
    says=r"[Dd]ata.?(?:[Pp]tr|pointer)",
    title="data_ptr() compared",
    fix="Compare the tensors with `is`, which is known while tracing, where no two of them share "
    "memory; or compare the addresses in the caller and pass the answer.",
    keeps="The outputs, where no two tensors share memory without being the same object.",
)

STORAGE = Advice(
    id="storage",
    kinds=(METHOD,),
    says=r"UntypedStorage|TypedStorage",
    title="a tensor's storage",
    fix="Ask the tensor (`x.numel() * x.element_size()`), or look at the storage in the caller.",
    keeps="The number, for a tensor that is no view of another one.",
    instead_of=r"^Avoid calling",
)


OUT = Advice(
    id="out-argument",
    kinds=(Kind("GB0247", "Shape mismatch with out= tensor variant"),),
    title="out= with a tensor of another shape or layout",
    fix="Take the result instead of giving `out=`, if nobody else holds that tensor; or give a "
    "contiguous `out=` of the right shape.",
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
    keeps="The outputs, in a new tensor.",
)

DATA = Advice(
    id="data-of-another-dtype",
    kinds=(Kind("GB0220", "Failed to mutate tensor data attribute to different dtype"),),
    title=".data set to a tensor of another dtype",
    fix="Return the new tensor, and set `.data` in the caller; or use the new tensor in its place.",
    keeps="The outputs, and the tensor that is changed.",
)


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

ADVICE = (DATA_PTR, STORAGE, OUT, RESIZE, DATA, SPARSE, NESTED, INFERENCE)
