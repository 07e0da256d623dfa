"""Inductor compiles for the target and stops before a module is loaded."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from types import SimpleNamespace
from typing import Any
from unittest import mock

import torch
from torch import fx
from torch._dynamo.exc import RestartAnalysis
from torch._functorch import config as functorch_config
from torch._inductor import codecache, compile_fx, output_code
from torch._inductor import config as inductor_config
from torch._inductor.graph import GraphLowering

from inspector.capture.gpu_target.notes import Notes
from inspector.capture.gpu_target.running import copied, on_cpu, on_target

Report = Callable[[BaseException | None], None]
"""Is told after each graph how compiling it ended."""


@contextmanager
def compiling_for(notes: Notes, report: Report) -> Iterator[None]:
    """``backend="inductor"`` generates code, and the CPU runs the graph, inside of the ``with``."""
    original = compile_fx.compile_fx
    # It calls itself, with another configuration in force.
    inside: ContextVar[bool] = ContextVar("inside", default=False)

    def compiled(graph: Any, inputs: Any, *args: Any, **options: Any) -> Any:  # noqa: ANN401
        if inside.get() or not isinstance(graph, fx.GraphModule):
            return original(graph, inputs, *args, **options)
        later: list[logging.LogRecord] = []
        run, untouched = on_cpu(graph, lambda: _say(later)), copied(graph)
        token = inside.set(True)
        error: BaseException | None = None
        try:
            original(on_target(graph), inputs, *args, **options)
            later += notes.take_backward()
            for alternative in notes.other_decisions(len(untouched.graph.nodes)):
                with alternative:
                    original(on_target(copied(untouched)), inputs, *args, **options)
        except RestartAnalysis:
            raise  # Dynamo traces again, with more of it dynamic or fewer scalars
        except Exception as raised:  # noqa: BLE001 - it is reported, and the program goes on
            error = raised
        finally:
            notes.take_backward()  # of a graph that failed, and is of no other
            inside.reset(token)
        report(error)
        return run

    with ExitStack() as stack:
        for patch in _patches(compiled, notes):
            stack.enter_context(patch)
        yield


def _nothing(*_: object, **__: object) -> None:
    """Stands for what is done with code that was loaded."""


def _say(records: list[logging.LogRecord]) -> None:
    """Writes what was kept back into the log, once."""
    while records:
        logging.getLogger("torch.__trace").handle(records.pop(0))


def _patches(compiled: Callable[..., Any], notes: Notes) -> list[Any]:
    make_module = GraphLowering._compile_to_module_lines  # noqa: SLF001 - no public place to stop at

    def not_loaded(self: Any, wrapper_code: Any) -> Any:  # noqa: ANN401 - torch is Any to mypy
        if notes.is_alternative:
            notes.generated(wrapper_code.value)
        elif self.is_backward:
            # Torch generates it when the program asks for gradients, and so it is said then.
            with (
                notes.kept_back(),
                mock.patch.object(codecache.PyCodeCache, "load_by_key_path", staticmethod(_module)),
            ):
                return make_module(self, wrapper_code)
        with mock.patch.object(codecache.PyCodeCache, "load_by_key_path", staticmethod(_module)):
            return make_module(self, wrapper_code)

    return [
        mock.patch.object(compile_fx, "compile_fx", compiled),
        mock.patch.object(GraphLowering, "_compile_to_module_lines", not_loaded),
        mock.patch.object(output_code, "cudagraph_post_compile", _nothing),
        mock.patch.object(output_code, "cudagraph_partition_post_compile", _nothing),
        # The backward graph now: the one that runs is autograd's own, on the CPU.
        functorch_config.patch(force_non_lazy_backward_lowering=True, enable_autograd_cache=False),
        # Workers would not know of the target, and there is nothing to compile in them.
        inductor_config.patch(compile_threads=1, fx_graph_cache=False),
    ]


def _module(key: str, path: str, *_: object, **__: object) -> SimpleNamespace:
    """Stands for the module with the generated code, whose functions are never called."""
    return SimpleNamespace(__file__=path, key=key, call=_never_called, runner=None)


def _never_called(*_: object) -> None:
    message = f"code for a GPU that is not here was called (torch {torch.__version__})"
    raise AssertionError(message)
