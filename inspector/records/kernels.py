"""Generated kernels: what Inductor knows of them and writes into no code."""

from __future__ import annotations

import re
from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part

# get_kernel_metadata in torch/_inductor/utils.py, 2.11 to 2.13
_COMMENT = re.compile(r"Source Nodes: \[([^\]]*)\], Original ATen: \[([^\]]*)\]")


def source_nodes(comment: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The nodes of Dynamo's graph, and the ATen operators, that a comment of Inductor's names."""
    found = _COMMENT.search(comment)
    return (_names(found[1]), _names(found[2])) if found else ((), ())


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


@part
class NotTiled:
    """Why Inductor did not vectorise the loops of a nest."""

    kind: str = doc(
        "dtype (it has no vectors of it), indexing (too many accesses that are not contiguous), "
        "short (the innermost loop), isa (no vectors), scalar (no loop) or unknown",
        default="unknown",
    )
    dtypes: tuple[str, ...] = ()
    accesses: int = doc("that are not contiguous", default=0)
    operations: int = doc("of so many", default=0)
    strides: tuple[tuple[str, str], ...] = doc("index and stride of some", default=())
    size: str = doc("of the innermost loop", default="")
    lanes: int = doc("elements of a vector", default=0)


@part
class CppLoop:
    """One loop (``LoopLevel`` in torch/_inductor/codegen/cpp.py)."""

    var: str
    size: str = doc("may be a symbol")
    steps: str = doc("more than 1 in a vectorized loop")
    parallel: int = doc("number of loops from here on that OpenMP parallelizes", default=0)
    is_collapsed: bool = doc("shared with the loop around it", key="collapsed", default=False)
    is_reduction: bool = doc(key="reduction", default=False)
    is_vector: bool = doc(key="vector", default=False)


@part
class CppNest:
    """Loops inside of each other; the innermost has the body."""

    loops: tuple[CppLoop, ...] = doc("the outermost first")
    elements: int | None = doc("iterations of the body, without vectorization", default=None)
    reason: NotTiled | None = doc("reason why no loop is vectorized", default=None)
    inner: tuple[CppNest, ...] = doc("nests that share these loops", default=())
    comment: str = doc(
        "for a loop that is not vectorized, Inductor's comment on its nodes", default=""
    )

    @property
    def node_names(self) -> tuple[str, ...]:
        """The names of these nodes."""
        return source_nodes(self.comment)[0]


@artifact("cpp_kernel")
class CppKernelLoops(Record):
    """One C++ kernel, before the output code that has it."""

    name: str
    isa: str = doc("as Inductor names it, or empty for none")
    vector_bits: int
    compiler: str
    threads: int = doc("number of threads that the kernel is generated for")
    min_chunk_size: int = doc("elements per thread below which a loop stays serial")
    comment: str = doc("Inductor's comment on the nodes that it computes")
    traffic_bytes: int | None = doc("as Inductor counts", key="bytes")
    nests: tuple[CppNest, ...]
    cflags: tuple[str, ...] = doc("without their dashes", default=())

    @property
    def compiler_vectorises(self) -> bool | None:
        """Whether the compiler may vectorise loops itself; None where its flags are not known.

        GCC gets ``-fno-tree-loop-vectorize`` (torch/_inductor/cpp_builder.py, 2.11 to 2.13).
        """
        return "fno-tree-loop-vectorize" not in self.cflags if self.cflags else None


@part
class KernelArgument:
    """What a kernel gets for one of its parameters."""

    name: str = doc("the parameter")
    kind: str = doc("Inductor's: TensorArg, SizeArg, WorkspaceArg, …")
    buffer: str = doc("of a tensor; several parameters can have the same", default="")
    dtype: str = doc("torch.float32, …", default="")
    size: tuple[int, ...] = doc("of those that change, when the graph was compiled", default=())
    stride: tuple[int, ...] = ()
    is_read: bool = doc("the kernel reads it", default=False)
    is_written: bool = doc("the kernel writes it", default=False)
    reads: str | None = doc("post-grad node whose value it reads", default=None)
    writes: str | None = doc("post-grad node whose value it writes", default=None)
    value: int | None = doc("of a size; of a workspace, its elements", default=None)


@artifact("triton_kernel")
class TritonKernelFacts(Record):
    """One Triton kernel, before the output code that has it."""

    name: str
    traffic_bytes: int | None = doc("as Inductor estimates", key="bytes", default=None)
    flops: int | None = doc("as Inductor estimates", default=None)
    arguments: tuple[KernelArgument, ...] = doc("in order", default=())
    numels: Mapping[str, int] = doc("by parameter (xnumel), when compiled", default_factory=dict)
    symbols: Mapping[str, int] = doc("value by symbol (s0) at that time", default_factory=dict)
