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

ADVICE = (OUT, RESIZE, DATA)
