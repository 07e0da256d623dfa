"""Training loops: optimisers and data loaders."""

from __future__ import annotations

from inspector.advice.advice import Advice
from inspector.advice.kinds import BREAK_CALL, INLINED, SKIPPED

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

_STEP = """\
import torch

weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)


@torch.compile
def update(x):
    optimizer.step()
    return (x * weight.detach()).sum()


def step(x):
    optimizer.zero_grad()
    (x * weight).square().sum().backward()
    return update(x)


outputs = [(step(x), weight.detach().clone()) for x in (torch.ones(3), torch.arange(3.0))]
"""

SCHEDULED = Advice(
    id="scheduled-optimizer",
    kinds=(SKIPPED,),
    says=r"lr_scheduler\.py",
    title="the step of an optimiser that has a learning-rate scheduler",
    fix="The scheduler has put a wrapper around `step()` (`torch/optim/lr_scheduler.py`), which "
    "Dynamo does not trace; the optimiser's own step is compiled behind it, in a graph of its own. "
    "Where the function does nothing else, nothing is needed. Otherwise leave `step()`, and the "
    "scheduler's, to the caller, and compile what is computed.",
    before="""\
import torch

weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)


@torch.compile
def update(x):
    optimizer.step()
    scheduler.step()
    return (x * weight.detach()).sum()


def step(x):
    optimizer.zero_grad()
    (x * weight).square().sum().backward()
    return update(x)


outputs = [(step(x), weight.detach().clone()) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch

weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)


@torch.compile
def total(x):
    return (x * weight.detach()).sum()


def step(x):
    optimizer.zero_grad()
    (x * weight).square().sum().backward()
    optimizer.step()
    scheduler.step()
    return total(x)


outputs = [(step(x), weight.detach().clone()) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="Outputs, weights and learning rates. The step itself is compiled no longer.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

STEP = Advice(
    id="optimizer-step",
    kinds=(BREAK_CALL,),
    says=r"torch/optim/optimizer\.py$",
    title="the step of an optimiser",
    fix="Torch breaks the graph itself here (`_use_grad` in `torch/optim/optimizer.py`), and "
    "compiles the optimiser's step behind it, in a graph of its own. Where the function does "
    "nothing else, nothing is needed. Otherwise leave `step()` to the caller, and compile what is "
    "computed and, if you want, `torch.compile(optimizer.step)`.",
    before=_STEP,
    after=_STEP.replace("    optimizer.step()\n    return (x", "    return (x").replace(
        "    return update(x)", "    optimizer.step()\n    return update(x)"
    ),
    keeps="Outputs and weights. The step itself is compiled no longer.",
    instead_of=r"^Remove the `torch\._dynamo\.graph_break\(\)` call",
)

_SCALED = """\
import torch

weight = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.1)
scaler = torch.amp.GradScaler("cpu")
"""

SCALER = Advice(
    id="grad-scaler",
    kinds=(INLINED,),
    says=r"qualname: GradScaler\.",
    title="a GradScaler in compiled code",
    fix="Compile what computes the loss (under its `autocast`), and leave `scaler.scale(loss)"
    ".backward()`, `scaler.unscale_`, `scaler.step(optimizer)` and `scaler.update()` to the "
    "caller.",
    before=_SCALED
    + """

@torch.compile
def step(x):
    loss = (x * weight).square().sum()
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    return loss.detach()


outputs = [(step(x), weight.detach().clone()) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after=_SCALED
    + """

@torch.compile
def compute(x):
    return (x * weight).square().sum()


def step(x):
    loss = compute(x)
    scaler.scale(loss).backward()
    scaler.step(optimizer)
    scaler.update()
    optimizer.zero_grad()
    return loss.detach()


outputs = [(step(x), weight.detach().clone()) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="Losses, weights and the scale. The backward pass is compiled with the loss; what the "
    "scaler itself does runs eagerly, as it does behind the graph break.",
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

ADVICE = (OPTIMIZER, SCHEDULED, STEP, SCALER, LOADER)
