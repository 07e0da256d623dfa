"""What a process of `inspect repro` finds out."""

from inspector.records.record import Record, artifact, doc, part


@part
class SwitchedOff:
    """Result of the smallest graph with one part of the compiler disabled."""

    what: str
    fault: str = doc("fault with that part switched off; empty if there is none", default="")
    replay: str = doc("the command that runs the file so", default="")


@artifact("repro")
class Repro(Record):
    """The smallest program that shows a fault of the compiler."""

    kind: str = doc(
        "kind of fault: ``crash``, ``wrong`` (wrong results) or ``none``",
        choices=("crash", "wrong", "none"),
        default="none",
    )
    exception: str = doc("type of the exception; empty if ``kind`` is not ``crash``", default="")
    said: str = doc(
        "first line of the error message, or the wrong result with its error", default=""
    )
    subsystem: str = doc("part of the compiler that causes the fault", default="")
    inside: str = doc("the node, pass or operator at fault in that subsystem", default="")
    operators: tuple[str, ...] = doc("operators of the smallest graph, in order", default=())
    operators_before: int = doc("number of operators in the captured graph", default=0)
    file: str = doc("user source file of the last of these operators", default="")
    line: int = 0
    code: str = ""
    rows: tuple[SwitchedOff, ...] = ()
    text: str = doc("source code of the program", default="")
    is_checked: bool = doc("a fresh process shows the same fault", default=False)
    needs: tuple[str, ...] = doc("the project's modules that the file has to import", default=())
    output: str = doc("end of what the fresh process wrote", default="")
    is_cut_off: bool = doc("time ran out before it was fully reduced", default=False)
