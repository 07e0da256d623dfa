"""Tensors as text, and stopping in the debugger."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import BUILTIN

TENSOR_TEXT = Advice(
    id="tensor-as-text",
    kinds=(Kind("GB0569", "repr() on tensor"), BUILTIN),
    says=r"builtin(?: operator)? `?(?:str|repr)\b.*\bTensor|repr.*[Tt]ensor",
    title="str or repr of a tensor",
    fix="Return the tensor (a `clone()` where it is written to in place later), and make text of "
    "it in the caller: its digits exist only when the graph has run.",
    keeps="The same text.",
    instead_of=r"^Avoid calling builtin|logging function",
)

BREAKPOINT = Advice(
    id="breakpoint",
    kinds=(BUILTIN,),
    says=r"builtin(?: operator)? `?breakpoint\b",
    title="breakpoint() in compiled code",
    fix="Remove it, or debug without compiling: `TORCH_COMPILE_DISABLE=1`, or "
    '`torch.compiler.set_stance("force_eager")`, runs the same code eagerly.',
    keeps="The outputs; nothing stops there any more.",
    instead_of=r"^Avoid calling builtin|logging function",
)

ADVICE = (TENSOR_TEXT, BREAKPOINT)
