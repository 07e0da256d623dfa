"""Observes how Inductor makes kernels: the loops of those in C++, what it decides, and why.

Inductor logs none of it (``schedule_log`` in torch/_inductor/codegen/cpp.py, 2.11 to 2.13, is never
written to), so the functions that decide are watched. They do what they did.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any

from inspector.capture.hooks import Called, Hooks
from inspector.capture.kernels.cpp_loops import TilingNote, cpp_nest, no_tiling, scheduler_nodes
from inspector.capture.kernels.triton_kernels import write_kernel
from inspector.capture.writer import emit, guarded
from inspector.records.kernels import CppKernelLoops, CppNest

_MODULES = ("torch._inductor.codegen.cpp", "torch._inductor.codegen.triton")


class KernelObserver(Hooks):
    """Writes ``inspector_cpp_kernel`` or ``inspector_triton_kernel`` for what Inductor defines.

    `defined` is called with each name and the scheduler's nodes that it computes.
    """

    def __init__(self, defined: Callable[[str, Iterable[Any]], None]) -> None:
        self._defined = defined
        super().__init__()
        self._note: TilingNote | None = None
        self._nests: list[CppNest] = []

    def watch(self) -> None:
        """Begins to observe, once Inductor is there; further calls do nothing."""
        if not self:
            guarded("watch kernels", self._watch)

    def _watch(self) -> None:
        cpp, triton = (importlib.import_module(name) for name in _MODULES)
        for owner, name, hook in (
            (cpp.TilingSelect, "select_tiling", self._tiling),
            (cpp.CppKernelProxy, "codegen_functions", self._functions),
            (cpp.CppKernel, "codegen_loops_impl", self._loops),
            (cpp.CppScheduling, "define_kernel", self._definition),
            (triton.TritonScheduling, "define_kernel", self._triton),
        ):
            self.put(owner, name, hook)

    def _tiling(self, called: Called) -> object:
        note = TilingNote()
        with note.strides():
            result = called.go()
        self._note = note
        guarded("read the tiling of a loop", lambda: note.read(result, *called.arguments[1:3]))
        return result

    def _functions(self, called: Called) -> object:
        self._note = None
        result = called.go()

        def keep_reason() -> None:
            """On the kernel itself: fused loops come out of several, and some are thrown away."""
            note, (proxy, functions, *_) = self._note, called.arguments
            proxy.inspector_nodes = scheduler_nodes(functions)
            proxy.inspector_reason = note.reason if note is not None else no_tiling(proxy)

        guarded("read the vectorization of a loop", keep_reason)
        return result

    def _loops(self, called: Called) -> object:
        result, args = called.go(), called.arguments
        guarded("read the loops of a C++ kernel", lambda: self._nests.append(cpp_nest(*args[:2])))
        return result

    def _definition(self, called: Called) -> object:
        result, args = called.go(), called.arguments
        nests, self._nests = self._nests, []
        guarded("a C++ kernel", lambda: _write(str(result), list(args[2]), nests))
        guarded("read the nodes of a kernel", lambda: self._defined(str(result), args[2]))
        return result

    def _triton(self, called: Called) -> object:
        result, args = called.go(), called.arguments
        guarded("a Triton kernel", lambda: write_kernel(str(result), args[3], list(args[2])))
        guarded("read the nodes of a kernel", lambda: self._defined(str(result), args[2]))
        return result


def traffic_bytes(nodes: list[Any]) -> int | None:
    """Bytes of the buffers that a kernel's nodes read and write, each buffer once each way.

    ``get_read_write_buffer_accesses`` of torch/_inductor/scheduler.py (2.11 to 2.13) counts for
    one node what its indices reach. What one node of the kernel writes and another reads stays in
    registers or in a cache; what Inductor removed is written nowhere.

    Asked while their graph is being generated.
    """
    from torch._inductor.virtualized import V

    reads: dict[str, int] = {}
    writes: dict[str, int] = {}
    for node in nodes:
        if not hasattr(node, "get_read_write_buffer_accesses"):
            return None
        for found, is_read in ((reads, True), (writes, False)):
            accesses = node.get_read_write_buffer_accesses(
                include_reads=is_read, include_writes=not is_read
            )
            for name, size in accesses.items():
                found[name] = max(found.get(name, 0), int(size))
    removed = V.graph.removed_buffers
    read = sum(size for name, size in reads.items() if name not in writes)
    return read + sum(size for name, size in writes.items() if name not in removed)


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
