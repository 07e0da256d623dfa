"""Observes what torch says of CUDA graphs as text alone: skips, and what partitions leave out."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from inspector.capture import versions
from inspector.capture.hooks import LoggerTap
from inspector.capture.writer import write_artifact


class CudaGraphLog:
    """The ``cudagraphs`` loggers of torch, which show what they would show without us.

    Args:
        context: What the process knows of the function that is about to run, for a skip.
    """

    def __init__(self, context: Callable[[], Mapping[str, object]]) -> None:
        self._context = context
        self._partitions: dict[str, object] = {}
        self._left_out: list[dict[str, object]] = []
        self._observers = (
            LoggerTap(versions.CUDA_GRAPH_LOGGER, logging.WARNING, self._skip),
            LoggerTap(versions.PARTITION_LOGGER, logging.DEBUG, self._partition),
        )

    def watch(self) -> None:
        """Begins to observe; levels stay what ``TORCH_LOGS`` and the program make of them."""
        for observer in self._observers:
            observer.watch()

    def release(self) -> None:
        """Leaves the loggers as they were."""
        self.write_partitions()
        for observer in self._observers:
            observer.release()

    def write_partitions(self) -> None:
        """Writes what was said about a graph's partitions, once torch has gone on to other things.

        Called with each record of the trace; those of one compilation come before its end.
        """
        if self._partitions:
            said, self._partitions = self._partitions, {}
            write_artifact("cuda_graph_partitions", {"v": 1, **said, "left_out": self._left_out})

    def _skip(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        write_artifact("cuda_graph_skip", {"v": 1, **self._context(), "message": message})

    def _partition(self, record: logging.LogRecord) -> None:
        """The messages of ``Scheduler._log_graph_partitions``: a head, nodes, and their stacks."""
        arguments = record.args if isinstance(record.args, tuple) else ()
        if record.msg == versions.PARTITION_HEAD:
            self.write_partitions()
            names = ("partitions", "captured", "not_captured")
            self._partitions = dict(zip(names, arguments, strict=True))
            self._left_out = []
        elif record.msg == versions.PARTITION_NODE:
            name, why = arguments
            self._left_out.append({"name": name, "why": why, "stack": ""})
        elif record.msg == versions.PARTITION_STACK_LINE and self._left_out:
            self._left_out[-1]["stack"] = f"{self._left_out[-1]['stack']}{arguments[0]}\n"
