"""What autotuning tries at one place, what it takes, and what wins."""

from inspector.records.record import Record, artifact, doc, part


@part
class TriedTensor:
    """An input or output of the autotuned operation."""

    shape: tuple[int | str, ...]
    dtype: str = doc("dtype name without `torch.`, such as float32", default="")
    device: str = ""


@part
class TriedCandidate:
    """One candidate."""

    name: str = ""
    text: str = doc("configuration of the candidate, as text", default="")
    kind: str = doc(
        "extern (library), triton, cpp, cutlass, …; or config, for a kernel configuration",
        default="",
    )
    time_ns: int | None = doc(
        "benchmarked time of the candidate; None if it failed or was not timed", default=None
    )
    failed: str = doc("reason why the candidate was not timed", default="")
    spent_ns: int | None = doc("time spent on benchmarking the candidate", default=None)
    step: str = doc(
        "tuning step: empty, descent (coordinate descent from the best candidate) or combo "
        "(combined kernels)",
        default="",
    )
    registers: int | None = doc("registers per thread", default=None)
    spills: int | None = doc("spilled registers per thread", default=None)


@artifact("autotuned")
class Autotuned(Record):
    """Something was chosen among candidates."""

    kind: str = doc("template (operation), triton (generated kernel) or user (user-defined kernel)")
    name: str = doc("Inductor's name of the operation (mm) or kernel")
    how: str = doc(
        "measured, cached, only (one candidate), fixed (not timed) or failed", default=""
    )
    chosen: int | None = doc("index of the chosen candidate", default=None)
    default: int | None = doc("index of the candidate chosen without autotuning", default=None)
    candidates: tuple[TriedCandidate, ...] = ()
    compile_id: str = ""
    is_backward: bool = doc(key="backward", default=False)
    node: str = doc("name of the graph node", default="")
    target: str = doc("operator called by the node", default="")
    inputs: tuple[TriedTensor, ...] = ()
    output: TriedTensor | None = None
    heuristic: str = doc("Inductor's heuristic for the kernel, such as reduction", default="")
    step: str = doc("tuning step, with the same values as the `step` of a candidate", default="")
    benchmark_ns: int = doc("time spent on benchmarks", default=0)
    compile_ns: int = doc("additional time spent waiting for compilation", default=0)
    is_outside: bool = doc("whether it ran outside compiled graphs", key="outside", default=False)
    file: str = doc("file that defines the kernel", default="")
    line: int = 0
    error: str = doc("error that stopped autotuning", default="")
