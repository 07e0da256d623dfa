"""Inductor generates its code and loads none of it: enough to see what it fused.

Neither a C++ compiler nor Triton's is called. The program runs on, operator by operator, as Dynamo
captured it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any, TypeAlias
from unittest import mock

import torch
from torch import fx
from torch._functorch import config as functorch_config
from torch._inductor import codecache, compile_fx, config, cpp_builder, cpu_vec_isa, output_code

from inspector.capture.hooks import nothing, patched

Generate: TypeAlias = Callable[[fx.GraphModule], object]
"""Lets Inductor generate the code of a graph, for the inputs and options of the call at hand."""


@contextmanager
def generating_only() -> Iterator[None]:
    """``backend="inductor"`` generates code, and graphs run without it, inside of the ``with``.

    Which vector instructions C++ may use is what the processor says it has. Inductor would compile
    something for each to see whether the compiler knows it, which takes longer than all the rest.
    """

    def compiled(graph: fx.GraphModule, generate: Generate) -> Any:
        run = copied(graph)
        generate(graph)
        return run

    with (
        code_only(compiled),
        module_not_loaded(),
        mock.patch.object(cpu_vec_isa.VecISA, "check_build", return_value=True),
        mock.patch.object(cpp_builder, "get_cpp_compiler", _named(cpp_builder.get_cpp_compiler)),
    ):
        yield


@contextmanager
def code_only(compiled: Callable[[fx.GraphModule, Generate], Callable[..., Any]]) -> Iterator[None]:
    """``backend="inductor"`` gives what `compiled` gives for a graph, inside of the ``with``."""
    original = compile_fx.compile_fx
    # It calls itself, with another configuration in force.
    inside: ContextVar[bool] = ContextVar("inside", default=False)

    def compile_graph(graph: Any, inputs: Any, *args: Any, **options: Any) -> Any:
        if inside.get() or not isinstance(graph, fx.GraphModule):
            return original(graph, inputs, *args, **options)
        token = inside.set(True)
        try:
            return compiled(graph, lambda module: original(module, inputs, *args, **options))
        finally:
            inside.reset(token)

    with patched(
        mock.patch.object(compile_fx, "compile_fx", compile_graph),
        mock.patch.object(output_code, "cudagraph_post_compile", nothing),
        mock.patch.object(output_code, "cudagraph_partition_post_compile", nothing),
        # The backward graph now: the one that runs is autograd's own.
        functorch_config.patch(force_non_lazy_backward_lowering=True, enable_autograd_cache=False),
        # Workers would not know of what is patched here, and there is nothing to compile in them.
        config.patch(compile_threads=1, fx_graph_cache=False),
    ):
        yield


def module_not_loaded() -> AbstractContextManager[object]:
    """The module with the generated code is not imported inside of the ``with``."""
    return mock.patch.object(codecache.PyCodeCache, "load_by_key_path", staticmethod(_module))


def copied(graph: fx.GraphModule) -> fx.GraphModule:
    """A graph with copies of its nodes, and of the graphs inside of it."""
    nodes = fx.Graph()
    nodes.output(nodes.graph_copy(graph.graph, val_map={}))
    result = fx.GraphModule(graph, nodes)
    # What Dynamo keeps on both beyond what torch.fx copies: which inputs are parameters, say.
    # Without it AOTAutograd saves other values for the backward pass.
    result.meta = dict(graph.meta)
    _take_over(result, graph)
    for ours, given in zip(nodes.nodes, graph.graph.nodes, strict=True):
        _take_over(ours, given)
    for name, child in list(graph.named_children()):
        if isinstance(child, fx.GraphModule):
            setattr(result, name, copied(child))
    return result


def _take_over(copy: object, original: object) -> None:
    for name, value in vars(original).items():
        vars(copy).setdefault(name, value)


def _named(search: Callable[..., str]) -> Callable[..., str]:
    """The C++ compiler, whose name decides about a word or two of the code, or GCC without one."""
    from torch._inductor.exc import InvalidCxxCompiler

    def get_cpp_compiler(*args: Any, **kwargs: Any) -> str:
        try:
            return search(*args, **kwargs)
        except InvalidCxxCompiler:
            return "g++"

    return get_cpp_compiler


def _module(key: str, path: str, *_: object, **__: object) -> SimpleNamespace:
    """Stands for the module with the generated code, whose functions are never called."""
    return SimpleNamespace(__file__=path, key=key, call=_never_called, runner=None)


def _never_called(*_: object) -> None:
    message = f"uncompiled generated code was called (torch {torch.__version__})"
    raise AssertionError(message)
