"""Our own artifacts about CUDA graphs, of which torch logs no events."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Self

from inspector.events.envelope import Envelope, RawFrame
from inspector.events.fields import items, mappings, natural
from inspector.events.printed_stack import printed_frames


@dataclasses.dataclass(frozen=True, slots=True)
class FunctionKey:
    """One function that torch wrapped: a compiled graph or a partition of it, for given integers.

    Attributes:
        manager: Number of the tree manager (one per device and thread) in its process.
        function: Torch's number of the function in it.
        device: Index of the device.
        compile_id: The compilation in torch's spelling, or an empty string.
        mode: ``FORWARD``, ``BACKWARD`` or ``INFERENCE``.
        integers: The integers among its inputs, which are sizes; each set is a function.
    """

    manager: int
    function: int
    device: int
    compile_id: str
    mode: str
    integers: tuple[int, ...]

    @classmethod
    def of(cls, payload: Mapping[str, object]) -> Self | None:
        """Reads it out of an artifact's payload; None where no function is named."""
        function = natural(payload.get("function"))
        if function is None:
            return None
        return cls(
            manager=natural(payload.get("manager")) or 0,
            function=function,
            device=natural(payload.get("device")) or 0,
            compile_id=str(payload.get("compile_id") or ""),
            mode=str(payload.get("mode") or ""),
            integers=tuple(item for item in items(payload.get("key")) if isinstance(item, int)),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class LoggedInput:
    """An input of a captured graph.

    Attributes:
        name: Its name in the graph.
        shape: Its sizes.
        dtype: Its dtype in torch's spelling without ``torch.``.
        size_bytes: Bytes that a copy of it reads.
        stack: Where it is first used, as torch printed it.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    size_bytes: int
    stack: tuple[RawFrame, ...]

    @classmethod
    def of(cls, entry: Mapping[str, object]) -> Self:
        """Reads one entry of a list of inputs."""
        return cls(
            name=str(entry.get("name", "")),
            shape=tuple(natural(size) or 0 for size in items(entry.get("shape"))),
            dtype=str(entry.get("dtype", "")),
            size_bytes=natural(entry.get("bytes")) or 0,
            stack=printed_frames(str(entry.get("stack") or "")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class LoggedRefusal:
    """A captured graph that did not fit a call.

    Attributes:
        graph: Torch's number of it.
        status: Name of torch's ``CheckInvariantStatus``.
        changed: How many inputs lie elsewhere.
        inputs: The first of them.
    """

    graph: int
    status: str
    changed: int
    inputs: tuple[LoggedInput, ...]

    @classmethod
    def of(cls, entry: Mapping[str, object]) -> Self:
        """Reads one entry of ``refused``."""
        return cls(
            graph=natural(entry.get("graph")) or 0,
            status=str(entry.get("status", "")),
            changed=natural(entry.get("changed")) or 0,
            inputs=tuple(map(LoggedInput.of, mappings(entry.get("inputs")))),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorCudaGraph:
    """``inspector_cuda_graph``: a graph was captured.

    Attributes:
        key: The function.
        graph: Torch's number of the graph.
        parent: That of the graph after which it runs, or None.
        recording: How often this function was captured before.
        refused: The captured graphs that did not fit this call.
        stack: The call, outermost first.
        duration_ns: What the capture took, the device's synchronisation included.
        pool_bytes: Memory of the pool that the manager's graphs share, or None.
        inputs: How many inputs it has.
        managed: How many of them another graph wrote.
        copied: How many are copied before each replay.
        copied_bytes: The bytes of those.
        copies: The largest of those.
    """

    key: FunctionKey
    graph: int
    parent: int | None
    recording: int
    refused: tuple[LoggedRefusal, ...]
    stack: tuple[RawFrame, ...]
    duration_ns: int
    pool_bytes: int | None
    inputs: int
    managed: int
    copied: int
    copied_bytes: int
    copies: tuple[LoggedInput, ...]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        numbers = ("recording", "duration_ns", "inputs", "managed", "copied", "copied_bytes")
        return cls(
            key=_key(payload),
            graph=natural(payload.get("graph")) or 0,
            parent=natural(payload.get("parent")),
            refused=tuple(map(LoggedRefusal.of, mappings(payload.get("refused")))),
            stack=tuple(_frames(payload.get("stack"))),
            pool_bytes=natural(payload.get("pool_bytes")),
            copies=tuple(map(LoggedInput.of, mappings(payload.get("copies")))),
            **{name: natural(payload.get(name)) or 0 for name in numbers},
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorCudaGraphCalls:
    """``inspector_cuda_graph_calls``: what one function did so far; the last one counts.

    Attributes:
        key: The function.
        calls: How often it was called.
        replays: How often a captured graph ran instead.
        recordings: How often it was captured.
        warmups: How often it ran as it is, in the graphs' memory, because it was to be captured.
    """

    key: FunctionKey
    calls: int
    replays: int
    recordings: int
    warmups: int

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        names = ("calls", "replays", "recordings", "warmups")
        numbers = {name: natural(payload.get(name)) or 0 for name in names}
        return cls(key=_key(payload), **numbers)


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorCudaGraphSkip:
    """``inspector_cuda_graph_skip``: torch warned about CUDA graphs.

    Attributes:
        key: The function that was called, or None while something is compiled.
        compile_id: The compilation during which it was said, or an empty string.
        message: Torch's words.
    """

    key: FunctionKey | None
    compile_id: str
    message: str

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        key = FunctionKey.of(payload)
        inside = str(envelope.compile_id) if envelope.compile_id else ""
        compile_id = key.compile_id if key else inside
        return cls(key=key, compile_id=compile_id, message=str(payload.get("message", "")))


@dataclasses.dataclass(frozen=True, slots=True)
class LeftOut:
    """Something that no CUDA graph holds, because a partition leaves it out.

    Attributes:
        name: Inductor's name of the operation.
        why: Torch's words (``reason=cpu ops, ir=ComputedBuffer``).
        stack: Its line, as torch printed it.
    """

    name: str
    why: str
    stack: tuple[RawFrame, ...]

    @property
    def reason(self) -> str:
        """Torch's reason alone: ``cpu ops``."""
        return self.why.removeprefix("reason=").partition(", ir=")[0]


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorCudaGraphPartitions:
    """``inspector_cuda_graph_partitions``: how Inductor cut a graph for CUDA graphs.

    Attributes:
        compile_id: The compilation, or an empty string.
        partitions: How many parts.
        captured: How many of them can be captured.
        left_out: What stands in the others.
    """

    compile_id: str
    partitions: int
    captured: int
    left_out: tuple[LeftOut, ...]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        return cls(
            compile_id=str(envelope.compile_id) if envelope.compile_id else "",
            partitions=natural(payload.get("partitions")) or 0,
            captured=natural(payload.get("captured")) or 0,
            left_out=tuple(
                LeftOut(
                    name=str(entry.get("name", "")),
                    why=str(entry.get("why", "")),
                    stack=printed_frames(str(entry.get("stack") or "")),
                )
                for entry in mappings(payload.get("left_out"))
            ),
        )


def _key(payload: Mapping[str, object]) -> FunctionKey:
    key = FunctionKey.of(payload)
    if key is None:
        message = "it names no function"
        raise TypeError(message)
    return key


def _frames(value: object) -> Iterator[RawFrame]:
    for entry in mappings(value):
        line = natural(entry.get("line")) or 0
        yield RawFrame(str(entry.get("filename", "")), line, str(entry.get("name", "")))
