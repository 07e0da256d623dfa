"""What autotuning tries at one place, what it takes, and what wins."""

from inspector.records.record import Record, artifact, doc, part


@part
class TriedTensor:
    """An input of what was tried, or its result."""

    shape: tuple[int | str, ...]
    dtype: str = doc("in torch's spelling", default="")
    device: str = ""


@part
class TriedCandidate:
    """One candidate."""

    at: int = doc("its index among all candidates", default=0)
    name: str = ""
    text: str = doc("its configuration", default="")
    kind: str = doc("extern (a library's), triton, cpp, cutlass, …; config of a kernel", default="")
    time_ns: int | None = doc("None if it was not timed or failed", default=None)
    failed: str = doc("why it has no time", default="")
    spent_ns: int | None = doc("time spent on timing it", default=None)
    step: str = doc("empty, descent (coordinate descent from the best one) or combo", default="")
    registers: int | None = doc("of a thread", default=None)
    spills: int | None = doc("spilled registers", default=None)


@artifact("autotuned")
class Autotuned(Record):
    """Something was chosen among candidates."""

    kind: str = doc(
        "template (of an operation), triton (a generated kernel) or user (a user-defined one)"
    )
    name: str = doc("Inductor's name of the operation (mm), or the kernel's")
    how: str = doc(
        "measured, cached, only (a single candidate), fixed (nothing timed) or failed", default=""
    )
    chosen: int | None = doc("index of the chosen candidate", default=None)
    default: int | None = doc("index of the choice without autotuning", default=None)
    total: int = doc("number of candidates", default=0)
    failed: int = doc("number of failed candidates", default=0)
    candidates: tuple[TriedCandidate, ...] = ()
    compile_id: str = ""
    is_backward: bool = doc(key="backward", default=False)
    node: str = doc("of the graph", default="")
    target: str = doc("the operator that it calls", default="")
    inputs: tuple[TriedTensor, ...] = ()
    output: TriedTensor | None = None
    heuristic: str = doc("Inductor's kind of a kernel", default="")
    step: str = doc("as of a candidate", default="")
    benchmark_ns: int = doc("time spent on benchmarks", default=0)
    compile_ns: int = doc("additional time spent waiting for compilation", default=0)
    is_outside: bool = doc("ran outside compiled graphs", key="outside", default=False)
    file: str = doc("where the program defines the kernel", default="")
    line: int = 0
    error: str = doc("error that ended it", default="")
