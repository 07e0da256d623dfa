"""Layers that Dynamo does not take apart."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind

__all__ = ["ADVICE"]

RNN = Advice(
    id="recurrent-layer",
    kinds=(Kind("GB0014", "Attempted to wrap RNN, GRU, or LSTM"),),
    title="an RNN, GRU or LSTM",
    fix="`torch._dynamo.config.allow_rnn = True` puts it into the graph; it is unrolled, so "
    "compiling takes longer for long sequences. For inference: the backward pass fails to compile.",
    before="""\
import torch

torch.manual_seed(0)
layer = torch.nn.LSTM(3, 2)


@torch.compile
def forward(x):
    return layer(x * 2)[0]


with torch.no_grad():
    outputs = [forward(x) for x in (torch.ones(4, 1, 3), torch.zeros(4, 1, 3))]
""",
    after="""\
import torch

torch._dynamo.config.allow_rnn = True

torch.manual_seed(0)
layer = torch.nn.LSTM(3, 2)


@torch.compile
def forward(x):
    return layer(x * 2)[0]


with torch.no_grad():
    outputs = [forward(x) for x in (torch.ones(4, 1, 3), torch.zeros(4, 1, 3))]
""",
    keeps="The outputs, to rounding, without gradients: AOTAutograd stops with an AssertionError "
    "when the layer is trained.",
)

SCRIPT = Advice(
    id="scripted-module",
    kinds=(
        Kind("GB4695", "torch.jit.script/freeze modules unsupported"),
        Kind(
            "GB0357",
            "UnspecializedNNModuleVariable wrapped around ScriptModules unsupported",
        ),
    ),
    title="a module of torch.jit.script",
    fix="Compile the module itself, without `torch.jit.script`.",
    before="""\
import torch

torch.manual_seed(0)
layer = torch.jit.script(torch.nn.Linear(3, 2))


@torch.compile
def forward(x):
    return layer(x * 2)


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch

torch.manual_seed(0)
layer = torch.nn.Linear(3, 2)


@torch.compile
def forward(x):
    return layer(x * 2)


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="The outputs.",
)

ADVICE = (RNN, SCRIPT)
