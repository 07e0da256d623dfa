"""The graph that torch has just logged as text, once more as data.

The text has of each node the innermost line alone, which may be torch's own (``rms_norm``), and not
its module. The graph itself is a local variable of the function that logs it: nothing is hooked.
"""

import contextlib
import dataclasses
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeAlias

import torch
from torch import fx

from inspector.capture.frames import callers
from inspector.capture.graphs.graph_flops import called, flops_of
from inspector.capture.graphs.module_places import module_stack, stack_of
from inspector.capture.versions import DECOMPOSED, LOGGED_GRAPHS
from inspector.capture.writer import emit, guarded
from inspector.records.graphs import GraphNode, RecordedGraph, TensorMeta

_Modules: TypeAlias = dict[tuple[tuple[str, str], ...], int]
_MOST_FRAMES = 40
# An operator, and one of which no overload has been chosen (`aten.slice`): no public names yet.
_OPERATORS = (torch._ops.OpOverload, torch._ops.OpOverloadPacket)  # noqa: SLF001
_LOGS = "trace_structured"
_RECORDS = ("pybind11_detail_function_record", "PyCapsule.")
"""What pybind 3 and 2 put before the name of a C++ function."""


def write_logged_graph(event: str, *, prims: bool = False) -> fx.GraphModule | None:
    """Writes ``inspector_<stage>_graph``; to be called while torch's event is handled.

    Nothing is written where torch logs a text out of a cache. With `prims`, a graph of
    AOTAutograd's is written as primitives, too.
    """
    stage, variable = LOGGED_GRAPHS[event]
    variables = logging_variables()
    module = variables.get(variable)
    if not isinstance(module, fx.GraphModule):
        return None
    is_backward = variables.get("is_backward")
    graph = recorded_graph(module, None if is_backward is None else bool(is_backward))
    emit(graph, f"{stage}_graph")
    if prims and event in DECOMPOSED:
        direction = DECOMPOSED[event]
        guarded(
            "decompose a graph into primitives",
            lambda: emit(recorded_graph(_prims_graph(module), direction), "prims_graph"),
        )
    return module


def logging_variables() -> Mapping[str, Any]:
    """The variables of the function of torch's that logs the event at hand."""
    frames = itertools.islice(callers(), _MOST_FRAMES)
    logging = next((frame for frame in frames if frame.f_code.co_name == _LOGS), None)
    found = logging.f_back if logging is not None else None
    return found.f_locals if found is not None else {}


def recorded_graph(module: fx.GraphModule, is_backward: bool | None = None) -> RecordedGraph:  # noqa: FBT001
    """A graph as data: stacks and modules, which many nodes share, are there once."""
    stacks: dict[str, int] = {}
    modules: _Modules = {}
    nodes = _nodes(module.graph, stacks, modules)
    return RecordedGraph(tuple(nodes), tuple(stacks), tuple(modules), is_backward)


def _nodes(graph: fx.Graph, stacks: dict[str, int], modules: _Modules) -> list[GraphNode]:
    """The nodes; what computes in a nested graph stands where that is first taken."""
    found: list[GraphNode] = []
    seen: set[str] = set()
    for node in graph.nodes:
        made = _node(node, stacks, modules)
        nested = _nested(node)
        if nested is not None and str(node.target) not in seen:
            seen.add(str(node.target))
            inside = tuple(
                inner
                for inner in _nodes(nested, stacks, modules)
                if inner.op.startswith("call_") or inner.inside
            )
            made = dataclasses.replace(made, inside=inside)
        found.append(made)
    return found


def _node(node: fx.Node, stacks: dict[str, int], modules: _Modules) -> GraphNode:
    meta = node.meta
    path = tuple(
        (str(name), getattr(kind, "__name__", str(kind)))
        for name, kind in module_stack(node).values()
    )
    value = meta.get("example_value", meta.get("val"))
    leaves = torch.utils._pytree.tree_leaves(value)  # noqa: SLF001 - no public name yet
    return GraphNode(
        name=node.name,
        op=node.op,
        target=_target(node),
        inputs=tuple(other.name for other in node.all_input_nodes),
        tensors=tuple(_tensor(leaf) for leaf in leaves if isinstance(leaf, torch.Tensor)),
        stack=stacks.setdefault(stack_of(node), len(stacks)),
        modules=modules.setdefault(path, len(modules)),
        earlier=tuple(_earlier(meta.get("from_node") or ())),
        aten=str(meta.get("original_aten") or ""),
        is_backward=meta.get("partitioner_tag") == "is_backward" or "fwd_nn_module_stack" in meta,
        flops=flops_of(node) or None,
    )


def _earlier(sources: Iterable[Any]) -> list[str]:
    """Names that the node had in earlier graphs, the latest first."""
    names: list[str] = []
    for source in sources:
        item = source
        while item is not None:
            names.append(str(getattr(item, "name", "")))
            item = next(iter(getattr(item, "from_node", None) or ()), None)
    return list(dict.fromkeys(filter(None, reversed(names))))


def _nested(node: fx.Node) -> fx.Graph | None:
    if node.op != "get_attr":
        return None
    owner: Any = node.graph.owning_module
    for name in str(node.target).split("."):
        owner = getattr(owner, name, None)
    return owner.graph if isinstance(owner, fx.GraphModule) else None


def _target(node: fx.Node) -> str:
    target: object = node.target
    if not isinstance(target, (str, *_OPERATORS)):
        target = called(node)[0] or target
    return target_name(target)


def target_name(target: object) -> str:
    """How what a node calls is spelled: ``aten.mm.default``, ``torch.relu``, a method's name."""
    if isinstance(target, (str, *_OPERATORS)):
        return str(target)
    module = str(getattr(target, "__module__", "") or "")
    name = getattr(target, "__qualname__", None) or getattr(target, "__name__", None)
    # `max_pool2d`, which a decorator made, or a function of C++.
    if name and any(part in name for part in ("<locals>", *_RECORDS)):
        name = getattr(target, "__name__", name)
    return f"{module}.{name}".lstrip(".") if name else str(target)


def _tensor(value: torch.Tensor) -> TensorMeta:
    strides = value.stride() if value.layout is torch.strided else ()
    dtype = str(value.dtype).removeprefix("torch.")
    shape = tuple(map(_size, value.shape))
    return TensorMeta(dtype, shape, tuple(map(_size, strides)), str(value.device))


def _size(size: Any) -> int | str:
    """A number, or a symbol's name; to ask a symbol for its value would guard on it."""
    return size if type(size) is int else str(size)


def _prims_graph(module: fx.GraphModule) -> fx.GraphModule:
    """A graph of AOTAutograd's once more, decomposed into torch's primitives.

    Inductor decomposes into operators that it has lowerings for, and stops there. The table of all
    decompositions (torch/_decomp, torch/_refs) goes further: what it has becomes ``prims``, and
    what it lacks (matrix products, convolutions, attention) stays ATen. Traced are fake tensors:
    nothing is computed, and nothing guarded on.

    Raises:
        Exception: Whatever an operator raises that can be traced neither decomposed nor as it is.
    """
    from torch._decomp import decomposition_table
    from torch._guards import detect_fake_mode
    from torch.fx import traceback
    from torch.fx.experimental.proxy_tensor import make_fx

    inputs = [node.meta.get("val") for node in module.graph.nodes if node.op == "placeholder"]
    mode: Any = detect_fake_mode(inputs)

    def run(*arguments: object) -> object:
        with traceback.preserve_node_meta():
            return _Decomposing(module).run(*arguments)

    with contextlib.ExitStack() as stack:
        if mode is not None:
            stack.enter_context(mode)
            stack.enter_context(_without_guards(mode.shape_env))
        trace = make_fx(run, decomposition_table=decomposition_table, _allow_non_fake_inputs=True)
        found: fx.GraphModule = trace(*inputs)
    found.graph.eliminate_dead_code()  # what failed half-way
    return found


class _Decomposing(fx.Interpreter):
    """Leaves an operator as it is where its decomposition fails.

    A decomposition may give other strides than the operator (attention): what views its result
    then copies it first.
    """

    def run_node(self, n: fx.Node) -> Any:
        from torch.fx.experimental.proxy_tensor import decompose

        try:
            return super().run_node(n)
        # Anything: a decomposition is code of torch's, or of who registered it, and what it raises
        # differs with the operator (assertions, shapes, unsupported inputs of fake tensors). What
        # is no matter of the decomposition is raised again by the operator itself.
        except Exception:
            if n.op != "call_function":
                raise
            if n.target is torch.ops.aten.view.default:
                with self._set_current_node(n):
                    return torch.ops.aten.reshape.default(*self.fetch_args_kwargs_from_env(n)[0])
            with decompose({}):
                return super().run_node(n)


@contextlib.contextmanager
def _without_guards(shapes: Any) -> Iterator[None]:
    """A decomposition asks for sizes: what it learns is no assumption of the compiled code."""
    if shapes is None:
        yield
        return
    with shapes.suppress_guards(), shapes.ignore_fresh_unbacked_symbols():
        yield
