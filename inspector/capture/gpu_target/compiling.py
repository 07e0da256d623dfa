"""Inductor compiles for the target and stops before a module is loaded."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

from torch import fx
from torch._dynamo.exc import RestartAnalysis
from torch._inductor.graph import GraphLowering

from inspector.capture.generating import Generate, code_only, copied, module_not_loaded
from inspector.capture.gpu_target.notes import Notes
from inspector.capture.gpu_target.running import on_cpu, on_target

Report = Callable[[BaseException | None], None]
"""Is told after each graph how compiling it ended."""


@contextmanager
def compiling_for(notes: Notes, report: Report) -> Iterator[None]:
    """``backend="inductor"`` generates code, and the CPU runs the graph, inside of the ``with``."""

    def compiled(graph: fx.GraphModule, generate: Generate) -> Callable[..., Any]:
        later: list[logging.LogRecord] = []
        run, untouched = on_cpu(graph, lambda: _say(later)), copied(graph)
        error: BaseException | None = None
        try:
            generate(on_target(graph))
            later += notes.take_backward()
            for alternative in notes.other_decisions(len(untouched.graph.nodes)):
                with alternative:
                    generate(on_target(copied(untouched)))
        except RestartAnalysis:
            raise  # Dynamo traces again, with more of it dynamic or fewer scalars
        except Exception as raised:  # noqa: BLE001 - it is reported, and the program goes on
            error = raised
        finally:
            notes.take_backward()  # of a graph that failed, and is of no other
        report(error)
        return run

    make_module = GraphLowering._compile_to_module_lines  # noqa: SLF001 - no public place to stop at

    def not_loaded(self: Any, wrapper_code: Any) -> Any:  # noqa: ANN401 - torch is Any to mypy
        if notes.is_alternative:
            notes.generated(wrapper_code.value)
        elif self.is_backward:
            # Torch generates it when the program asks for gradients, and so it is said then.
            with notes.kept_back(), module_not_loaded():
                return make_module(self, wrapper_code)
        with module_not_loaded():
            return make_module(self, wrapper_code)

    with (
        code_only(compiled),
        mock.patch.object(GraphLowering, "_compile_to_module_lines", not_loaded),
    ):
        yield


def _say(records: list[logging.LogRecord]) -> None:
    """Writes what was kept back into the log, once."""
    while records:
        logging.getLogger("torch.__trace").handle(records.pop(0))
