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
    before="""\
import torch


@torch.compile
def forward(x):
    loss = (x * x).sum()
    return loss * 2, "loss " + str(loss)


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch


@torch.compile
def compute(x):
    loss = (x * x).sum()
    return loss * 2, loss


def forward(x):
    result, loss = compute(x)
    return result, "loss " + str(loss)


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
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
    before="""\
import sys
import torch

sys.breakpointhook = lambda: None  # a debugger that goes on at once


@torch.compile
def forward(x):
    y = torch.relu(x)
    breakpoint()
    return y * 2


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    after="""\
import torch


@torch.compile
def forward(x):
    y = torch.relu(x)
    return y * 2


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    keeps="The outputs; nothing stops there any more.",
    instead_of=r"^Avoid calling builtin|logging function",
)

ADVICE = (TENSOR_TEXT, BREAKPOINT)
