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
    keeps="Losses and weights.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)


SCHEDULED = Advice(
    id="scheduled-optimizer",
    kinds=(SKIPPED,),
    says=r"lr_scheduler\.py",
    title="the step of an optimiser that has a learning-rate scheduler",
    fix="The scheduler has put a wrapper around `step()` (`torch/optim/lr_scheduler.py`), which "
    "Dynamo does not trace; the optimiser's own step is compiled behind it, in a graph of its own. "
    "Where the function does nothing else, nothing is needed. Otherwise leave `step()`, and the "
    "scheduler's, to the caller, and compile what is computed.",
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
    keeps="Outputs and weights. The step itself is compiled no longer.",
    instead_of=r"^Remove the `torch\._dynamo\.graph_break\(\)` call",
)


SCALER = Advice(
    id="grad-scaler",
    kinds=(INLINED,),
    says=r"qualname: GradScaler\.",
    title="a GradScaler in compiled code",
    fix="Compile what computes the loss (under its `autocast`), and leave `scaler.scale(loss)"
    ".backward()`, `scaler.unscale_`, `scaler.step(optimizer)` and `scaler.update()` to the "
    "caller.",
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
    keeps="The outputs.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

ADVICE = (OPTIMIZER, SCHEDULED, STEP, SCALER, LOADER)
