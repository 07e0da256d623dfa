"""What a process of `inspect bench` does: it makes its program ready, and times it when asked to.

All processes of a session are ready at the same time and take turns, so that what the machine does
meanwhile meets all of them alike. Two descriptors connect one with the recorder: a line of JSON
comes in for each block, and a line goes out when something is done. What was found out goes into
the log.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import re
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

import torch
from torch._dynamo.exc import TorchDynamoException
from torch._dynamo.utils import counters

from inspector.capture.alone.timer import Flush
from inspector.capture.attach import attach
from inspector.capture.benching.batches import items_of, shapes_of
from inspector.capture.benching.blocks import block, burst, settle, timed
from inspector.capture.benching.cores import Cores
from inspector.capture.benching.errors import errors_of, is_off
from inspector.capture.benching.loop import Loop, loop_of
from inspector.capture.benching.parting import first_parting
from inspector.capture.benching.peak import peak_of
from inspector.capture.benching.program import Program, make_program
from inspector.capture.compiled import module_of
from inspector.capture.environment import environment
from inspector.capture.execution import write_target
from inspector.capture.failures import lacks_cuda, user_failure, user_traceback
from inspector.capture.outputs import Kept, joined, keep, kept_values, load
from inspector.capture.profiling.device import cuda_devices, uses_cuda
from inspector.capture.quiet import quiet
from inspector.capture.target import Target, load_target
from inspector.capture.trial import seed
from inspector.capture.writer import write_artifact
from inspector.capture.xla.compiled import XlaCompiles, compiled_by_xla
from inspector.capture.xla.device import hardware, wait_for_xla
from inspector.errors import EnvironmentLacksError, InspectorError, ModelFailedError
from inspector.model.bench import WorkerRequest

__all__ = ["age_ns", "compilations", "failing", "work"]

# As Dynamo spells a place of the user's code in what it raises.
_USER_PLACE = re.compile(r'File "([^"]+)", line (\d+)')
_MOST_SAID = 200
_INPUT = re.compile(r"\binput (\d+)")
_IN, _OUT = "INSPECTOR_BENCH_IN", "INSPECTOR_BENCH_OUT"


def work(folder: Path, asked: WorkerRequest, cores: Cores) -> None:
    """Works until the recorder closes its end.

    Args:
        folder: The recording of this process.
        asked: What to do.
        cores: The cores that this process may use.

    Raises:
        InspectorError: The target cannot be loaded, compiled or called.
    """
    inbox = os.fdopen(int(os.environ.pop(_IN)), "r", encoding="utf-8")
    outbox = os.fdopen(int(os.environ.pop(_OUT)), "w", encoding="utf-8")
    handler = attach(folder, project=None).handler
    seed(0)
    target = load_target(asked.request)
    load_ns = age_ns()
    write_artifact("environment", environment(target.root, asks_for_gpus=True))
    write_target(target, handler.sources)
    _say(outbox, "loaded")
    if not inbox.readline():  # nobody wants it any more
        return
    worker = _Worker(asked, target, make_program(target, asked))
    worker.begin(load_ns)
    if asked.is_reference:
        return
    cores.bind()
    worker.settle()
    if uses_cuda():
        torch.cuda.empty_cache()  # others want memory, too
    _say(outbox, "ready", call_ns=worker.call_ns, device=_device(), wrong=worker.is_wrong)
    for line in inbox:
        asked_now = json.loads(line)
        if asked_now.pop("do") == "part":
            worker.part()
        else:
            worker.block(**asked_now)
        _say(outbox, "done")


def _say(outbox: TextIO, state: str, **fields: object) -> None:
    outbox.write(json.dumps({"state": state, **fields}) + "\n")
    outbox.flush()


class _Worker:
    def __init__(self, asked: WorkerRequest, target: Target, program: Program) -> None:
        self._asked = asked
        self._target = target
        self._program = program
        self._flush: Flush | None = None
        self._draws = False
        self._wrong: list[str] = []
        self._loops: list[Loop] = []
        self.call_ns: list[int] = []

    @property
    def is_wrong(self) -> bool:
        """Whether a result is off."""
        return bool(self._wrong)

    def begin(self, load_ns: int) -> None:
        """Calls each input three times; keeps the results of the first and the last call.

        The third replays a CUDA graph, where there is one.
        """
        kept = kept_values({})
        for index, call in enumerate(self._program.calls):
            before = compilations()
            first_ns, results, xla = self._first(index)
            compiled = compilations() - before
            cuda_devices.cache_clear()  # the first call may be the first on a GPU
            with self._failing(index), quiet():
                second_ns = timed(self._program.prepare(index))
            kept = joined(kept, joined(results, self._again(index)))
            self._write(
                "first", compiled=compiled, input=index, first_ns=first_ns, second_ns=second_ns,
                inputs=shapes_of(call), items=items_of(call),
                draws=self._draws, load_ns=load_ns, threads=torch.get_num_threads(),
                device=_device(), xla_programs=xla.programs, xla_compile_ns=xla.time_ns,
            )  # fmt: skip
        self._compare(kept)

    def _first(self, index: int) -> tuple[int, Kept, XlaCompiles]:
        """The time of the first call, copies of its results, and what XLA compiled in it."""
        write_artifact("call", {"v": 1, "input": index, "call": 0, "state": "begin"})
        # Before the very first there is nothing to put back, and to look would say that no call
        # draws random numbers.
        prepared = self._program.prepare(index, restores=index > 0)
        seed(1 + index)  # what one input draws does not depend on what was drawn before
        outputs: object = None
        xla = XlaCompiles()
        with self._failing(index):
            before = _generators()
            before_xla = compiled_by_xla()
            began_ns = time.perf_counter_ns()
            outputs = prepared()
            _wait_for_all()
            time_ns = time.perf_counter_ns() - began_ns
            xla = compiled_by_xla() - before_xla
            self._draws |= _generators() != before
        return time_ns, self._results(f"input {index + 1}", outputs), xla

    def _again(self, index: int) -> Kept:
        """The results of a later call with the same random numbers."""
        with self._failing(index), quiet():
            prepared = self._program.prepare(index)
            seed(1 + index)
            outputs = prepared()
            _wait_for_all()
        return self._results(f"input {index + 1} (called again)", outputs)

    def _results(self, where: str, outputs: object) -> Kept:
        """Copies, at once: the next call may write to the same memory."""
        values = {f"output of {where}": outputs}
        if self._asked.workload.train:
            values |= self._gradients(where)
        return kept_values(values)

    def _gradients(self, where: str) -> dict[str, object]:
        module = module_of(self._program.plain)
        named = module.named_parameters() if module is not None else ()
        return {
            f"gradient of {name} with {where}": parameter.grad
            for name, parameter in named
            if parameter.grad is not None
        }

    def _compare(self, kept: Kept) -> None:
        if (not self._asked.outputs and not self._asked.references) or self._asked.pads:
            return  # padded results have other sizes
        if self._asked.outputs:
            keep(dataclasses.replace(kept, draws=self._draws), Path(self._asked.outputs))
        others = {
            name: load(Path(folder))
            for name, folder in self._asked.references.items()
            if any(Path(folder).iterdir())  # that process may have failed
        }
        found = [item for name, other in others.items() for item in errors_of(name, kept, other)]
        if "eager" in others:
            exact = others["float64"].tensors if "float64" in others else {}
            # Compiled code draws other random numbers, and that is no fault. (The state of XLA's
            # changes whether anything is drawn or not.)
            draws = self._draws or others["eager"].draws
            self._wrong = [
                name
                for name, tensor in kept.tensors.items()
                if not draws
                and name in others["eager"].tensors
                and is_off(tensor, others["eager"].tensors[name], exact.get(name))
            ]
        self._write("errors", errors=found, uncompared=kept.uncompared, wrong=self._wrong)

    def settle(self) -> None:
        """Calls each input until its time is stable; measures the memory of a call, if asked."""
        program = self._program
        for index in range(len(program.calls)):

            def prepare(at: int = index) -> Any:  # noqa: ANN401 - a prepared call
                return program.prepare(at)

            with self._failing(index), quiet():
                self._loops.append(loop_of(program, index))
                self._write("settled", input=index, **settle(self._loops[index]))
                if self._asked.measures_memory:
                    memory = peak_of(prepare, program.plain)
                    self._write("memory", input=index, memory=memory)
            if self._asked.cold_cache:
                self._flush = self._flush or Flush()
            with self._failing(index), quiet():
                self.call_ns.append(self._whole_ns(self._loops[index]))

    def _whole_ns(self, loop: Loop) -> int:
        """What a call takes with all that is done around it: blocks are planned by that."""
        began_ns = time.perf_counter_ns()
        with loop.context():
            call = loop.following()
            if self._flush is not None:
                self._flush()
            timed(call)
        return time.perf_counter_ns() - began_ns

    def block(self, round: int, input: int, calls: int) -> None:  # noqa: A002 - names of the fields
        """Times calls with an input."""
        with self._failing(input), quiet():
            found = block(self._loops[input], calls, self._flush)
        more: Mapping[str, object] = {}
        if uses_cuda():
            with contextlib.suppress(Exception), quiet():  # the calls alone are worth more
                more = burst(self._loops[input], calls)
        self._write("block", round=round, input=input, **found, **more)

    def part(self) -> None:
        """Looks for the first operator at which results part from eager ones."""
        program, request = self._program, self._asked.request
        torch.compiler.reset()

        def compile_(graph: Any) -> Any:  # noqa: ANN401 - something that is called
            return torch.compile(
                graph, backend=request.backend, mode=request.mode, dynamic=request.dynamic
            )

        # What is compiled here is none of the program's compilations.
        mark = {"v": 1, "input": 0, "call": 1}
        write_artifact("call", {**mark, "state": "begin"})
        found = None
        try:
            with quiet():
                found = first_parting(
                    program.plain,
                    lambda function: program.forward(function, self._first_wrong()),
                    compile_,
                    program.context,
                )
        except Exception as error:  # noqa: BLE001 - parts of a graph may not compile
            self._write("parting", failure=f"{type(error).__name__}: {_sentence(error)}")
        else:
            self._write("parting", parting=found or {})
        write_artifact("call", {**mark, "state": "end"})

    def _first_wrong(self) -> int:
        """The number of the input whose results are off."""
        numbers = _INPUT.findall(self._wrong[0])
        return int(numbers[0]) - 1 if numbers else 0

    def _write(self, what: str, **fields: object) -> None:
        asked = self._asked
        of = {"combination": asked.combination, "session": asked.session}
        write_artifact("bench", {"v": 1, "what": what, **of, **fields})

    def _failing(self, index: int) -> Any:  # noqa: ANN401 - a context manager
        return failing(self._target, index, is_eager=self._asked.eager)


class failing:  # noqa: N801 - used as a function
    """What a call raises becomes a sentence with the user's own traceback."""

    def __init__(self, target: Target, index: int, *, is_eager: bool) -> None:
        self._target = target
        self._index = index
        self._is_eager = is_eager

    def __enter__(self) -> None:
        """Nothing is to be done."""

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        """Raises the failure.

        Raises:
            InspectorError: The call failed.
        """
        if isinstance(error, SystemExit):
            code = "" if error.code is None else repr(error.code)
            message = f"{self._target.name} ended the program with sys.exit({code})."
            raise ModelFailedError(message, "Let it return instead.") from error
        if not isinstance(error, Exception) or isinstance(error, InspectorError):
            return
        raise self._failure(error) from error

    def _failure(self, error: Exception) -> InspectorError:
        target = self._target
        if lacks_cuda(error):
            return user_failure(error, f"calling `{target.name}`", target.root)
        inner = getattr(error, "inner_exception", None)  # of BackendCompilerFailed
        if isinstance(inner, ImportError):
            said = _sentence(inner)
            return EnvironmentLacksError(f"Its backend needs a package that is missing: {said}.")
        which = f" with input {self._index + 1}" if len(target.calls) > 1 else ""
        said = f"{type(inner or error).__name__}: {_sentence(inner or error)}"
        if not self._is_eager:
            place = _USER_PLACE.findall(str(error))
            said += f", {_relative_to(target.root, place[-1][0])}:{place[-1][1]}" if place else ""
            message = f"It fails{which} when it is compiled ({said})."
            step = f"See: inspect explain {target.name}"
            # What Dynamo and the backends raise has no more of the user's code than that.
            is_torchs = isinstance(error, TorchDynamoException)
            detail = "" if is_torchs else user_traceback(error, target.root)
            return ModelFailedError(message, step, detail=detail)
        message = f"{target.name} fails when it is called{which} without torch.compile ({said})."
        needs_grad = "does not require grad" in str(error)
        step = "Calls are made under torch.no_grad(): add --grad." if needs_grad else ""
        return ModelFailedError(message, step, detail=user_traceback(error, target.root))


def compilations() -> int:
    """How many frames were compiled, or tried (torch/_dynamo/utils.py, 2.11 to 2.13)."""
    return int(counters["frames"]["total"])


def _relative_to(root: str, file: str) -> str:
    path = Path(file)
    return str(path.relative_to(root)) if path.is_relative_to(root) else file


def _sentence(error: BaseException) -> str:
    """The first line of what it says; one that announces the next has that behind it."""
    lines = [line.strip() for line in str(error).split("\n") if line.strip()]
    said = " ".join(lines[:2] if lines and lines[0].endswith(":") else lines[:1])
    return said[:_MOST_SAID].rstrip(".:") or "no message"


def _generators() -> tuple[bytes, ...]:
    """The states of torch's default generators."""
    used = torch.cuda.is_available() and torch.cuda.is_initialized()
    states = [torch.get_rng_state(), *(torch.cuda.get_rng_state_all() if used else [])]
    return tuple(bytes(state.numpy()) for state in states)


def _wait_for_all() -> None:
    """Waits for every device that is there; what is used shows only after a first call."""
    wait_for_xla()
    if torch.cuda.is_available() and torch.cuda.is_initialized():
        torch.cuda.synchronize()


def _device() -> str:
    if uses_cuda():
        return str(torch.cuda.get_device_name())
    return hardware().lower() or "cpu"


def age_ns() -> int:
    """How long this process is there; 0 where the system does not say."""
    try:
        fields = Path("/proc/self/stat").read_text("ascii").rpartition(")")[2].split()
        began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        uptime = float(Path("/proc/uptime").read_text("ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return 0
    return max(0, round((uptime - began) * 1e9))
