"""What torch logs for tlparse about graphs that run: estimates of their operators, their order."""

from inspector.records.record import Record, artifact, doc, part


@part
class OperatorOutput:
    """A tensor, with hints for sizes that are symbols."""

    shape: tuple[int, ...] = ()
    stride: tuple[int, ...] = ()
    dtype: str = ""


@part
class OperatorEstimate:
    """A node of Inductor's scheduler."""

    name: str = ""
    kind: str = doc("kind of operator: collective or compute", key="type", default="compute")
    time_ns: float = doc(
        "time estimated by Inductor's cost model", key="estimated_runtime_ns", default=0.0
    )
    outputs: tuple[OperatorOutput, ...] = ()


@artifact("inductor_runtime_and_tensor_meta", prefix="")
class OperatorEstimates(Record):
    """The operators of one graph, where ``torch._inductor.config.log_tlparse`` is set."""

    operators: tuple[OperatorEstimate, ...] = doc(key="ops", default=())
    compile_id: str = ""


@part
class GraphRun:
    """A call of a compiled graph."""

    compile_id: str | None = None


@artifact("graph_execution", prefix="")
class GraphExecution(Record):
    """Calls in order, within ``record_and_log_graph_execution_order()`` of Inductor's."""

    calls: tuple[GraphRun, ...] = doc(key="graph_execution_order", default=())
