"""Training: optimizers, several devices, profilers and files."""

from __future__ import annotations

from inspector.advice.advice import Advice
from inspector.advice.kinds import BREAK_CALL, INLINED, METHOD, SKIPPED

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


DISTRIBUTED = Advice(
    id="distributed-data-parallel",
    kinds=(METHOD, SKIPPED),
    says=r"set_runtime_stats_and_log|qualname: DistributedDataParallel\.",
    title="a compiled DistributedDataParallel",
    fix="Compile what it wraps: `DistributedDataParallel(torch.compile(model))` instead of "
    "`torch.compile(DistributedDataParallel(model))` removes these graph breaks. DDPOptimizer, "
    "which splits the graph so that gradients are reduced while others are computed, then has no "
    "part in it: time both where there are several processes.",
    keeps="Outputs and gradients. The names in `state_dict()` have `_orig_mod` behind `module` "
    "instead of before it. Gradients of a graph that is not split come at its end, so their "
    "reduction overlaps less.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
    holds_elsewhere=True,
)


SHARDED = Advice(
    id="fully-sharded",
    tested_on=("2.13",),
    kinds=(SKIPPED,),
    says=r"[/\\]fsdp[/\\]_fully_shard[/\\]",
    title="a compiled model with layers under fully_shard",
    fix="This is FSDP2's hook, which gathers the parameters and is never traced. Compile each "
    "sharded layer instead of the whole: call `layer.compile()` before `fully_shard(layer)`, and "
    "leave out the `torch.compile` around them. The hooks then run between the graphs.",
    keeps="Outputs and gradients. What lies between the layers runs eagerly.",
    instead_of=r"^Avoid calling|dont_skip_tracing|file an issue",
    holds_elsewhere=True,
)


PROFILER = Advice(
    id="profiler-step",
    kinds=(INLINED,),
    says=r"profile\.step|torch/profiler/",
    title="a profiler's step in compiled code",
    fix="Call the profiler in the caller, around the compiled call.",
    keeps="Outputs and profile.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

SAVE = Advice(
    id="save-or-load",
    kinds=(SKIPPED,),
    says=r"module: torch\.serialization",
    title="torch.save or torch.load in compiled code",
    fix="Return what is to be saved (a `clone()` of what is written to in place later), and save "
    "it in the caller; load before the compiled call.",
    keeps="Outputs and file.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

ADVICE = (OPTIMIZER, SCHEDULED, STEP, SCALER, LOADER, DISTRIBUTED, SHARDED, PROFILER, SAVE)
