"""Observes how Inductor makes kernels: the loops of those in C++, what it decides, and why.

Inductor logs none of it (``schedule_log`` in torch/_inductor/codegen/cpp.py, 2.11 to 2.13, is never
written to), so the functions that decide are watched. They do what they did.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Iterable
from typing import Any

from inspector.capture.cpp_loops import cpp_nest, scheduler_nodes
from inspector.capture.cpp_reasons import TilingNote, no_tiling
from inspector.capture.cpp_traffic import traffic_bytes
from inspector.capture.triton_kernels import write_kernel
from inspector.capture.writer import emit, guarded
from inspector.records.kernels import CppKernelLoops, CppNest

_MODULES = ("torch._inductor.codegen.cpp", "torch._inductor.codegen.triton")


@dataclasses.dataclass(frozen=True, slots=True)
class _Watched:
    owner: Any
    name: str
    original: Any
    ours: Any


class KernelObserver:
    """Writes an artifact for each kernel that Inductor defines.

    ``inspector_cpp_kernel`` is about the loops of one in C++, ``inspector_triton_kernel`` about the
    arguments and the bytes of one for a GPU.

    Args:
        defined: Is told the name of each, and the scheduler's nodes that it computes.
    """

    def __init__(self, defined: Callable[[str, Iterable[Any]], None]) -> None:
        self._defined = defined
        self._watched: list[_Watched] = []
        self._note: TilingNote | None = None
        self._nests: list[CppNest] = []

    def watch(self) -> None:
        """Begins to observe, once Inductor is there; further calls do nothing."""
        if not self._watched:
            guarded("watch kernels", self._watch)

    def release(self) -> None:
        """Puts torch's own functions back, where nobody else has replaced ours since."""
        for item in self._watched:
            if vars(item.owner).get(item.name) is item.ours:
                setattr(item.owner, item.name, item.original)
        self._watched = []

    def _watch(self) -> None:
        cpp, triton = (importlib.import_module(name) for name in _MODULES)
        for owner, name, hook in (
            (cpp.TilingSelect, "select_tiling", self._tiling),
            (cpp.CppKernelProxy, "codegen_functions", self._functions),
            (cpp.CppKernel, "codegen_loops_impl", self._loops),
            (cpp.CppScheduling, "define_kernel", self._definition),
            (triton.TritonScheduling, "define_kernel", self._triton),
        ):
            original = vars(owner)[name]
            ours = _observed(original, hook)
            setattr(owner, name, ours)
            self._watched.append(_Watched(owner, name, original, ours))

    # Each gets what calls torch's function, and its arguments, `self` among them.

    def _tiling(self, call: Callable[[], Any], args: tuple[Any, ...]) -> object:
        note = TilingNote()
        with note.strides():
            result = call()
        self._note = note
        guarded("tiling of a loop", lambda: note.read(result, *args[1:3]))
        return result

    def _functions(self, call: Callable[[], Any], args: tuple[Any, ...]) -> object:
        self._note = None
        result = call()
        guarded("vectors of a loop", lambda: self._keep_reason(*args[:2]))
        return result

    def _keep_reason(self, proxy: Any, functions: Any) -> None:  # noqa: ANN401 - torch is Any to mypy
        """On the kernel itself: fused loops come out of several, and some are thrown away."""
        note = self._note
        proxy.inspector_nodes = scheduler_nodes(functions)
        proxy.inspector_reason = note.reason if note is not None else no_tiling(proxy)

    def _loops(self, call: Callable[[], Any], args: tuple[Any, ...]) -> object:
        result = call()
        guarded("loops of a C++ kernel", lambda: self._nests.append(cpp_nest(*args[:2])))
        return result

    def _definition(self, call: Callable[[], Any], args: tuple[Any, ...]) -> object:
        result = call()
        nests, self._nests = self._nests, []
        guarded("a C++ kernel", lambda: _write(str(result), list(args[2]), nests))
        guarded("nodes of a kernel", lambda: self._defined(str(result), args[2]))
        return result

    def _triton(self, call: Callable[[], Any], args: tuple[Any, ...]) -> object:
        result = call()
        guarded("a Triton kernel", lambda: write_kernel(str(result), args[3], list(args[2])))
        guarded("nodes of a kernel", lambda: self._defined(str(result), args[2]))
        return result


def _observed(original: Any, hook: Callable[..., Any]) -> Any:  # noqa: ANN401
    @functools.wraps(original)
    def observed(self: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        return hook(lambda: original(self, *args, **kwargs), (self, *args, *kwargs.values()))

    return observed


def _write(name: str, nodes: list[Any], nests: list[CppNest]) -> None:
    from torch._inductor import config, cpp_builder, cpu_vec_isa
    from torch._inductor.utils import get_kernel_metadata, parallel_num_threads
    from torch._inductor.virtualized import V

    isa = cpu_vec_isa.pick_vec_isa()
    options = cpp_builder.CppTorchOptions(vec_isa=isa, compile_only=True)
    emit(
        CppKernelLoops(
            name=name,
            isa=str(isa) if isa else "",
            vector_bits=isa.bit_width() if isa else 0,
            compiler=cpp_builder.get_cpp_compiler(),
            cflags=tuple(options.get_cflags()),
            threads=parallel_num_threads(),
            min_chunk_size=config.cpp.min_chunk_size,
            comment=get_kernel_metadata(nodes, V.graph.wrapper_code)[0],
            traffic_bytes=traffic_bytes(nodes),
            nests=tuple(nests),
        )
    )
