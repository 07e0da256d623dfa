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
    """Why Inductor did not vectorize a loop nest."""

    kind: str = doc(
        "dtype (cannot be vectorized), indexing (too many non-contiguous accesses), short "
        "(innermost loop is too short), isa (no vector instructions), scalar (no loop) or unknown",
        default="unknown",
    )
    dtypes: tuple[str, ...] = ()
    accesses: int = doc("number of non-contiguous accesses", default=0)
    operations: int = doc("total number of operations", default=0)
    strides: tuple[tuple[str, str], ...] = doc("index and stride of example accesses", default=())
    size: str = doc("size of the innermost loop", default="")


@part
class CppLoop:
    """One loop (``LoopLevel`` in torch/_inductor/codegen/cpp.py)."""

    var: str
    size: str = doc("loop size, possibly a symbol")
    steps: str = doc("step size, more than 1 in a vectorized loop")
    parallel: int = doc(
        "number of loops, starting with this one, that OpenMP parallelizes", default=0
    )
    is_collapsed: bool = doc(
        "whether it is collapsed into the enclosing loop", key="collapsed", default=False
    )
    is_reduction: bool = doc(key="reduction", default=False)
    is_vector: bool = doc(key="vector", default=False)


@part
class CppNest:
    """A loop nest, whose innermost loop contains the body."""

    loops: tuple[CppLoop, ...] = doc("loops, outermost first")
    elements: int | None = doc("iterations of the loop body without vectorization", default=None)
    reason: NotTiled | None = doc("reason why the nest is not vectorized", default=None)
    inner: tuple[CppNest, ...] = doc("nests inside these loops", default=())
    comment: str = doc(
        "Inductor's comment on the nodes of a loop that is not vectorized", default=""
    )

    @property
    def node_names(self) -> tuple[str, ...]:
        """Names of the graph nodes computed by a nest that is not vectorized."""
        return source_nodes(self.comment)[0]


@artifact("cpp_kernel")
class CppKernelLoops(Record):
    """One C++ kernel, before the output code that has it."""

    name: str
    isa: str = doc("Inductor's name of the vector ISA, or empty")
    vector_bits: int
    compiler: str
    threads: int = doc("number of threads in the generated code")
    min_chunk_size: int = doc("elements per thread below which a loop stays serial")
    comment: str = doc("Inductor's comment on the computed nodes")
    traffic_bytes: int | None = doc("bytes counted by Inductor", key="bytes")
    nests: tuple[CppNest, ...]
    cflags: tuple[str, ...] = doc("compiler flags without leading dashes", default=())

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
    buffer: str = doc("buffer of a tensor; parameters can share one", default="")
    dtype: str = doc("torch.float32, …", default="")
    size: tuple[int, ...] = doc(
        "sizes; dynamic sizes have their values at compile time", default=()
    )
    stride: tuple[int, ...] = ()
    is_read: bool = doc("whether the kernel reads it", default=False)
    is_written: bool = doc("whether the kernel writes it", default=False)
    reads: str | None = doc("post-grad node whose value is read", default=None)
    writes: str | None = doc("post-grad node whose value is written", default=None)
    value: int | None = doc("value of a size, or number of workspace elements", default=None)


@artifact("triton_kernel")
class TritonKernelFacts(Record):
    """One Triton kernel, before the output code that has it."""

    name: str
    traffic_bytes: int | None = doc("bytes estimated by Inductor", key="bytes", default=None)
    flops: int | None = doc("FLOPs estimated by Inductor", default=None)
    arguments: tuple[KernelArgument, ...] = doc("in order", default=())
    numels: Mapping[str, int] = doc(
        "compile-time values by parameter, such as xnumel", default_factory=dict
    )
    symbols: Mapping[str, int] = doc(
        "compile-time values by symbol, such as s0", default_factory=dict
    )
