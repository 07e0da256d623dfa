"""Observes what torch says of CUDA graphs as text alone: skips, and what partitions leave out."""

from __future__ import annotations

import dataclasses
import logging
from collections.abc import Callable
from typing import Any

from inspector.capture import versions
from inspector.capture.hooks import LoggerTap
from inspector.capture.writer import emit
from inspector.records.cuda_graphs import (
    CudaGraphPartitions,
    CudaGraphSkip,
    FunctionKey,
    LeftOut,
)


class CudaGraphLog:
    """The ``cudagraphs`` loggers of torch; `key` gives the function that is about to run."""

    def __init__(self, key: Callable[[], FunctionKey]) -> None:
        self._partitions: CudaGraphPartitions | None = None
        self._left_out: list[LeftOut] = []
        self._observers = (
            LoggerTap(
                versions.CUDA_GRAPH_LOGGER,
                logging.WARNING,
                lambda record: emit(CudaGraphSkip(key(), record.getMessage())),
            ),
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
        if self._partitions is not None:
            found, self._partitions = self._partitions, None
            emit(dataclasses.replace(found, left_out=tuple(self._left_out)))

    def _partition(self, record: logging.LogRecord) -> None:
        """The messages of ``Scheduler._log_graph_partitions``: a head, nodes, and their stacks."""
        arguments: tuple[Any, ...] = record.args if isinstance(record.args, tuple) else ()
        if record.msg == versions.PARTITION_HEAD:
            self.write_partitions()
            partitions, captured, _ = arguments
            self._partitions = CudaGraphPartitions(partitions=partitions, captured=captured)
            self._left_out = []
        elif record.msg == versions.PARTITION_NODE:
            name, why = arguments
            self._left_out.append(LeftOut(name, why))
        elif record.msg == versions.PARTITION_STACK_LINE and self._left_out:
            last = self._left_out.pop()
            stack = f"{last.stack}{arguments[0]}\n"
            self._left_out.append(dataclasses.replace(last, stack=stack))
