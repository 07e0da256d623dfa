"""Modules that are trained on several processes."""

from __future__ import annotations

from inspector.advice.advice import Advice
from inspector.advice.kinds import METHOD, SKIPPED

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
    holds_elsewhere=True,
)

_SHARDED = """\
import torch
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard

store = torch.distributed.HashStore()
torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
torch.manual_seed(0)
mesh = init_device_mesh("cpu", (1,))


class Layer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x):
        return x + torch.relu(self.linear(x))


layers = [Layer(), Layer()]
model = torch.nn.Sequential(*layers)
for layer in layers:
    fully_shard(layer, mesh=mesh)
fully_shard(model, mesh=mesh)
compiled = torch.compile(model)


def step(x):
    model.zero_grad()
    loss = compiled(x).square().sum()
    loss.backward()
    return loss.detach(), layers[0].linear.weight.grad.full_tensor()


outputs = [step(x) for x in (torch.ones(2, 3), torch.arange(6.0).reshape(2, 3))]
torch.distributed.destroy_process_group()
"""

SHARDED = Advice(
    id="fully-sharded",
    tested_on=("2.13",),
    kinds=(SKIPPED,),
    says=r"[/\\]fsdp[/\\]_fully_shard[/\\]",
    title="a compiled model with layers under fully_shard",
    fix="This is FSDP2's hook, which gathers the parameters and is never traced. Compile each "
    "sharded layer instead of the whole: call `layer.compile()` before `fully_shard(layer)`, and "
    "leave out the `torch.compile` around them. The hooks then run between the graphs.",
    before=_SHARDED,
    after=_SHARDED.replace(
        "    fully_shard(layer, mesh=mesh)\n",
        "    layer.compile()\n    fully_shard(layer, mesh=mesh)\n",
    ).replace("compiled = torch.compile(model)\n", "compiled = model\n"),
    keeps="Outputs and gradients. What lies between the layers runs eagerly.",
    instead_of=r"^Avoid calling|dont_skip_tracing|file an issue",
    holds_elsewhere=True,
)

ADVICE = (DISTRIBUTED, SHARDED)
