"""CUDA graphs, of which torch logs no events."""

from inspector.records.record import Record, artifact, doc, part
from inspector.records.stack import StackFrame


@part
class FunctionKey:
    """One function that torch wrapped: a compiled graph or a part of it, for given integers."""

    manager: int = doc("index of the CUDA graph tree manager (one for each device and thread)")
    function: int = doc("torch's id for the function within the manager")
    device: int = doc("index of the device")
    compile_id: str
    mode: str = doc("FORWARD, BACKWARD or INFERENCE; empty before the first function call")
    integers: tuple[int, ...] = doc(
        "values of integer inputs; each combination is a separate function", key="key"
    )


NO_FUNCTION = FunctionKey(0, 0, 0, "", "", ())
"""While something is compiled."""


@part
class LoggedInput:
    """An input of a captured graph."""

    name: str
    shape: tuple[int, ...]
    dtype: str = doc("dtype name without `torch.`")
    size_bytes: int = doc("number of bytes read by a copy", key="bytes")
    stack: str = doc("stack of the first use, as printed by torch", default="")


@part
class LoggedRefusal:
    """A captured graph that a call could not replay."""

    graph: int = doc("torch's number for the graph")
    status: str = doc("name of torch's CheckInvariantStatus member")
    changed: int = doc("number of inputs whose address changed")
    inputs: tuple[LoggedInput, ...] = doc("first inputs whose address changed")


@artifact("cuda_graph")
class CudaGraphCapture(Record):
    """One capture of a CUDA graph."""

    key: FunctionKey = doc(inline=True)
    graph: int = doc("torch's number for the graph", default=0)
    parent: int | None = doc("number of the graph that runs before this one", default=None)
    recording: int = doc("number of earlier captures of this function", default=0)
    refused: tuple[LoggedRefusal, ...] = ()
    stack: tuple[StackFrame, ...] = doc("stack of the call, outermost frame first", default=())
    duration_ns: int = doc("duration of the capture, including device synchronization", default=0)
    pool_bytes: int | None = doc("size of the pool shared by the manager's graphs", default=None)
    inputs: int = 0
    copied: int = doc("number of inputs copied before each replay", default=0)
    copied_bytes: int = 0
    copies: tuple[LoggedInput, ...] = doc("largest copied inputs", default=())


@artifact("cuda_graph_calls")
class CudaGraphCalls(Record):
    """What one function did so far; the last one counts."""

    key: FunctionKey = doc(inline=True)
    calls: int = 0
    replays: int = 0
    recordings: int = 0
    warmups: int = doc(
        "number of warm-up calls that used the graph memory pool before the capture", default=0
    )
    captures: tuple[CudaGraphCapture, ...] = doc("captures in order", default=())

    @property
    def eager(self) -> int:
        """How often it ran as it is, and was not to be captured."""
        return max(0, self.calls - self.replays - self.recordings - self.warmups)


@artifact("cuda_graph_skip")
class CudaGraphSkip(Record):
    """Torch warned about CUDA graphs."""

    key: FunctionKey = doc(inline=True)
    message: str


@part
class LeftOut:
    """An operation that Inductor excludes from CUDA graph capture."""

    name: str = doc("Inductor's name of the operation")
    why: str = doc("torch's message, such as `reason=cpu ops, ir=ComputedBuffer`")
    stack: str = doc("source line, as printed by torch", default="")

    @property
    def reason(self) -> str:
        """Torch's reason alone: ``cpu ops``."""
        return self.why.removeprefix("reason=").partition(", ir=")[0]


@artifact("cuda_graph_partitions")
class CudaGraphPartitions(Record):
    """Partitions into which Inductor split a graph for CUDA graphs."""

    compile_id: str = ""
    partitions: int = 0
    captured: int = doc("number of partitions that can be captured", default=0)
    left_out: tuple[LeftOut, ...] = doc("operations in the other partitions", default=())
