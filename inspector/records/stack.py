"""A frame of a stack, as torch logs it and as our records have it."""

from inspector.records.record import doc, part


@part
class StackFrame:
    """One frame of a stack of the recorded process."""

    file: str = doc("path of the file in the recorded process", also="filename")
    line: int = doc("line number from 1, or 0 if unknown")
    name: str = doc("name of the code object")
    code: str = doc("source line without indentation", also="loc", default="")
    end_line: int | None = doc("last line of the expression", default=None)
    column: int | None = doc("first column of the expression, in characters from 0", default=None)
    end_column: int | None = doc("column after the end of the expression", default=None)
    parsed: bool = doc(
        "whether columns were parsed from printed carets, relative to `code`", default=False
    )
