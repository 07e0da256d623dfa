"""Our artifact about a C++ kernel: the loops that Inductor made of it, and what it decided."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import mappings

# get_kernel_metadata in torch/_inductor/utils.py, 2.11 to 2.13
_COMMENT = re.compile(r"Source Nodes: \[([^\]]*)\], Original ATen: \[([^\]]*)\]")


def source_nodes(comment: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The nodes of Dynamo's graph, and the ATen operators, that a comment of Inductor's names."""
    found = _COMMENT.search(comment)
    return (_names(found[1]), _names(found[2])) if found else ((), ())


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@dataclasses.dataclass(frozen=True, slots=True)
class NotTiled:
    """Why Inductor did not vectorise the loops of a nest.

    Attributes:
        kind: ``dtype`` (one that it has no vectors of), ``indexing`` (too many accesses that are
            not contiguous), ``short`` (the innermost loop), ``isa`` (no vector ISA), ``scalar``
            (no loop at all) or ``unknown``.
        dtypes: Of ``dtype``, those.
        accesses: Of ``indexing``, how many are not contiguous.
        operations: Of ``indexing``, of how many operations.
        strides: Of ``indexing``, index and stride of some.
        size: Of ``short``, the innermost loop's.
        lanes: Of ``short``, elements of a vector.
    """

    kind: str
    dtypes: tuple[str, ...] = ()
    accesses: int = 0
    operations: int = 0
    strides: tuple[tuple[str, str], ...] = ()
    size: str = ""
    lanes: int = 0

    @classmethod
    def of(cls, entry: object) -> Self | None:
        """Reads an entry; None where there is none."""
        if not isinstance(entry, Mapping):
            return None
        strides = entry.get("strides")
        pairs = strides if isinstance(strides, list) else []
        dtypes = entry.get("dtypes")
        return cls(
            kind=str(entry.get("kind", "unknown")),
            dtypes=tuple(map(str, dtypes)) if isinstance(dtypes, list) else (),
            accesses=_integer(entry.get("accesses")) or 0,
            operations=_integer(entry.get("operations")) or 0,
            strides=tuple(
                (str(pair[0]), str(pair[1]))
                for pair in pairs
                if isinstance(pair, list) and len(pair) == 2  # noqa: PLR2004 - index and stride
            ),
            size=str(entry.get("size", "")),
            lanes=_integer(entry.get("lanes")) or 0,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class CppLoop:
    """One loop (``LoopLevel`` in torch/_inductor/codegen/cpp.py).

    Attributes:
        var: Its variable.
        size: Its size, as text: it may be a symbol.
        steps: What the variable advances by; more than 1 in a vectorised loop.
        parallel: Over how many loops from here on OpenMP shares the work; 0 for none.
        is_collapsed: Whether it is shared together with the loop around it.
        is_reduction: Whether it is a reduction's.
        is_vector: Whether it is vectorised.
    """

    var: str
    size: str
    steps: str
    parallel: int = 0
    is_collapsed: bool = False
    is_reduction: bool = False
    is_vector: bool = False

    @classmethod
    def of(cls, entry: Mapping[str, object]) -> Self:
        """Reads an entry."""
        return cls(
            var=str(entry.get("var", "")),
            size=str(entry.get("size", "")),
            steps=str(entry.get("steps", "")),
            parallel=_integer(entry.get("parallel")) or 0,
            is_collapsed=entry.get("collapsed") is True,
            is_reduction=entry.get("reduction") is True,
            is_vector=entry.get("vector") is True,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class CppNest:
    """Loops inside of each other; the innermost holds the body.

    Attributes:
        loops: The loops, the outermost first.
        elements: How often the body runs, without vectors, or None.
        reason: Why none of them is vectorised, or None.
        inner: Nests that share these loops.
        comment: Of one that is not vectorised, the nodes that it computes, as Inductor's comments
            name them.
    """

    loops: tuple[CppLoop, ...]
    elements: int | None = None
    reason: NotTiled | None = None
    inner: tuple[CppNest, ...] = ()
    comment: str = ""

    @property
    def node_names(self) -> tuple[str, ...]:
        """The names of these nodes."""
        return source_nodes(self.comment)[0]

    @classmethod
    def of(cls, entry: Mapping[str, object]) -> Self:
        """Reads an entry."""
        return cls(
            loops=tuple(CppLoop.of(item) for item in mappings(entry.get("loops"))),
            elements=_integer(entry.get("elements")),
            reason=NotTiled.of(entry.get("reason")),
            inner=tuple(cls.of(item) for item in mappings(entry.get("inner"))),
            comment=str(entry.get("comment") or ""),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorCppKernel:
    """``inspector_cpp_kernel``: one C++ kernel, before the output code that holds it.

    Attributes:
        name: The kernel's name.
        isa: The vector ISA, as Inductor names it, or an empty string for none.
        vector_bits: Width of its vectors.
        compiler: The C++ compiler.
        cflags: The flags that it gets, without their dashes.
        threads: Threads that the kernel is made for.
        min_chunk_size: Elements per thread below which Inductor leaves a loop serial.
        comment: The nodes that it computes, as Inductor's comments name them.
        traffic_bytes: Bytes that it reads and writes, as Inductor counts, or None.
        nests: Its loops.
    """

    name: str
    isa: str
    vector_bits: int
    compiler: str
    threads: int
    min_chunk_size: int
    comment: str
    traffic_bytes: int | None
    nests: tuple[CppNest, ...]
    cflags: tuple[str, ...] = ()

    @property
    def compiler_vectorises(self) -> bool | None:
        """Whether the compiler may vectorise loops itself; None where its flags are not known.

        GCC gets ``-fno-tree-loop-vectorize`` (torch/_inductor/cpp_builder.py, 2.11 to 2.13).
        """
        return "fno-tree-loop-vectorize" not in self.cflags if self.cflags else None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        cflags = payload.get("cflags")
        return cls(
            name=str(payload.get("name", "")),
            isa=str(payload.get("isa", "")),
            vector_bits=_integer(payload.get("vector_bits")) or 0,
            compiler=str(payload.get("compiler", "")),
            threads=_integer(payload.get("threads")) or 0,
            min_chunk_size=_integer(payload.get("min_chunk_size")) or 0,
            comment=str(payload.get("comment", "")),
            traffic_bytes=_integer(payload.get("bytes")),
            nests=tuple(CppNest.of(item) for item in mappings(payload.get("nests"))),
            cflags=tuple(map(str, cflags)) if isinstance(cflags, list) else (),
        )


def _integer(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
