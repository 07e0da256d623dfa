"""What the process of a start does: first calls of all inputs, as a service would make them.

It is told what to do next as the processes of `inspect bench` are (`inspector.capture.benching.\
worker`): blocks of later calls, and to look for the plan.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch
from torch._dynamo.utils import counters

from inspector.capture.attach import attach
from inspector.capture.benching.batches import shapes_of, with_batch
from inspector.capture.benching.blocks import block, timed
from inspector.capture.benching.channel import Channel
from inspector.capture.benching.cores import Cores
from inspector.capture.benching.device_name import device_name
from inspector.capture.benching.failing import failing
from inspector.capture.benching.loop import Loop, loop_of
from inspector.capture.benching.make_program import make_program
from inspector.capture.benching.program import Program
from inspector.capture.benching.script_facts import loading_of
from inspector.capture.benching.so_far import age_ns
from inspector.capture.benching.warm_plan import Search, planned
from inspector.capture.compile_count import compilations
from inspector.capture.environment import environment
from inspector.capture.execution import write_target
from inspector.capture.locate import locate
from inspector.capture.profiling.device import cuda_devices
from inspector.capture.quiet import quiet
from inspector.capture.target import Target, load_target
from inspector.capture.trial import seed
from inspector.capture.writer import emit, write_artifact
from inspector.model.warmup import WarmupRequest
from inspector.records.calls import TargetCall


def warm_up(folder: Path, asked: WarmupRequest, cores: Cores) -> None:
    """Works until the recorder closes its end.

    Args:
        folder: The recording of this process.
        asked: What to do.
        cores: The cores that this process may use.

    Raises:
        InspectorError: The target cannot be loaded, compiled or called.
    """
    channel = Channel()
    attachment = attach(folder, project=None)
    seed(0)
    place = locate(asked.worker.request.target)
    target = load_target(asked.worker.request)
    load_ns = age_ns()
    emit(environment(target.root, asks_for_gpus=True))
    write_target(target, attachment.handler.sources)
    varied = asked.worker.variations
    loading = loading_of(place, target, target.calls[0], varied)
    channel.say("loaded", loading=dataclasses.asdict(loading))
    start = _Start(asked, target, _program(target, asked))
    start.begin(load_ns)
    cores.bind()
    start.settle()
    channel.say(
        "ready", call_ns=start.call_ns, compiled=start.compiled, saved=start.is_saved,
        missed=start.missed,
    )  # fmt: skip
    while (asked_now := channel.told()) is not None:
        if asked_now.pop("do") == "plan":
            cores.free()  # it compiles again
            attachment.detach()  # what is tried out is no part of this start
            channel.say("planned", **dataclasses.asdict(start.plan()))
        else:
            start.block(**asked_now)
            channel.say("done")


def _program(target: Target, asked: WarmupRequest) -> Program:
    program = make_program(target, asked.worker)
    if not asked.batches:
        return program
    each = [(at, batch) for at in range(len(program.calls)) for batch in asked.batches]
    return dataclasses.replace(
        program,
        calls=tuple(with_batch(program.calls[at], batch) for at, batch in each),
        labels=tuple(
            f"{label}, batch {batch}" for label in program.labels for batch in asked.batches
        ),
        next_steps=tuple(step for step in program.next_steps for _ in asked.batches),
    )


class _Start:
    """One start of the service."""

    def __init__(self, asked: WarmupRequest, target: Target, program: Program) -> None:
        self._asked = asked
        self._target = target
        self._program = program
        self._loops: dict[int, Loop] = {}
        self.call_ns: list[int] = []
        self.compiled: list[int] = []
        self.is_saved = False

    @property
    def missed(self) -> int:
        """How many graphs its caches did not have, whichever of them was asked."""
        found = counters["aot_autograd"]["autograd_cache_miss"]
        return int(found + counters["inductor"]["fxgraph_cache_miss"])

    def begin(self, load_ns: int) -> None:
        """Loads the artifact, if there is one, and calls each input for the first time."""
        if not self._asked.worker.eager:
            # Without it torch keeps no profile of the sizes, which spares recompilations.
            torch.compiler.config.job_id = self._asked.job
        self._write("loaded", time_ns=load_ns, threads=torch.get_num_threads())
        if self._asked.artifact is not None:
            self._load(Path(self._asked.artifact))
        for index, call in enumerate(self._program.calls):
            time_ns, compiled = self._first(index)
            cuda_devices.cache_clear()  # the first call may be the first on a GPU
            self.compiled.append(compiled)
            self._write(
                "first", input=index, inputs=shapes_of(call), time_ns=time_ns, compiled=compiled,
                device=device_name(),
            )  # fmt: skip
        if self._asked.save is not None:
            self._save(Path(self._asked.save))

    def settle(self) -> None:
        """A few more calls of each input: blocks are planned by what they take."""
        for index in range(len(self._program.calls)):
            with self._failing(index), quiet():
                timed(self._program.prepare(index))  # records a CUDA graph, where there is one
                self.call_ns.append(timed(self._program.prepare(index)))

    def _first(self, index: int) -> tuple[int, int]:
        emit(TargetCall(index, 0, "begin"))
        prepared = self._program.prepare(index, restores=index > 0)
        seed(1 + index)
        before = compilations()
        time_ns = 0
        with self._failing(index), quiet():
            time_ns = timed(prepared)
        return time_ns, compilations() - before

    def _load(self, file: Path) -> None:
        began_ns = time.perf_counter_ns()
        info = torch.compiler.load_cache_artifacts(file.read_bytes())
        self._write(
            "artifact", time_ns=time.perf_counter_ns() - began_ns, parts=_parts(info),
            size_bytes=file.stat().st_size,
            failure="" if info is not None else "torch could not read it",
        )  # fmt: skip

    def _save(self, file: Path) -> None:
        began_ns = time.perf_counter_ns()
        saved = torch.compiler.save_cache_artifacts()
        time_ns = time.perf_counter_ns() - began_ns
        if saved is None:
            self._write("saved", time_ns=time_ns, failure="nothing was compiled that can be cached")
            return
        content, info = saved
        file.write_bytes(content)
        self.is_saved = True
        self._write("saved", time_ns=time_ns, parts=_parts(info), size_bytes=len(content))

    def block(self, round: int, input: int, calls: int) -> None:  # noqa: A002 - names of the fields
        """Times calls with an input."""
        with self._failing(input), quiet():
            if input not in self._loops:
                self._loops[input] = loop_of(self._program, input)
            found = block(self._loops[input], calls, None)
        self._write("block", round=round, input=input, times_ns=found["times_ns"])

    def plan(self) -> Search:
        """Looks for the plan; what is compiled is thrown away for each trial."""
        return planned(self.compiled, self._later)

    def _later(self, calls: Sequence[int]) -> Iterator[int]:
        """The inputs that compile something when these were called before, in a fresh Dynamo."""
        torch.compiler.reset()
        for number, index in enumerate((*calls, *range(len(self.compiled)))):
            before = compilations()
            with self._failing(index), quiet():
                self._program.prepare(index)()
            if number >= len(calls) and compilations() > before:
                yield index

    def _write(self, what: str, **fields: object) -> None:
        write_artifact("warmup", {"v": 1, "what": what, "start": self._asked.start, **fields})

    def _failing(self, index: int) -> Any:  # noqa: ANN401 - a context manager
        asked = self._asked.worker
        return failing(
            self._target, self._program.shown(index), self._program.next_step(index),
            is_eager=asked.eager, request=asked.request,
        )  # fmt: skip


def _parts(info: Any) -> dict[str, int]:  # noqa: ANN401 - torch is Any to mypy
    """How many entries of each cache; a profile is saved again whenever it changes."""
    return {} if info is None else {name: len(set(keys)) for name, keys in info.artifacts.items()}
