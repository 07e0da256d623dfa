"""Torch's kinds of graph breaks about which there is more than one advice."""

from __future__ import annotations

from inspector.advice.advice import Kind

BACKEND = Kind("GB0219", "Backend compiler exception")
BRANCH = Kind("GB0170", "Data-dependent branching")
BREAK_CALL = Kind("GB0025", "Call to `torch._dynamo.graph_break()`")
BUILTIN = Kind("GB0059", "Failed to trace builtin operator")
CONTEXT = Kind("GB0142", "Unsupported context manager")
DATA_DEPENDENT = Kind("GB0033", "Data dependent operator")
DYNAMIC_SHAPE = Kind("GB0036", "Dynamic shape operator")
EXCEPTION = Kind("GB0088", "Observed exception")
INLINED = Kind("GB0008", "Attempted to inline function marked as skipped")
ITEM = Kind("GB0124", "Unsupported Tensor.item() call with capture_scalar_outputs=False")
METHOD = Kind("GB0156", "Unsupported method call")
PARAMETER = Kind("GB0264", "Attempted to use `torch.nn.Parameter()` constructor with Dynamo")
SKIPPED = Kind("GB0007", "Attempted to call function marked as skipped")

ON_TENSOR = r"attempted to jump with (?:Lazy.*)?TensorVariable"
"""What torch says of a branch on a tensor; a branch on a size that it does not know is another."""

ON_TENSOR_OR_ITEM = rf"{ON_TENSOR}|Tensor\.item\(\)"
"""The same, and of a number that is made of a tensor."""

CAPTURE_SHAPES = r"capture_dynamic_output_shape_ops"
"""Torch's hint on `DYNAMIC_SHAPE`: it is wrong where Python decides by the size (`sizes`)."""
BRANCH_HINTS = r"torch\.cond|branchless|^Your code may"
"""Regular expression of torch's hints on branches, where `torch.cond` is no help."""
