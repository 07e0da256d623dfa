"""What a process of `inspect bench` does: it makes its program ready, and times it when asked to.

All processes of a session are ready at the same time and take turns, so that what the machine does
meanwhile meets all of them alike. Two descriptors connect one with the recorder: a line of JSON
comes in for each block, and a line goes out when something is done. What was found out goes into
the log.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch

from inspector.capture.bench.blocks import block, burst, busy_of, settle, timed
from inspector.capture.bench.changed import changed_by, gradients_of
from inspector.capture.bench.errors import compared
from inspector.capture.bench.failing import failing
from inspector.capture.bench.inputs import items_of, shapes_of
from inspector.capture.bench.make_program import make_program
from inspector.capture.bench.peak import peak_of
from inspector.capture.bench.process import Channel, Cores, device_name
from inspector.capture.bench.program import Loop, Program, loop_of, restoring_loop
from inspector.capture.calls.calling import wait_for_device
from inspector.capture.calls.outputs import SavedResults, joined, keep, saved_results
from inspector.capture.execution.execution import check_spelling, write_target
from inspector.capture.execution.trial import seed
from inspector.capture.log.environment import environment
from inspector.capture.profiling.device import cuda_devices, uses_cuda
from inspector.capture.quiet import quiet
from inspector.capture.recording.handler import attach
from inspector.capture.target.call import PreparedCall
from inspector.capture.target.target import Target, load_target
from inspector.capture.versions import compilations
from inspector.capture.writer import emit
from inspector.records.bench import (
    BenchEvent,
    BusyTime,
    CallMemory,
    FirstCalls,
    Settled,
    TimedBlock,
)
from inspector.records.calls import TargetCall
from inspector.shared.bench import WorkerRequest
from inspector.shared.result_names import AGAIN

# Of results that are copied into the host's memory by each process, until all have them.
_MOST_COMPARED_BYTES = 4 << 30
_SETTLING_PART = 4  # of a session: 3 s, where that has 12 s


def work(folder: Path, asked: WorkerRequest, cores: Cores) -> None:
    """Works until the recorder closes its end.

    Raises:
        InspectorError: The target cannot be loaded, compiled or called, or a backend of the plan is
            misspelt.
    """
    channel = Channel()
    handler = attach(folder, project=None).handler
    seed(0)
    target = load_target(asked.request)
    emit(environment(target.root, asks_for_gpus=True))
    write_target(target, handler.sources)
    handler.sources.add_digests()
    check_spelling(asked.backends)
    channel.say("loaded")
    if channel.received() is None:  # nobody wants it any more
        return
    worker = _Worker(asked, target, make_program(target, asked))
    worker.begin()
    if asked.is_reference:
        return
    if not uses_cuda():
        cores.bind()  # what drives a GPU is one thread, and does not share the core of all others
    worker.settle()
    call_ns = worker.times_ns()
    if uses_cuda():
        torch.cuda.empty_cache()  # others want memory, too
    channel.say("ready", device=device_name(), call_ns=call_ns, restores=worker.restores)
    jobs: Mapping[str, Callable[..., None]] = {"block": worker.block, "busy": worker.busy}
    while (asked_now := channel.received()) is not None:
        jobs[asked_now.pop("do")](**asked_now)
        channel.say("done")


class _Worker:
    def __init__(self, asked: WorkerRequest, target: Target, program: Program) -> None:
        self._asked = asked
        self._target = target
        self._program = program
        self._draws = False
        self._inputs = range(len(program.calls))
        self._loops: list[Loop] = []
        self._most_bytes = _MOST_COMPARED_BYTES

    @property
    def restores(self) -> Sequence[int]:
        """The inputs before each of whose calls everything is put back."""
        return [index for index, loop in enumerate(self._loops) if loop.restores]

    def begin(self) -> None:
        """Calls each input three times; keeps the results of the first and the last call.

        The third replays a CUDA graph, where there is one.
        """
        kept = saved_results({})
        for index in self._inputs:
            kept = joined(kept, self._begin(index))
            self._most_bytes = _MOST_COMPARED_BYTES - kept.size_bytes
        asked = self._asked
        kept = dataclasses.replace(kept, draws=self._draws)
        if asked.outputs:
            keep(kept, Path(asked.outputs))
        if asked.outputs or asked.references:
            self._write(compared(kept, asked.references, is_eager=asked.eager))

    def _begin(self, index: int) -> SavedResults:
        """The first three calls with an input; what the first and the last of them gave."""
        before = compilations()
        first_ns, results = self._first(index)
        compiled = compilations() - before
        cuda_devices.cache_clear()  # the first call may be the first on a GPU
        self._program.state.look_again()
        with self._failing(index), quiet():
            second_ns = timed(self._program.prepare(index))
        results = joined(results, self._again(index))
        call = self._program.calls[index]
        self._write(
            FirstCalls(
                input=index, compiled=compiled, first_ns=first_ns, second_ns=second_ns,
                inputs=shapes_of(call), items=items_of(call),
                draws=self._draws, threads=torch.get_num_threads(), device=device_name(),
            )
        )  # fmt: skip
        return results

    def _first(self, index: int) -> tuple[int, SavedResults]:
        emit(TargetCall(index, 0, "begin"))
        # Before the very first there is nothing to put back, and to look would say that no call
        # draws random numbers.
        prepared = self._program.prepare(index, restores=index > 0)
        seed(1 + index)  # what one input draws does not depend on what was drawn before
        results = saved_results({})
        with self._failing(index):
            before = _generators()
            began_ns = time.perf_counter_ns()
            outputs = prepared()
            wait_for_device()
            time_ns = time.perf_counter_ns() - began_ns
            self._draws |= _generators() != before
            results = self._results(index, "", outputs, prepared)
        return time_ns, results

    def _again(self, index: int) -> SavedResults:
        with self._failing(index), quiet():
            prepared = self._program.prepare(index)
            seed(1 + index)
            outputs = prepared()
            wait_for_device()
            return self._results(index, AGAIN, outputs, prepared)

    def _results(self, index: int, again: str, outputs: object, made: PreparedCall) -> SavedResults:
        """Copies, at once: the next call may write to the same memory."""
        where = f"input {index + 1}{again}"
        values = {f"output of {where}": outputs}
        if self._asked.workload.train:
            values |= gradients_of(self._program, made.arguments, where)
        values |= changed_by(self._program, index, made.arguments, where)
        return saved_results(values, self._most_bytes)

    def settle(self) -> None:
        """Calls each input until its time is stable; before, the memory of a call, if asked."""
        program = self._program
        if self._asked.measures_memory:  # before calls have copies of their inputs
            for index in self._inputs:
                with self._failing(index), quiet():
                    prepare = functools.partial(program.prepare, index)
                    memory = peak_of(prepare, program.plain, program.copies)
                    self._write(CallMemory(input=index, memory=memory))
        for index in self._inputs:
            with self._failing(index), quiet():
                loop = loop_of(program, index)
                is_settled = settle(loop, self._asked.session_seconds / _SETTLING_PART)
                self._write(Settled(input=index, is_settled=is_settled, restores=loop.restores))
                self._loops.append(loop)

    def times_ns(self) -> Sequence[int]:
        """What a call with each input takes with all that is around it, to plan blocks by."""
        found = []
        for index in self._inputs:
            with self._failing(index), quiet():
                loop = self._loop(index)
                began_ns = time.perf_counter_ns()
                with loop.context():
                    timed(loop.next_call())
                found.append(time.perf_counter_ns() - began_ns)
        return found

    def _loop(self, index: int) -> Loop:
        """The loop for an input, which begins with the model as it was."""
        if self._program.state.has_changed():  # by another input's calls
            self._program.state.begin_again()
        return self._loops[index]

    def block(self, round: int, input: int, calls: int, *, restores: bool) -> None:  # noqa: A002 - names of the fields
        """Times calls.

        Args:
            restores: Whether everything is put back before each, as another setting has to.
        """
        if restores and not self._loops[input].restores:
            self._loops[input] = restoring_loop(self._program, input)
        with self._failing(input), quiet():
            found = block(self._loop(input), calls)
        more: Mapping[str, int] = {}
        if uses_cuda():
            with contextlib.suppress(Exception), quiet():  # the calls alone are worth more
                more = burst(self._loops[input], calls)
        self._write(TimedBlock(input=input, round=round, times_ns=found, **more))

    def busy(self) -> None:
        """Looks for how long of a call with each input a GPU works."""
        for index in self._inputs if uses_cuda() else ():
            # The times are there: where the profiler is taken, or fails, they are all the same.
            with contextlib.suppress(Exception), quiet():
                busy = busy_of(self._loops[index])
                self._write(BusyTime(input=index, **busy))

    def _write(self, event: BenchEvent) -> None:
        asked = self._asked
        emit(dataclasses.replace(event, combination=asked.combination, session=asked.session))

    def _failing(self, index: int) -> Any:
        return failing(
            self._target, self._program.shown(index), self._program.next_step,
            is_eager=self._asked.eager, request=self._asked.request,
        )  # fmt: skip


def _generators() -> tuple[bytes, ...]:
    used = torch.cuda.is_available() and torch.cuda.is_initialized()
    states = [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if used else [])]
    return tuple(bytes(state.numpy()) for state in states)
