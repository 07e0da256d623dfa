"""Modules that are trained on several processes."""

from __future__ import annotations

from inspector.advice.advice import Advice
from inspector.advice.kinds import METHOD, SKIPPED

__all__ = ["ADVICE"]

_WRAPPED = """\
import torch
from torch.nn.parallel import DistributedDataParallel

store = torch.distributed.HashStore()
torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
torch.manual_seed(0)
layer = torch.nn.Linear(3, 2)
model = torch.compile(DistributedDataParallel(layer))


def step(x):
    model.zero_grad()
    loss = model(x).square().sum()
    loss.backward()
    return loss.detach(), layer.weight.grad.clone()


outputs = [step(x) for x in (torch.ones(2, 3), torch.arange(6.0).reshape(2, 3))]
torch.distributed.destroy_process_group()
"""

DISTRIBUTED = Advice(
    id="distributed-data-parallel",
    kinds=(METHOD, SKIPPED),
    says=r"set_runtime_stats_and_log|qualname: DistributedDataParallel\.",
    title="a compiled DistributedDataParallel",
    fix="Compile what it wraps: `DistributedDataParallel(torch.compile(model))` instead of "
    "`torch.compile(DistributedDataParallel(model))` removes these graph breaks. DDPOptimizer, "
    "which splits the graph so that gradients are reduced while others are computed, then has no "
    "part in it: time both where there are several processes.",
    before=_WRAPPED,
    after=_WRAPPED.replace(
        "torch.compile(DistributedDataParallel(layer))",
        "DistributedDataParallel(torch.compile(layer))",
    ),
    keeps="Outputs and gradients. The names in `state_dict()` have `_orig_mod` behind `module` "
    "instead of before it. Gradients of a graph that is not split come at its end, so their "
    "reduction overlaps less.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
    holds_in_torch=True,
)

ADVICE = (DISTRIBUTED,)
