"""What the process of a start does: first calls of all inputs, as a service would make them."""

from __future__ import annotations

import dataclasses
import pickle
import sys
import time
from pathlib import Path
from typing import Any

import torch

from inspector.capture.bench.blocks import timed
from inspector.capture.bench.failing import failing
from inspector.capture.bench.inputs import shapes_of
from inspector.capture.bench.make_program import make_program
from inspector.capture.bench.process import Channel, age_ns, device_name
from inspector.capture.bench.program import Program
from inspector.capture.execution.execution import write_target
from inspector.capture.execution.trial import seed
from inspector.capture.log.environment import environment
from inspector.capture.profiling.device import cuda_devices
from inspector.capture.quiet import quiet
from inspector.capture.recording.handler import attach
from inspector.capture.target.locate import Place, locate
from inspector.capture.target.target import Target, load_target
from inspector.capture.versions import compilations
from inspector.capture.writer import emit
from inspector.errors import UsageError
from inspector.records.bench import Warmup
from inspector.records.calls import TargetCall
from inspector.shared.bench import WorkerRequest
from inspector.shared.warmup import ARTIFACT, INPUTS, Loading, WarmupRequest


def warm_up(folder: Path, asked: WarmupRequest) -> None:
    """Loads the target and calls all inputs.

    Raises:
        InspectorError: The target cannot be loaded, compiled or called.
    """
    channel = Channel()
    attachment = attach(folder, project=None)
    seed(0)
    worker, kept = asked.worker, Path(asked.folder)
    place = locate(worker.request.target)
    target = load_target(worker.request)
    load_ns = age_ns()
    emit(environment(target.root, asks_for_gpus=True))
    write_target(target, attachment.handler.sources)
    channel.say("loaded", loading=dataclasses.asdict(_loading(place, target)))
    start = _Start(asked.start, target, make_program(target, worker), worker)
    if asked.start == "cold":
        start.save_inputs(kept / INPUTS)
    if asked.start != "eager":
        # Without it torch keeps no profile of the sizes, which spares recompilations.
        torch.compiler.config.job_id = asked.plan.job
    start.write("loaded", time_ns=load_ns, threads=torch.get_num_threads())
    if asked.start == "artifact":
        start.load(kept / ARTIFACT)
    start.call_all()
    if asked.start == "cold":
        attachment.detach()  # what follows is no part of this start
        start.save(kept / ARTIFACT)
    channel.say("ready")


def _loading(place: Place, target: Target) -> Loading:
    module = sys.modules[place.module]
    entry = target.entry
    made = getattr(module, entry.removesuffix("()"), None)
    if isinstance(made, type) and callable(getattr(module, "get_init_inputs", None)):
        # The arguments that KernelBench's files have for the model's class.
        entry = f"{entry.removesuffix(')')}*module.get_init_inputs())"
    file = None if place.file is None else str(place.file)
    return Loading(file=file, module=place.module, search=place.search, entry=entry)


@dataclasses.dataclass(frozen=True, slots=True)
class _Start:
    """One start of the service."""

    name: str
    target: Target
    program: Program
    asked: WorkerRequest

    def save_inputs(self, file: Path) -> None:
        """Saves the arguments of each call, in order, for the script.

        Raises:
            UsageError: They cannot be pickled.
        """
        calls = [(call.args, dict(call.kwargs)) for call in self.program.calls]
        try:
            torch.save(calls, file)
        except (pickle.PicklingError, AttributeError, TypeError) as error:
            message = f"The inputs cannot be saved for warmup.py: {error}."
            raise UsageError(message, "Use inputs that can be pickled.") from error

    def call_all(self) -> None:
        for index, call in enumerate(self.program.calls):
            emit(TargetCall(index, 0, "begin"))
            time_ns, compiled = self._call(index)
            cuda_devices.cache_clear()  # the first call may be the first on a GPU
            self.write(
                "first", input=index, inputs=shapes_of(call), time_ns=time_ns, compiled=compiled,
                device=device_name(),
            )  # fmt: skip

    def save(self, file: Path) -> None:
        """Saves the artifact, with what a start compiles that has the profile of sizes.

        Sizes 4 and 1, say, are two static graphs in a cold start; with a profile that says that the
        size changes, the one for 4 is dynamic.
        """
        torch.compiler.reset()
        for index in range(len(self.program.calls)):
            self._call(index)
        saved = torch.compiler.save_cache_artifacts()
        if saved is not None:
            file.write_bytes(saved[0])

    def _call(self, index: int) -> tuple[int, int]:
        prepared = self.program.prepare(index, restores=index > 0)
        seed(1 + index)
        before = compilations()
        time_ns = 0
        fails = failing(
            self.target, self.program.shown(index), self.program.next_step,
            is_eager=self.asked.eager, request=self.asked.request,
        )  # fmt: skip
        with fails, quiet():
            time_ns = timed(prepared)
        return time_ns, compilations() - before

    def load(self, file: Path) -> None:
        began_ns = time.perf_counter_ns()
        info = torch.compiler.load_cache_artifacts(file.read_bytes())
        time_ns = time.perf_counter_ns() - began_ns
        # A profile is saved again whenever it changes: keys come several times.
        parts = {} if info is None else {name: len(set(of)) for name, of in info.artifacts.items()}
        self.write(
            "artifact", time_ns=time_ns, parts=parts, size_bytes=file.stat().st_size,
            failure="" if info is not None else "torch could not read it",
        )  # fmt: skip

    def write(self, what: str, **fields: Any) -> None:
        emit(Warmup(what, self.name, **fields))
