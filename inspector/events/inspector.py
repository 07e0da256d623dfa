"""Our own artifacts: what the recorded process says beyond what torch logs.

Their names start with ``inspector_`` and every payload has its own version ``v``. Writers are in
`inspector.capture`; a reader accepts any version and takes the fields it knows.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope, RawFrame
from inspector.events.fields import natural


@dataclasses.dataclass(frozen=True, slots=True)
class Position:
    """The exact place of one stack frame, from code positions instead of printed carets.

    Attributes:
        file: File name.
        line: First line, from 1.
        end_line: Last line, or None.
        column: First column, 0-based, in characters, or None.
        end_column: Column after the last one, 0-based, or None.
    """

    file: str
    line: int
    end_line: int | None
    column: int | None
    end_column: int | None

    @classmethod
    def of(cls, entry: Mapping[str, object]) -> Self:
        """Reads one entry of a ``positions`` list."""
        return cls(
            file=str(entry.get("file", "")),
            line=natural(entry.get("line")) or 0,
            end_line=natural(entry.get("end_line")),
            column=natural(entry.get("column")),
            end_column=natural(entry.get("end_column")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorCaller:
    """``inspector_caller``: who calls the function that is being compiled.

    Torch's own stack leaves it out with torch's frames between them (`_compile` in
    torch/_dynamo/convert_frame.py, 2.11 to 2.13).

    Attributes:
        frame: The innermost frame that is neither torch's nor the standard library's.
    """

    frame: RawFrame | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        frames = envelope.frames([envelope.json_object()])
        return cls(frames[0] if frames else None)


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorOperatorRaised:
    """``inspector_operator_raised``: where an operator raised, after a ``dynamo_error``.

    Attributes:
        frames: The user's frames of the implementation, outermost first.
    """

    frames: tuple[RawFrame, ...]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        return cls(envelope.frames(envelope.json_object().get("frames")))


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorEnvironment:
    """``inspector_environment``: where the program ran.

    Attributes:
        versions: Version by package name (``python``, ``torch``, ``triton``).
        hardware: Facts by name (``cpu``, ``cores``, ``memory_bytes``, ``gpus``).
        roots: Folder by role: ``project``, ``torch``, ``stdlib``, ``own``, and ``site`` (a list).
        host: A name for the machine that is stable within a job.
        rank: Rank that a launcher gave to the process, or None.
        parent_pid: Process id of whoever started it, or None.
        time_ns: UTC in ns when the log began, or None.
    """

    versions: Mapping[str, str]
    hardware: Mapping[str, object]
    roots: Mapping[str, object]
    host: str
    rank: int | None = None
    parent_pid: int | None = None
    time_ns: int | None = None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        versions, hardware, roots = (
            dict(value) if isinstance(value := payload.get(name), dict) else {}
            for name in ("versions", "hardware", "roots")
        )
        return cls(
            versions={name: str(version) for name, version in versions.items()},
            hardware=hardware,
            roots=roots,
            host=str(payload.get("host", "")),
            rank=natural(payload.get("rank")),
            parent_pid=natural(payload.get("parent_pid")),
            time_ns=natural(payload.get("time_ns")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorTarget:
    """``inspector_target``: what was asked to be compiled.

    Attributes:
        name: How the target is shown.
        file: File of the function that is called, or an empty string.
        line: Its first line, or 0.
        qualname: Its qualified name.
        kind: ``function``, ``generator`` or ``coroutine``.
        is_compiled: Whether its own file compiles it, so that no backend was chosen for it.
    """

    name: str
    file: str
    line: int
    qualname: str
    kind: str
    is_compiled: bool = False

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        return cls(
            name=str(payload.get("name", "")),
            file=str(payload.get("file", "")),
            line=natural(payload.get("line")) or 0,
            qualname=str(payload.get("qualname", "")),
            kind=str(payload.get("kind", "function")),
            is_compiled=payload.get("compiled") is True,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorCall:
    """``inspector_call``: the target is about to be called, or the call has ended.

    Attributes:
        input_index: Which of the inputs, from 0.
        call: How often this input is called so far, from 0.
        state: ``begin``, ``end`` or ``failed``.
        requires_grad: Whether an output requires grad, where that was looked at, or None.
    """

    input_index: int
    call: int
    state: str
    requires_grad: bool | None = None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        grad = payload.get("requires_grad")
        return cls(
            input_index=natural(payload.get("input")) or 0,
            call=natural(payload.get("call")) or 0,
            state=str(payload.get("state", "")),
            requires_grad=grad if isinstance(grad, bool) else None,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorUnmeasured:
    """``inspector_unmeasured``: a call that only we make fails by itself, so that none is measured.

    Attributes:
        input_index: Which of the inputs, from 0.
        error: The exception in one line.
    """

    input_index: int
    error: str

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        return cls(natural(payload.get("input")) or 0, str(payload.get("error", "")))


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorSource:
    """``inspector_source``: a part of a source file, so that a report reads the same elsewhere.

    Attributes:
        file: File name.
        first_line: Number of the first line in ``lines``, from 1.
        lines: The lines without their line ends.
        whole: Whether this is the whole file.
        sha256: Digest of the whole file, or an empty string.
        is_function: Whether it is a function, from ``def`` to its last line.
    """

    file: str
    first_line: int
    lines: tuple[str, ...]
    whole: bool
    sha256: str
    is_function: bool = False

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        lines = payload.get("lines")
        return cls(
            file=str(payload.get("file", "")),
            first_line=natural(payload.get("first_line")) or 1,
            lines=tuple(str(line) for line in lines) if isinstance(lines, list) else (),
            whole=bool(payload.get("whole")),
            sha256=str(payload.get("sha256", "")),
            is_function=bool(payload.get("function")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorGraphBreak:
    """``inspector_graph_break``: exact positions for the graph-break record logged just before.

    Attributes:
        positions: One per frame of the user's stack, outermost first.
        higher_order: The higher-order operator that it lies in, or an empty string.
    """

    positions: tuple[Position, ...]
    higher_order: str = ""

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        fields = envelope.json_object()
        positions = fields.get("positions")
        entries = positions if isinstance(positions, list) else []
        return cls(
            positions=tuple(Position.of(entry) for entry in entries if isinstance(entry, dict)),
            higher_order=str(fields.get("higher_order") or ""),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorLineTimes:
    """``inspector_line_times``: how long Dynamo traced each of the user's lines, in one attempt.

    Attributes:
        lines: (file, line, name of the code object, time in ns), the longest first.
    """

    lines: tuple[tuple[str, int, str, int], ...]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        entries = envelope.json_object().get("lines")
        return cls(
            tuple(
                (str(file), natural(line) or 0, str(name), natural(time_ns) or 0)
                for file, line, name, time_ns in (entries if isinstance(entries, list) else ())
            )
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorSkippedFrame:
    """``inspector_skipped_frame``: Dynamo saw a frame and left it alone without an event.

    Attributes:
        file: File of the code object.
        line: Its first line, or 0.
        name: Its qualified name.
        reason: Why, in torch's words.
        cause: The exception's text where an exception was the reason, else an empty string.
        is_entry: Whether it is the function that the user asked to compile.
        stack: The stack down to it, outermost first.
    """

    file: str
    line: int
    name: str
    reason: str
    cause: str
    is_entry: bool
    stack: tuple[RawFrame, ...]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        return cls(
            file=str(payload.get("file", "")),
            line=natural(payload.get("line")) or 0,
            name=str(payload.get("name", "")),
            reason=str(payload.get("reason", "")),
            cause=str(payload.get("cause", "")),
            is_entry=bool(payload.get("entry")),
            stack=envelope.frames(payload.get("stack")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorDropped:
    """``inspector_dropped``: what a process has dropped so far to keep its logs below a size.

    Attributes:
        max_bytes: The size.
        without_details: Compilations of which only the core is kept, or not even that.
        counts: What was dropped whole, by the names of `inspector.model.summary.Summary`, and
            ``compilations``. ``compile_time_ns`` is that of all compilations without details.
        sites: User file, line and GB type of the graph breaks that were dropped.
        frames: State (``compiled``, ``skipped``, ``failed``) of the code objects whose compilations
            were dropped, by torch's number, file, first line and name.
    """

    max_bytes: int
    without_details: int
    counts: Mapping[str, int]
    sites: tuple[tuple[str, int, str], ...]
    frames: Mapping[tuple[int, str, int, str], str]

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        sites, frames = (payload.get(name) or () for name in ("sites", "frames"))
        if not isinstance(sites, list | tuple) or not isinstance(frames, list | tuple):
            message = "its sites and frames are no lists"
            raise TypeError(message)
        numbers = {name: natural(value) for name, value in payload.items()}
        return cls(
            max_bytes=numbers.pop("max_bytes", None) or 0,
            without_details=numbers.pop("without_details", None) or 0,
            counts={name: number for name, number in numbers.items() if number is not None},
            sites=tuple((str(file), natural(line) or 0, str(kind)) for file, line, kind in sites),
            frames={
                (natural(number) or 0, str(file), natural(line) or 0, str(name)): str(state)
                for number, file, line, name, state in frames
            },
        )


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorEnd:
    """``inspector_end``: the process came to its end in order, or the recording of it did."""

    @classmethod
    def read(cls, envelope: Envelope) -> Self:  # noqa: ARG003 - the same signature for all events
        """Reads nothing: that it was logged is what counts."""
        return cls()


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorProblem:
    """``inspector_problem``: something of ours failed inside the recorded process.

    Attributes:
        where: Which of our hooks.
        error: The exception's type and text.
    """

    where: str
    error: str

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload."""
        payload = envelope.json_object()
        return cls(where=str(payload.get("where", "")), error=str(payload.get("error", "")))
