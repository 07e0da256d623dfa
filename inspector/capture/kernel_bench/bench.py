"""Benchmarks one kernel alone with the arguments of a launch, and writes what came out.

The kernel runs outside of CUDA graphs, on copies: nothing of the program is changed.
"""

from __future__ import annotations

import ast
import collections
import contextlib
import dataclasses
import statistics
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import torch

from inspector.capture import versions
from inspector.capture.kernel_bench.arguments import Arguments, NotMeasuredError
from inspector.capture.kernel_bench.kernels import (
    Launched,
    Place,
    called_kernels,
    launched,
    watched,
)
from inspector.capture.kernel_bench.timer import Flush, cold_and_warm_ns, timing
from inspector.capture.profiling.device import uses_cuda, wait
from inspector.capture.profiling.machine.cpu import free_bytes
from inspector.capture.profiling.wrapper_lines import generated_modules
from inspector.capture.writer import emit
from inspector.records.kernel_bench import BenchedArgument, KernelBench, LaunchGroup
from inspector.shared.near_matches import named

Prepared: TypeAlias = Callable[[], Callable[[], object]]
_PLAIN = (int, float, bool, str, type(None))
_MOST_SHARE = 3  # of free memory: copies, and what stood there


@dataclasses.dataclass(slots=True)
class _Seen:
    """A launch of a call; those of the same kernel and arguments have the same signature."""

    place: Place
    signature: tuple[object, ...]
    time_ns: int


@dataclasses.dataclass(slots=True)
class IsolatedKernel:
    """One kernel that is to be benchmarked, by its name or a part of it."""

    asked: str
    _name: str = ""
    _done: bool = False

    def is_refused(self) -> bool:
        """Says which kernels there are where none, or more than one, is meant; once compiled."""
        names = called_kernels()
        found = named(self.asked, names)
        if len(found) == 1:
            self._name = found[0]
            return False
        emit(KernelBench(self.asked, matching=tuple(found), kernels=tuple(names)))
        return True

    def measure(self, index: int, run: Prepared) -> None:
        """Benchmarks it with the arguments of a call, unless an earlier input launched it."""
        if self._done or (not self._name and self.is_refused()):
            return
        name, names = self._name, called_kernels()
        with versions.without_cuda_graphs():
            run()()  # memory that the code itself asks for is asked for in the first call
            seen = _census(name, run)
            if not seen:
                return
            self._done = True
            bench = KernelBench(self.asked, name, kind=names[name], input=index)
            try:
                bench = self._measured(bench, seen, run)
            except NotMeasuredError as error:
                bench = dataclasses.replace(bench, missing=str(error))
        emit(bench)

    def _measured(self, bench: KernelBench, seen: Sequence[_Seen], run: Prepared) -> KernelBench:
        """Benchmarks the first launch with those arguments that the most time goes to."""
        times_ns: dict[tuple[object, ...], list[int]] = collections.defaultdict(list)
        for item in seen:
            times_ns[item.signature].append(item.time_ns)
        longest = max(times_ns, key=lambda signature: sum(times_ns[signature]))
        number = next(at for at, item in enumerate(seen) if item.signature == longest)
        taken, arguments = _taken(bench.name, bench.kind, number, run)
        if taken.missing:
            raise NotMeasuredError(taken.missing)
        gpus = [item.device for item in arguments.tensors.values() if item.is_cuda]
        with torch.cuda.device(gpus[0]) if gpus else contextlib.nullcontext():
            bench = _benchmarked(bench, taken, arguments, statistics.median(times_ns[longest]))
            wait()
        return dataclasses.replace(
            bench,
            launch=number + 1,
            launches=tuple(
                LaunchGroup(len(times), sum(times), signature == longest)
                for signature, times in times_ns.items()
            ),
            places=tuple(item.place for item in seen if item.signature == longest),
        )


def _benchmarked(
    bench: KernelBench, taken: Launched, arguments: Arguments, typical_ns: float
) -> KernelBench:
    def launch() -> None:
        taken.launch(arguments)

    _set_allocator()
    written = arguments.changed_by(launch) if taken.written is None else taken.written
    changed = [name for name in written if taken.written is None or name in taken.changed]
    arguments.keep(changed)
    launch()  # what is loaded or allocated once is no launch's time
    flush = Flush()
    cold_ns, warm_ns = cold_and_warm_ns(launch, arguments.restore, flush, typical_ns)
    return dataclasses.replace(
        bench,
        kind=taken.kind,
        arguments=tuple(_described(arguments, written)),
        cache_bytes=flush.cache_bytes,
        config=dataclasses.replace(taken.config, cold_ns=tuple(cold_ns), warm_ns=tuple(warm_ns)),
    )


def _census(name: str, run: Prepared) -> list[_Seen]:
    launches: list[tuple[Place, tuple[object, ...]]] = []
    call = run()
    with timing() as timed:

        def hook(place: Place, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
            parts: list[object] = [id(getattr(function, "__self__", function))]
            for item in (*args, *(value for name, value in kwargs.items() if name != "stream")):
                if isinstance(item, torch.Tensor):
                    stride = item.stride() if item.layout is torch.strided else ()
                    parts.append((str(item.dtype), tuple(item.shape), stride))
                else:
                    parts.append(repr(item) if isinstance(item, _PLAIN) else type(item))
            launches.append((place, tuple(parts)))
            return timed.run(lambda: function(*args, **kwargs))

        with watched(name, hook):
            call()
    return [
        _Seen(place, signature, time_ns or 0)
        for (place, signature), time_ns in zip(launches, timed.times_ns, strict=True)
    ]


def _taken(name: str, kind: str, number: int, run: Prepared) -> tuple[Launched, Arguments]:
    """A launch with copies of its arguments, taken right before it."""
    taken: list[tuple[Launched, Arguments]] = []
    failed: list[Exception] = []
    at = [0]

    def hook(_: Place, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if at[0] == number:
            try:
                item = launched(kind, function, kwargs, _cpp_source(name, function))
                given = {key: value for key, value in kwargs.items() if key != "stream"}
                taken.append((item, Arguments(args, given, item.names, _room_bytes())))
            except Exception as error:  # noqa: BLE001 - the call goes on
                failed.append(error)
        at[0] += 1
        return function(*args, **kwargs)

    with watched(name, hook):
        run()()
    if failed:
        raise failed[0]
    if not taken:
        message = "its number of launches differs between calls"
        raise NotMeasuredError(message)
    return taken[0]


def _cpp_source(name: str, function: Any) -> str:
    """The text of a C++ kernel, which is in the module that calls it."""
    for module, tree in generated_modules():
        if vars(module).get(name) is not function:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
                texts = [item.value for item in ast.walk(node) if isinstance(item, ast.Constant)]
                return max((text for text in texts if isinstance(text, str)), key=len, default="")
    return ""


def _described(arguments: Arguments, written: Sequence[str]) -> Iterator[BenchedArgument]:
    for name, item in arguments.named:
        if isinstance(item, torch.Tensor):
            stride = tuple(item.stride()) if item.layout is torch.strided else ()
            dtype = str(item.dtype).removeprefix("torch.")
            yield BenchedArgument(
                name, dtype, tuple(item.shape), stride, is_written=name in written
            )
        else:
            yield BenchedArgument(name, value=str(item) if isinstance(item, _PLAIN) else "")


def _room_bytes() -> int:
    if uses_cuda():
        free, _ = torch.cuda.mem_get_info()
        held = torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
        return int(free + held) // _MOST_SHARE
    return (free_bytes() or 1 << 30) // _MOST_SHARE


def _set_allocator() -> None:
    """What `CachingAutotuner.run` sets before each launch, for the thread that launches now."""
    if not uses_cuda():
        return
    import triton

    if hasattr(triton, "set_allocator"):
        triton.set_allocator(
            lambda size, _align, _stream: torch.empty(size, dtype=torch.int8, device="cuda")
        )
