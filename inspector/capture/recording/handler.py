"""The one handler on torch's trace: writes the log and adds what only the process knows."""

from __future__ import annotations

import atexit
import dataclasses
import functools
import json
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from inspector.capture import versions
from inspector.capture.autotuning.kernels import AutotuneObserver
from inspector.capture.breaks.skips import SkipObserver
from inspector.capture.cuda_graphs.cuda_graphs import CudaGraphObserver
from inspector.capture.fusion.fusion_observer import FusionObserver
from inspector.capture.guards.recompile import RecompileObserver
from inspector.capture.kernels.kernel_observer import KernelObserver
from inspector.capture.log.payloads import PayloadGuard
from inspector.capture.log.process_log import ProcessLog
from inspector.capture.log.raised import add_operator_raised, watch_threads, write_operator_raised
from inspector.capture.passes.observer import PassObserver
from inspector.capture.sources import SourceWriter
from inspector.capture.user_stack import calling_frame
from inspector.capture.writer import artifact_name, emit, guarded
from inspector.records.graph_breaks import BreakPositions, Caller
from inspector.records.record import PREFIX
from inspector.trace.printed_stack import printed_frames

if TYPE_CHECKING:
    from inspector.capture.breaks.late_hooks import HookObserver
    from inspector.capture.timeline.window import WarmWindow

_TRACE_LOGGER = "torch.__trace"
_GENERATED = "inductor_output_code"
_STAGES = versions.LOGGED_GRAPHS.keys() | {_GENERATED}


class TraceHandler(logging.Handler):
    """Writes every record of torch's trace to our logs, then looks at some of them.

    It stands in front of the logger, whose ``handle`` it replaces, and not only among its handlers:
    there, one handler can take itself away and so hide a record from the next (torch's own does),
    and ``logging.config`` can switch the logger off. It is among the handlers too, because torch
    traces nothing where there are none. What the user's own handlers get is what they would get
    without us: our artifacts pass them by.

    Attributes:
        measures: Profiles the program's own calls for a moment, once it has compiled: from the
            first frame on, as `import torch` may not be over before.
        is_paused: Writes and looks at nothing: what is compiled is no part of the recording.
    """

    def __init__(self, logger: logging.Logger) -> None:
        super().__init__(logging.DEBUG)
        self.sources = SourceWriter()
        self._payloads = PayloadGuard()
        self._skips = SkipObserver(self.sources)
        self._recompiles = RecompileObserver(self.sources)
        self._cuda_graphs = CudaGraphObserver(self.sources)
        self._fusion = FusionObserver()
        self._kernels = KernelObserver(self._fusion.defined)
        self._passes = PassObserver()
        self._logger = logger
        self._logs: tuple[ProcessLog, ...] = ()
        self._pid = os.getpid()
        self._level = logger.level
        self._before: dict[str, Any] = {}
        self._window: WarmWindow | None = None
        self._autotuning: AutotuneObserver | None = None
        self.measures = False
        self.is_paused = False
        self.keeps_graphs = False
        self.keeps_prims = False
        self._hooks: HookObserver | None = None
        self._release_threads: Callable[[], None] | None = None

    @property
    def is_attached(self) -> bool:
        """Whether this process is being recorded."""
        return bool(self._logs)

    def add(self, log: ProcessLog) -> None:
        """Writes to one more log from now on."""
        if not self._logs:
            self._stand_in_front()
            guarded("replace unprintable values", self._payloads.watch)
            self._skips.watch()
            self._release_threads = watch_threads()
            self._cuda_graphs.watch()
        self._forget()
        self._logs = (*self._logs, log)

    def remove(self, log: ProcessLog) -> None:
        """Ends a log; with the last one the logger becomes what it was."""
        left = tuple(other for other in self._logs if other is not log)
        if not left:
            guarded("stop observing CUDA graphs", self._cuda_graphs.release)
            self.end_autotuning()
        self._logs = left
        log.close()
        if not self._logs:
            self._payloads.release()
            if self._hooks is not None:
                self._hooks.release()
            if self._release_threads is not None:
                self._release_threads()
            self._skips.release()
            self._kernels.release()
            self._passes.release()
            self._fusion.release()
            self._step_aside()

    def watch_autotuning(self) -> None:
        """Writes what autotuning tries from now on, until it is ended."""
        if self._autotuning is None:
            self._autotuning = AutotuneObserver()
            self._autotuning.watch()

    def end_autotuning(self) -> None:
        """Writes no more of it: what is tuned while something is measured is no part of that."""
        if self._autotuning is not None:
            self._autotuning.release()
            self._autotuning = None

    def end_measuring(self) -> None:
        """Measures no more; what is being measured is finished."""
        self.measures = False
        if self._window is not None:
            self._window.end()
            self._window = None

    def emit(self, record: logging.LogRecord) -> None:
        """Does nothing: every record was taken before the logger's handlers were asked."""

    def _stand_in_front(self) -> None:
        logger = self._logger
        self._before = {
            name: logger.__dict__[name]
            for name in ("handle", "isEnabledFor")
            if name in logger.__dict__
        }
        self._level = logger.level
        logger.setLevel(logging.DEBUG)
        setattr(logger, "isEnabledFor", _always)  # noqa: B010 - a method
        setattr(logger, "handle", self._take)  # noqa: B010 - a method
        logger.addHandler(self)

    def _step_aside(self) -> None:
        logger = self._logger
        logger.removeHandler(self)
        ours = {"handle": self._take, "isEnabledFor": _always}
        for name, function in ours.items():
            if logger.__dict__.get(name) != function:
                continue  # torch or the program has changed it since
            delattr(logger, name)
            if name in self._before:
                setattr(logger, name, self._before[name])
        if logger.level == logging.DEBUG:
            logger.setLevel(self._level)

    def _take(self, record: logging.LogRecord) -> None:
        self._write_and_look(record)
        if not _is_ours(record) and self._would_be_handled(record):
            self._before.get("handle", self._plain("handle"))(record)

    def _would_be_handled(self, record: logging.LogRecord) -> bool:
        if self._logger.__dict__.get("isEnabledFor") is not _always:
            return True  # torch has set it since (2.13 does), and it was asked
        enabled = self._before.get("isEnabledFor", self._plain("isEnabledFor"))
        return bool(enabled(record.levelno))

    def _plain(self, name: str) -> Callable[..., Any]:
        """A method of the logger as its class has it."""
        method: Callable[..., Any] = getattr(logging.Logger, name).__get__(self._logger)
        return method

    def _write_and_look(self, record: logging.LogRecord) -> None:
        if self.is_paused:
            return
        if self._pid != os.getpid():
            self._pid = os.getpid()  # a fork, whose logs have nothing yet, and which has no threads
            self._window = None
            self._forget()
        self.acquire()  # threads compile too; `logging` renews the lock in a fork
        try:
            for log in self._logs:
                guarded("write the log", functools.partial(log.write, record))
        finally:
            self.release()
        guarded("read a record", lambda: self._look(record))

    def _forget(self) -> None:
        """Each log gets all that a reader of it alone needs."""
        self.sources.forget()
        self._skips.forget()
        self._cuda_graphs.forget()

    def _look(self, record: logging.LogRecord) -> None:
        self._cuda_graphs.look()
        if self._autotuning is not None:
            self._autotuning.watch()
        metadata = getattr(record, "metadata", None)
        if not isinstance(metadata, Mapping):
            return
        if self._window is not None and not _is_ours(record):
            # ``B`` where a span begins, ``E`` where it ends; and which span it is.
            is_span = "chromium_event" in metadata
            span = json.loads(getattr(record, "payload", None) or "{}") if is_span else {}
            which = (str(span.get("ph", "")), (span.get("tid"), span.get("name")))
            self._window.saw(*(which if is_span else ()))
        if "dynamo_start" in metadata:
            files, stack = versions.interned_strings(), metadata["dynamo_start"]["stack"]
            self._begins([(files.get(f["filename"], ""), f["line"]) for f in stack])
        elif "dynamo_cpp_guards_str" in metadata:
            payload = getattr(record, "payload", None)
            if isinstance(payload, str):
                self._recompiles.remember(payload)
        else:
            # What is an artifact in one version may be a key of its own in another.
            stage = next(iter(_STAGES & metadata.keys()), None)
            self._look_at_stage(stage or artifact_name(metadata))

    def _look_at_stage(self, name: str) -> None:
        if name == "dynamo_graph_break_reason":
            self._add_positions()
            add_operator_raised(self.sources)
        elif name == "dynamo_error":
            write_operator_raised(self.sources)
        elif name == "recompile_reasons":
            self._recompiles.explain()
        elif name == "inductor_post_grad_graph":
            self._kernels.watch()  # lowering begins: whoever never comes here, imports none of it
            if self.keeps_graphs:
                self._fusion.watch()
        elif name == _GENERATED and self._autotuning is not None:
            self._autotuning.flush()
        if name in versions.LOGGED_GRAPHS and (self.keeps_graphs or name == "dynamo_output_graph"):
            self._write_graph(name)
        if name in versions.PASSES_END:
            self._passes.end_stage()
        elif name in versions.PASSES_BEGIN:
            self._begin_passes(versions.PASSES_BEGIN[name])

    def _begins(self, stack: Sequence[tuple[str, int]]) -> None:
        """Dynamo begins with a function; who calls it is written where torch's stack lacks it."""
        if self.measures:
            self._begin_to_measure()
        if self._hooks is not None:
            self._hooks.begins()
        for file, _ in stack:
            self.sources.add(file)
        caller = calling_frame()
        if caller is not None and (caller.file, caller.line) not in stack[:-1]:
            emit(Caller(caller))
            self.sources.add(caller.file)

    def _begin_to_measure(self) -> None:
        from inspector.capture.timeline.window import WarmWindow

        if self._window is None:
            self._window = WarmWindow()
            self._window.start()
            atexit.register(self.end_measuring)
        self._window.prime()

    def _write_graph(self, event: str) -> None:
        from inspector.capture.breaks.late_hooks import HookObserver
        from inspector.capture.graphs.logged_graph import write_logged_graph

        graph = write_logged_graph(event, prims=self.keeps_prims)
        if graph is None or event != "dynamo_output_graph":
            return
        if self._hooks is None:
            self._hooks = HookObserver(self.sources)
        self._hooks.compiled(graph)
        # The source of what was traced, so that a page shows it next to the graph.
        stacks = {str(node.meta.get("stack_trace") or "") for node in graph.graph.nodes}
        for file in sorted({frame.file for stack in stacks for frame in printed_frames(stack)}):
            self.sources.add(file)

    def _begin_passes(self, variable: str) -> None:
        from inspector.capture.graphs.logged_graph import logging_variables

        self._passes.watch()
        self._passes.begin_stage(logging_variables().get(variable))

    def _add_positions(self) -> None:
        positions = tuple(versions.positions_of_graph_break())
        if positions:
            emit(BreakPositions(positions, versions.higher_order_of_graph_break()))
        for position in positions:
            self.sources.add(position.file)


def _always(_level: int) -> bool:
    return True


def _is_ours(record: logging.LogRecord) -> bool:
    metadata = getattr(record, "metadata", None)
    return isinstance(metadata, Mapping) and artifact_name(metadata).startswith(PREFIX)


def attached_handler() -> TraceHandler:
    """The handler of this process, made where there is none; it does nothing without a log."""
    logger = logging.getLogger(_TRACE_LOGGER)
    stands = getattr(logger.__dict__.get("handle"), "__self__", None)
    return stands if isinstance(stands, TraceHandler) else TraceHandler(logger)


@dataclasses.dataclass(frozen=True, slots=True)
class Attachment:
    """A recording that this process writes to: what takes the records, and what writes them."""

    handler: TraceHandler
    log: ProcessLog

    def detach(self) -> None:
        """Ends it; what was observed for this recording alone is left as it was found."""
        self.handler.remove(self.log)


def attach(folder: Path, project: str | None, max_bytes: int | None = None) -> Attachment:
    """Begins to write this process's trace into a recording, see `ProcessLog`."""
    attachment = Attachment(attached_handler(), ProcessLog(folder, project, max_bytes))
    attachment.handler.add(attachment.log)
    return attachment
