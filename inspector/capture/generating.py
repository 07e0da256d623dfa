"""Inductor generates its code and compiles none of it: enough to see what it fused.

Neither a C++ compiler nor Triton's is called. The program runs on, operator by operator, as Dynamo
captured it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
from torch import fx

from inspector.capture.gpu_target.running import copied


@contextmanager
def generating_only() -> Iterator[None]:
    """``backend="inductor"`` generates code, and graphs run without it, inside of the ``with``.

    Which vector instructions C++ may use is what the processor says it has. Inductor would compile
    something for each to see whether the compiler knows it, which takes longer than all the rest.
    """
    from torch._functorch import config as functorch_config
    from torch._inductor import (
        codecache,
        compile_fx,
        config,
        cpp_builder,
        cpu_vec_isa,
        output_code,
    )

    original = compile_fx.compile_fx
    # It calls itself, with another configuration in force.
    inside: ContextVar[bool] = ContextVar("inside", default=False)

    def compiled(graph: Any, inputs: Any, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        if inside.get() or not isinstance(graph, fx.GraphModule):
            return original(graph, inputs, *args, **options)
        run = copied(graph)
        token = inside.set(True)
        try:
            original(graph, inputs, *args, **options)
        finally:
            inside.reset(token)
        return run

    patches = [
        mock.patch.object(compile_fx, "compile_fx", compiled),
        mock.patch.object(codecache.PyCodeCache, "load_by_key_path", staticmethod(_module)),
        mock.patch.object(output_code, "cudagraph_post_compile", _nothing),
        mock.patch.object(output_code, "cudagraph_partition_post_compile", _nothing),
        # The backward graph now: the one that runs is autograd's own.
        functorch_config.patch(force_non_lazy_backward_lowering=True, enable_autograd_cache=False),
        config.patch(compile_threads=1, fx_graph_cache=False),
        mock.patch.object(cpu_vec_isa.VecISA, "check_build", return_value=True),
        mock.patch.object(cpp_builder, "get_cpp_compiler", _named(cpp_builder.get_cpp_compiler)),
    ]
    with ExitStack() as stack:
        for patch in patches:
            stack.enter_context(patch)
        yield


def _named(search: Callable[..., str]) -> Callable[..., str]:
    """The C++ compiler, whose name decides about a word or two of the code, or GCC without one."""
    from torch._inductor.exc import InvalidCxxCompiler

    def get_cpp_compiler(*args: Any, **kwargs: Any) -> str:  # noqa: ANN401
        try:
            return search(*args, **kwargs)
        except InvalidCxxCompiler:
            return "g++"

    return get_cpp_compiler


def _nothing(*_: object, **__: object) -> None:
    """Stands for what is done with code that was loaded."""


def _module(key: str, path: str, *_: object, **__: object) -> SimpleNamespace:
    """Stands for the module with the generated code, whose functions are never called."""
    return SimpleNamespace(__file__=path, key=key, call=_never_called, runner=None)


def _never_called(*_: object) -> None:
    message = f"code that was not compiled was called (torch {torch.__version__})"
    raise AssertionError(message)
