"""A frame of a stack, as torch logs it and as our records have it."""

from inspector.records.record import doc, part


@part
class StackFrame:
    """One frame of a stack of the recorded process."""

    file: str = doc("as the process knew it", also="filename")
    line: int = doc("from 1, or 0 where unknown")
    name: str = doc("of the code object")
    code: str = doc("the source line without indentation", also="loc", default="")
    end_line: int | None = doc("last line of the expression", default=None)
    column: int | None = doc("first column, 0-based, in characters", default=None)
    end_column: int | None = doc("after the last one", default=None)
    parsed: bool = doc("the columns come from printed carets, relative to `code`", default=False)
