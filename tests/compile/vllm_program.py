"""Compiles a model as vLLM does, and logs what vLLM logs: part by part, for two ranges each.

vLLM itself needs a GPU build of its own. Its backend splits Dynamo's graph at attention, gives each
other part to Inductor once for each range of tokens, and says so in torch's trace
(vllm/compilation: backends.py, piecewise_backend.py, passes/vllm_inductor_pass.py).
"""

import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import fx, nn
from torch._inductor import config, standalone_compile
from torch._inductor.custom_graph_pass import CustomGraphPass
from torch._logging import trace_structured
from torch.fx.passes.fake_tensor_prop import FakeTensorProp
from torch.fx.passes.split_module import split_module

RANGES = ((1, 16), (17, 64))


@torch.library.custom_op("pieces::attention", mutates_args=())
def attention(x: torch.Tensor) -> torch.Tensor:
    return torch.softmax(x @ x.T, -1) @ x


@attention.register_fake
def _(x: torch.Tensor) -> torch.Tensor:
    return torch.empty_like(x)


class Model(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.last = nn.Linear(16, 16), nn.Linear(16, 16)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.first(x)) * 1.5
        x = attention(x)
        return torch.sin(self.last(x))


def artifact(name: str, payload: object) -> None:
    trace_structured(
        "artifact",
        metadata_fn=lambda: {"name": name, "encoding": "json"},
        payload_fn=lambda: json.dumps(payload),
    )


def dump(name: str, module: fx.GraphModule, **options: bool) -> None:
    trace_structured(
        "graph_dump",
        metadata_fn=lambda: {"name": f"vllm_{name}"},
        payload_fn=lambda: module.print_readable(print_output=False, **options),
    )


class Passes(CustomGraphPass):
    """Two passes: one that leaves the graph alone, one that makes a sine a cosine."""

    def __call__(self, graph: fx.Graph) -> None:
        where: dict[str, bool] = {"include_stride": True, "include_device": True}
        module: Any = graph.owning_module
        dump("post_grad.0.NoOpEliminationPass", module, **where)
        for node in graph.find_nodes(op="call_function", target=torch.ops.aten.sin.default):
            node.target = torch.ops.aten.cos.default
        dump("post_grad.1.SineFusionPass", module, **where)

    def __init__(self, limits: tuple[int, int]) -> None:
        self._limits = limits

    def uuid(self) -> str:
        return str(self._limits)


def backend(graph: fx.GraphModule, inputs: list[Any]) -> Callable[..., Any]:
    artifact("vllm_compilation_config", {
        "model": "small", "prefix": "backbone", "mode": "3", "backend": "inductor",
        "custom_ops": "none", "splitting_ops": "pieces::attention",
        "cudagraph_mode": "FULL_AND_PIECEWISE", "compile_sizes": "8",
        "compile_ranges_endpoints": "16, 64", "use_inductor_graph_partition": False,
        "inductor_passes": "", "enabled_passes": "eliminate_noops, fuse_sine",
        "dynamic_shapes_type": "backed", "dynamic_shapes_evaluate_guards": False,
    })  # fmt: skip
    parts = _parts(graph)
    split = split_module(graph, graph, lambda node: parts[node])  # type: ignore[arg-type]
    dump("piecewise_split_graph", split)
    names = [
        name
        for name, part in split.named_children()
        if not any(node.target is torch.ops.pieces.attention.default for node in part.graph.nodes)
    ]
    inputs = [node.meta["example_value"] for node in graph.graph.find_nodes(op="placeholder")]
    FakeTensorProp(split, inputs[0].fake_mode).propagate_dont_convert_inputs(*inputs)
    calls = {str(node.target): node for node in split.graph.nodes if node.op == "call_module"}
    for index, name in enumerate(names):
        arguments = [node.meta["val"] for node in calls[name].args]
        compiled = list(_compiled(split.get_submodule(name), name, index, len(names), arguments))
        delattr(split, name)
        split.add_module(name, _Called(compiled[0]))
    return split


class _Called(nn.Module):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self.forward = function


def _parts(graph: fx.GraphModule) -> dict[fx.Node, int]:
    """One part for each node: attention is one of its own."""
    part, parts = 0, {}
    for node in graph.graph.nodes:
        is_attention = node.target is torch.ops.pieces.attention.default
        part += is_attention
        parts[node] = part
        part += is_attention
    return parts


def _compiled(
    module: Any, name: str, index: int, pieces: int, arguments: list[Any]
) -> Iterator[Callable[..., Any]]:
    for number, (first, last) in enumerate(RANGES):
        artifact("vllm_piecewise_compile_start", {
            "piecewise_index": index, "submod_name": name, "total_piecewise_compiles": pieces,
            "compile_range_start": first, "compile_range_end": last,
            "is_single_size": first == last, "is_cudagraph_capture_size": False,
        })  # fmt: skip
        if not number:
            dump(name, module)
        with config.patch(post_grad_custom_post_pass=Passes((first, last))):
            yield standalone_compile(
                module, arguments, dynamic_shapes="from_tracing_context",
                options={"config_patches": {}},
            )  # fmt: skip


if __name__ == "__main__":
    with torch.no_grad():
        model = torch.compile(Model(), backend=backend, fullgraph=True)
        model(torch.ones(int(sys.argv[1]) if len(sys.argv) > 1 else 8, 16))
