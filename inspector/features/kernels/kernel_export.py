"""Joins a kernel with what it gets and what it should compute, for a file that stands alone."""

import dataclasses
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.errors import UsageError
from inspector.features.kernels.reference import LoweredGraph, Reference
from inspector.features.kernels.report import KernelRow, KernelsReport
from inspector.records.kernels import KernelArgument, TritonKernelFacts
from inspector.run.graph_places import OutputText
from inspector.shared.kernel_build import ConfigBuild, KernelBuild

_DTYPE = re.compile(r"torch\.\w+")
_INSTEAD = "Show it with --show {} --as source."
_GETS_PART = "the kernel takes {}, whose value is not a node of the graph"
_NO_NODE = (
    "its value is not a graph node: it is part of a reduction, or has another layout or dtype"
)


@dataclasses.dataclass(frozen=True, slots=True)
class KernelExport:
    """One kernel with everything that running it alone needs.

    Attributes:
        arguments: Buffer or number by parameter.
        numels: Size of each index by the name of its parameter.
        taken: Buffer by node whose value the reference takes.
        shapes: Size and stride by node of those that are taken and have others than their buffer.
        parts: How the parts of a split reduction come to the node's value, by node.
        not_compared: Why a buffer that is written is not compared, by buffer.
    """

    row: KernelRow
    build: KernelBuild
    gpu: str
    recording: str
    arguments: Mapping[str, str | int]
    numels: Mapping[str, int]
    buffers: Mapping[str, KernelArgument]
    read: tuple[str, ...]
    workspaces: Mapping[str, tuple[str, int]]
    reference: Reference
    taken: Mapping[str, str]
    shapes: Mapping[str, tuple[tuple[int, ...], tuple[int, ...]]]
    compared: Mapping[str, str]
    parts: Mapping[str, str]
    not_compared: Mapping[str, str]

    @property
    def configs(self) -> tuple[ConfigBuild, ...]:
        """Those that can be launched."""
        return tuple(config for config in self.build.configs if not config.error)


def make_kernel_export(report: KernelsReport, row: KernelRow, gpu: str) -> KernelExport:
    """Joins what is known of a compiled kernel; the logs of its report must still be there.

    Raises:
        UsageError: It is no kernel that can stand alone, or too little was recorded of it.
    """
    text, said = _recorded(report, row)
    build = _build(row)
    tensors = [
        _as_stored(item, row.kernel.source) for item in said.arguments if item.kind == "TensorArg"
    ]
    graph = LoweredGraph(text.lowered.read_text() if text.lowered else "", said.symbols)
    reads = {item.reads: item.buffer for item in tensors if item.is_read and item.reads}
    writes = {item.writes: item.buffer for item in tensors if item.is_written and item.writes}
    parts = dict(_parts(tensors, text, graph))
    whole = writes | {node: buffer for node, (buffer, _) in parts.items()}
    reference = _second_half(tensors, writes, graph) or _reference(tensors, list(whole), graph)
    nodes = {item.buffer: item.buffer for item in tensors} | whole | reads
    missing = {whole[node]: why for node, why in reference.missing.items()}
    unnamed = {
        item.buffer: _NO_NODE
        for item in tensors
        if item.is_written and item.writes is None and item.buffer not in whole.values()
    }
    buffers = {item.buffer: item for item in tensors}
    taken = {
        node: whole[node] if node in reference.given else nodes[node] for node in reference.inputs
    }
    return KernelExport(
        row=row,
        build=build,
        gpu=gpu,
        recording=f"recording {report.run.meta.name} of {report.run.meta.target}",
        arguments=_arguments(row, said, build),
        numels=said.numels,
        buffers=buffers,
        read=tuple(dict.fromkeys(item.buffer for item in tensors if item.is_read)),
        workspaces={
            item.name: (item.dtype, item.value or 0)
            for item in said.arguments
            if item.kind == "WorkspaceArg"
        },
        reference=reference,
        shapes={
            node: shape
            for node in reference.inputs
            if (shape := graph.shape(node)) and shape[0] != tuple(buffers[taken[node]].size)
        },
        taken=taken,
        compared={node: whole[node] for node in reference.outputs},
        parts={node: how for node, (_, how) in parts.items()},
        not_compared=missing | unnamed,
    )


def _reference(
    tensors: Iterable[KernelArgument], nodes: Sequence[str], graph: LoweredGraph
) -> Reference:
    """What a kernel should compute; nothing if it gets something that is no node's value."""
    reads = [item for item in tensors if item.is_read]
    unnamed = [item.buffer for item in reads if item.reads is None]
    if unnamed:
        return Reference(missing=dict.fromkeys(nodes, _GETS_PART.format(", ".join(unnamed))))
    return graph.reference([item.reads for item in reads if item.reads], nodes)


def _as_stored(argument: KernelArgument, source: str) -> KernelArgument:
    """Of what is changed in place, Inductor leaves stores out that nobody reads."""
    name = re.escape(argument.name)
    stores = rf"(store|atomic_\w+|make_block_ptr|make_tensor_descriptor)\([^\n]*\b{name}\b"
    is_stored = re.search(stores, source) is not None
    return dataclasses.replace(argument, is_written=argument.is_written and is_stored)


def _parts(
    tensors: Iterable[KernelArgument], text: OutputText, graph: LoweredGraph
) -> Iterator[tuple[str, tuple[str, str]]]:
    """What parts of a split reduction come to: its node, the buffer with the parts, and how."""
    for item in tensors:
        if not item.is_written or item.writes is not None:
            continue
        for other in text.triton:
            takes = any(it.buffer == item.buffer and it.is_read for it in other.arguments)
            gives = [it.writes for it in other.arguments if it.is_written and it.writes]
            how = graph.reduction(gives[0]) if takes and len(gives) == 1 else None
            if how:
                yield gives[0], (item.buffer, how)


def _second_half(
    tensors: Iterable[KernelArgument], writes: Mapping[str, str], graph: LoweredGraph
) -> Reference | None:
    """What a kernel should compute that puts the parts of a split reduction together."""
    taken = [item for item in tensors if item.is_read]
    if len(taken) != 1 or taken[0].reads is not None or len(writes) != 1:
        return None
    (node,) = writes
    how = graph.reduction(node)
    if how is None:
        return None
    (size,) = [item.size for item in tensors if item.writes == node]
    buffer = taken[0].buffer
    line = f"{node} = combine({buffer}, {how!r}, {size!r})"
    return Reference(inputs=(buffer,), lines=(line,), outputs=(node,))


def _recorded(report: KernelsReport, row: KernelRow) -> tuple[OutputText, TritonKernelFacts]:
    name = row.kernel.name
    why = ""
    if row.kernel.language != "triton":
        why = "a C++ kernel: only Triton kernels are exported"
    elif row.kernel.is_user_written or row.kernel.kind == "template":
        kind = "your own" if row.kernel.is_user_written else "a template of max-autotune"
        why = f"{kind}, which cannot be exported yet"
    elif row.is_candidate:
        why = "only a candidate"
    if why:
        raise UsageError(f"{name} is {why}.", _INSTEAD.format(name))
    texts = (text for process in report.run.processes for text in process.codes.texts)
    for text in texts:
        # Other graphs can have another kernel of its name.
        if text.text is not None and row.kernel.source in text.text.text():
            for said in text.triton:
                if said.name == name and said.arguments and _is_whole(said):
                    return text, said
    message = f"The arguments of {name} were not recorded."
    raise UsageError(
        message,
        "Record the model again: `inspect kernels model.py --gpu h200 --export …`. Plain traces, "
        "cache hits and older recordings do not contain them.",
    )


def _is_whole(said: TritonKernelFacts) -> bool:
    """Whether every tensor's dtype, sizes and strides are there, and what it names are names.

    They become code in the file that is written.
    """
    return all(
        _DTYPE.fullmatch(item.dtype)
        and len(item.size) == len(item.stride)
        and all(node is None or node.isidentifier() for node in (item.reads, item.writes))
        for item in said.arguments
        if item.kind in {"TensorArg", "WorkspaceArg"}
    )


def _build(row: KernelRow) -> KernelBuild:
    errors = ["the program does not launch it as a Triton kernel"]
    if row.facts is not None:
        build = row.facts.build
        if any(not config.error for config in build.configs):
            return build
        errors = [build.error, *(item.error for item in build.configs)]
    why = next(filter(None, errors), "it has no configuration").partition("\n")[0]
    name = row.kernel.name
    raise UsageError(f"{name} was not compiled: {why.rstrip('.')}.", _INSTEAD.format(name))


def _arguments(
    row: KernelRow, said: TritonKernelFacts, build: KernelBuild
) -> Mapping[str, str | int]:
    known: dict[str, str | int] = dict(said.numels)
    known |= {item.name: item.value for item in said.arguments if item.value is not None}
    known |= {item.name: item.buffer for item in said.arguments if item.kind == "TensorArg"}
    workspaces = {item.name for item in said.arguments if item.kind == "WorkspaceArg"}
    constants = dict(build.constants)
    wanted = [
        name
        for name, kind in row.kernel.signature.items()
        if kind != "constexpr" and name not in workspaces and name not in constants
    ]
    lacking = [name for name in wanted if name not in known]
    if lacking:
        message = f"The arguments {', '.join(lacking)} of {row.kernel.name} are unknown."
        raise UsageError(message, _INSTEAD.format(row.kernel.name))
    return {name: known[name] for name in wanted}
