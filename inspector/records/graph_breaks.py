"""What torch's records of graph breaks and failures leave out."""

from inspector.records.record import Record, artifact, doc
from inspector.records.stack import StackFrame


@artifact("graph_break")
class BreakPositions(Record):
    """Exact positions for the record of a graph break that was logged just before."""

    positions: tuple[StackFrame, ...] = doc("of the user's stack, outermost first")
    higher_order: str = doc("the enclosing higher-order operator", default="")


@artifact("operator_raised")
class OperatorRaised(Record):
    """Where an operator raised, after a ``dynamo_error``."""

    frames: tuple[StackFrame, ...] = doc("the user's, of the implementation, outermost first")


@artifact("skipped_frame")
class SkippedFrame(Record):
    """Dynamo saw a frame and left it alone without an event."""

    file: str
    line: int
    name: str = doc("qualified")
    reason: str = doc("in torch's words")
    cause: str = doc("text of the exception that caused it", default="")
    is_entry: bool = doc("what the user asked to compile", key="entry", default=False)
    stack: tuple[StackFrame, ...] = doc("down to it, outermost first", default=())


@artifact("caller")
class Caller(Record):
    """Who calls the function that is being compiled.

    Torch's own stack leaves it out with torch's frames between them (`_compile` in
    torch/_dynamo/convert_frame.py, 2.11 to 2.13).
    """

    frame: StackFrame = doc("innermost frame outside torch and the standard library", inline=True)


@artifact("line_times")
class LineTimes(Record):
    """How long Dynamo traced each of the user's lines, in one attempt."""

    lines: tuple[tuple[str, int, str, int], ...] = doc(
        "file, line, name of the code object and time in ns, the longest first"
    )
