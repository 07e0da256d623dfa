"""Modules that are trained on several processes."""

from __future__ import annotations

from inspector.advice.advice import Advice
from inspector.advice.kinds import METHOD, SKIPPED

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

ADVICE = (DISTRIBUTED, SHARDED)
