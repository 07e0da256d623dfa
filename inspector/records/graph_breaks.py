"""What torch's records of graph breaks and failures leave out."""

from inspector.records.record import Record, artifact, doc
from inspector.records.stack import StackFrame


@artifact("graph_break")
class BreakPositions(Record):
    """Exact positions for the record of a graph break that was logged just before."""

    positions: tuple[StackFrame, ...] = doc("frames of the user's stack, outermost first")
    higher_order: str = doc("enclosing higher-order operator", default="")


@artifact("operator_raised")
class OperatorRaised(Record):
    """Where an operator raised, after a ``dynamo_error``."""

    frames: tuple[StackFrame, ...] = doc(
        "user frames of the operator's implementation, outermost first"
    )


@artifact("skipped_frame")
class SkippedFrame(Record):
    """A frame that Dynamo skipped without logging an event."""

    file: str
    line: int
    name: str = doc("qualified name")
    reason: str = doc("torch's reason for the skip")
    cause: str = doc("message of the exception that caused the skip", default="")
    is_entry: bool = doc("whether the user asked to compile this frame", key="entry", default=False)
    stack: tuple[StackFrame, ...] = doc("stack of the frame, outermost first", default=())


@artifact("caller")
class Caller(Record):
    """The caller of the compiled function.

    Torch's own stack leaves it out with torch's frames between them (`_compile` in
    torch/_dynamo/convert_frame.py, 2.11 to 2.13).
    """

    frame: StackFrame = doc("innermost frame outside torch and the standard library", inline=True)


@artifact("line_times")
class LineTimes(Record):
    """How long Dynamo traced each of the user's lines, in one attempt."""

    lines: tuple[tuple[str, int, str, int], ...] = doc(
        "file, line, code object name and time in ns, longest first"
    )
