"""A GPU that is not here: for what code was generated, and what is open."""

from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part


@part
class MeasuredDecision:
    """A decision that torch makes by measuring on the device."""

    what: str = doc("kind of decision: padding, template or fusion")
    detail: str = doc("torch's identifier for the subject of the decision")
    taken: str = doc("candidate chosen without measurement")
    candidates: tuple[str, ...]
    sources: Mapping[str, str] = doc(
        "source code of Triton template candidates", default_factory=dict
    )
    direction: str = doc(
        "direction of the graph, if known: inference, forward or backward", default=""
    )
    kinds: tuple[str, ...] = doc("kinds of the rejected candidates", default=())


@part
class AlternativeCode:
    """Output code of a graph with decisions made otherwise than in what was taken."""

    decided: str = doc("alternative decision: padded or template", key="if")
    code: str
    about: tuple[str, ...] = doc("torch's identifiers for the padded operands", default=())


@artifact("gpu_target")
class GpuTarget(Record):
    """Once at the beginning, and once for each captured graph."""

    gpu: str = doc("GPU name passed with --gpu")
    state: str = doc("`begin` if nothing has been compiled yet", default="")
    measured: tuple[MeasuredDecision, ...] = doc(
        "decisions that torch would make by measuring on a device", default=()
    )
    attention: tuple[str, ...] = doc("kernels of scaled_dot_product_attention", default=())
    alternatives: tuple[AlternativeCode, ...] = doc(
        "alternative code for the same graph", default=()
    )
    missing: tuple[str, ...] = doc("reasons why alternatives have no code", default=())
    error: str = doc("code generation error", default="")
    where: tuple[str, ...] = doc(
        "innermost frames of that error inside torch, outermost first", default=()
    )

    @property
    def is_begin(self) -> bool:
        """Whether nothing was compiled yet."""
        return self.state == "begin"
