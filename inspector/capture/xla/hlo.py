"""Observes what torch_xla hands to XLA: the HLO of each graph, and how long XLA compiles it.

torch_xla runs a graph once on tensors that only note what is done with them, makes HLO of these
notes, and compiles that (torch_xla/_dynamo/dynamo_bridge.py, 2.9). It does so in the first call,
when Dynamo is done with the graph, and again for sizes that are new, without Dynamo. There are no
hooks, so that the functions themselves are watched; they do what they did.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import types
from collections.abc import Callable, Iterator
from typing import Any

from torch import fx
from torch._guards import CompileContext, compile_context

from inspector.capture.logged_graph import recorded_graph
from inspector.capture.writer import emit, guarded
from inspector.capture.xla.compiled import compiled_by_xla
from inspector.events.hlo_text import NODE_FILE
from inspector.records.graphs import RecordedGraph

_KEY = "inspector_compilation"


@dataclasses.dataclass(frozen=True, slots=True)
class _Owner:
    """What a graph belongs to.

    Attributes:
        compile_id: Torch's id of the compilation, or None.
        is_backward: Whether it is the graph of the backward pass; None of inference.
    """

    compile_id: Any
    is_backward: bool | None


class XlaObserver:
    """Writes ``inspector_hlo_graph`` for each graph that is compiled for XLA."""

    def __init__(self) -> None:
        self._owner = _Owner(None, None)
        self._graph: fx.GraphModule | None = None
        self._before: list[tuple[Any, str, Any]] = []

    def watch(self) -> None:
        """Begins to observe; torch_xla is there."""
        if not self._before:
            guarded("watch XLA", self._watch)

    def release(self) -> None:
        """Puts the functions back."""
        for owner, name, original in self._before:
            setattr(owner, name, original)
        self._before = []

    def _watch(self) -> None:
        import torch_xla
        from torch._dynamo.backends import torchxla
        from torch_xla._dynamo import dynamo_bridge
        from torch_xla.core import dynamo_bridge as called_by_torch

        for owner, name, hook in (
            (torchxla, "xla_backend_helper", self._begin),
            (called_by_torch, "extract_compiled_graph", self._extract),
            (dynamo_bridge, "extract_graph_helper", self._trace),
            (torch_xla._XLAC, "_xla_warm_up_cache", self._compile),  # noqa: SLF001
        ):
            original = getattr(owner, name)
            setattr(owner, name, _hooked(original, hook))
            self._before.append((owner, name, original))

    def _begin(self, call: Callable[[], Any], graph: fx.GraphModule, *_rest: Any) -> Any:  # noqa: ANN401
        """Dynamo is still there: it knows which compilation this is."""
        graph.meta[_KEY] = _Owner(CompileContext.current_compile_id(), _is_backward(graph))
        return call()

    def _extract(self, call: Callable[[], Any], graph: fx.GraphModule, *_rest: Any) -> Any:  # noqa: ANN401
        """The graph is taken apart where XLA lacks an operator; its parts belong to it."""
        before, self._owner = self._owner, graph.meta.get(_KEY, self._owner)
        try:
            return call()
        finally:
            self._owner = before

    def _trace(self, call: Callable[[], Any], graph: fx.GraphModule, *_rest: Any) -> Any:  # noqa: ANN401
        owner = graph.meta.setdefault(_KEY, self._owner)
        before = self._graph, self._owner
        self._graph, self._owner = graph, owner
        try:
            with _names_its_nodes(graph):
                return call()
        finally:
            self._graph, self._owner = before

    def _compile(self, call: Callable[[], Any], tensors: Any, *_rest: Any) -> Any:  # noqa: ANN401
        made: list[RecordedGraph] = []
        guarded("read the HLO of a graph", lambda: made.append(self._recorded(tensors)))
        before = compiled_by_xla()
        result = call()
        found = compiled_by_xla() - before
        for graph in made:
            known = dataclasses.replace(graph, programs=found.programs, compile_ns=found.time_ns)
            guarded("write the HLO of a graph", functools.partial(self._write, known))
        return result

    def _recorded(self, tensors: Any) -> RecordedGraph:  # noqa: ANN401 - a list of them
        import torch_xla

        graph = RecordedGraph() if self._graph is None else recorded_graph(self._graph)
        return dataclasses.replace(
            graph,
            hlo=torch_xla._XLAC._get_xla_tensors_hlo(list(tensors)),  # noqa: SLF001
            device=str(torch_xla.device()),
            is_backward=self._owner.is_backward,
        )

    def _write(self, graph: RecordedGraph) -> None:
        with contextlib.ExitStack() as stack:
            if self._owner.compile_id is not None:
                stack.enter_context(compile_context(CompileContext(self._owner.compile_id)))
            emit(graph, "hlo_graph")


def _hooked(original: Callable[..., Any], hook: Callable[..., Any]) -> Callable[..., Any]:
    def hooked(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever it takes
        return hook(lambda: original(*args, **kwargs), *args)

    return hooked


def _is_backward(graph: fx.GraphModule) -> bool | None:
    """AOTAutograd names the inputs by the pass (torch/_functorch/partitioners.py, 2.9)."""
    names = [node.name for node in graph.graph.nodes if node.op == "placeholder"]
    if any(name.startswith("tangents_") for name in names):
        return True
    return False if any(name.startswith("primals_") for name in names) else None


@contextlib.contextmanager
def _names_its_nodes(graph: fx.GraphModule) -> Iterator[None]:
    """Lets the metadata of HLO say which node of the graph an instruction comes from.

    torch_xla notes the innermost Python frame of each operation: it is made one whose file has the
    name of the node.
    """
    import torch_xla

    binding = torch_xla._XLAC  # noqa: SLF001
    before = binding._get_ir_debug()  # noqa: SLF001
    binding._set_ir_debug(True)  # noqa: FBT003, SLF001 - takes no keyword
    graph.__dict__["forward"] = lambda *args: _Named(graph).run(*args)
    try:
        yield
    finally:
        del graph.__dict__["forward"]
        binding._set_ir_debug(before)  # noqa: SLF001


class _Named(fx.Interpreter):
    def run_node(self, n: fx.Node) -> Any:  # noqa: ANN401
        if n.op != "call_function":
            return super().run_node(n)
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        # An overload's own `__call__` is Python, and would be the innermost frame.
        target = getattr(n.target, "_op", n.target)
        code = _called.__code__.replace(co_filename=NODE_FILE + n.name)
        return types.FunctionType(code, {})(target, args, kwargs)


def _called(target: Callable[..., Any], args: Any, kwargs: Any) -> Any:  # noqa: ANN401
    return target(*args, **kwargs)
