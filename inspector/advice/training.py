"""Training loops: optimisers, data loaders, profilers, checkpoints."""

from __future__ import annotations

from inspector.advice.advice import Advice
from inspector.advice.kinds import INLINED, SKIPPED

__all__ = ["ADVICE"]

OPTIMIZER = Advice(
    id="optimizer",
    kinds=(INLINED,),
    says=r"Optimizer\.zero_grad|torch/optim/",
    title="an optimiser in compiled code",
    fix="Compile the forward pass (and, if you want, `torch.compile(optimizer.step)`), and leave "
    "`zero_grad()`, `backward()` and `step()` in the caller.",
    before="""\
import torch

weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)


@torch.compile
def step(x):
    optimizer.zero_grad()
    loss = (x * weight).square().sum()
    loss.backward()
    optimizer.step()
    return loss.detach()


outputs = [(step(x), weight.detach().clone()) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch

weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)


@torch.compile
def compute(x):
    return (x * weight).square().sum()


def step(x):
    optimizer.zero_grad()
    loss = compute(x)
    loss.backward()
    optimizer.step()
    return loss.detach()


outputs = [(step(x), weight.detach().clone()) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="Losses and weights.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

LOADER = Advice(
    id="data-loader",
    kinds=(INLINED,),
    says=r"DataLoader",
    title="a DataLoader in compiled code",
    fix="Compile what is done with one batch, and loop over the loader in the caller.",
    before="""\
import torch

loader = torch.utils.data.DataLoader(torch.arange(8.0), batch_size=4)


@torch.compile
def epoch(scale):
    total = torch.zeros(())
    for batch in loader:
        total = total + (batch * scale).sum()
    return total


outputs = [epoch(torch.tensor(scale)) for scale in (1.0, 2.0)]
""",
    after="""\
import torch

loader = torch.utils.data.DataLoader(torch.arange(8.0), batch_size=4)


@torch.compile
def step(total, batch, scale):
    return total + (batch * scale).sum()


def epoch(scale):
    total = torch.zeros(())
    for batch in loader:
        total = step(total, batch, scale)
    return total


outputs = [epoch(torch.tensor(scale)) for scale in (1.0, 2.0)]
""",
    keeps="The outputs.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

PROFILER = Advice(
    id="profiler-step",
    kinds=(INLINED,),
    says=r"profile\.step|torch/profiler/",
    title="a profiler's step in compiled code",
    fix="Call the profiler in the caller, around the compiled call.",
    before="""\
import torch

profiler = torch.profiler.profile()


@torch.compile
def forward(x):
    y = x * 2
    profiler.step()
    return y


with profiler:
    outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch

profiler = torch.profiler.profile()


@torch.compile
def compute(x):
    return x * 2


def forward(x):
    y = compute(x)
    profiler.step()
    return y


with profiler:
    outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="Outputs and profile.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

SAVE = Advice(
    id="save-or-load",
    kinds=(SKIPPED,),
    says=r"module: torch\.serialization",
    title="torch.save or torch.load in compiled code",
    fix="Return what is to be saved, and save it in the caller; load before the compiled call.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    torch.save(y, "y.pt")
    return y + 1


outputs = [(forward(x), torch.load("y.pt")) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch


@torch.compile
def compute(x):
    y = x * 2
    return y + 1, y


def forward(x):
    result, y = compute(x)
    torch.save(y, "y.pt")
    return result


outputs = [(forward(x), torch.load("y.pt")) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="Outputs and file.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

ADVICE = (OPTIMIZER, LOADER, PROFILER, SAVE)
