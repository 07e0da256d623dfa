"""A GPU that is not here: for what code was generated, and what is open."""

from collections.abc import Mapping

from inspector.records.record import Record, artifact, doc, part


@part
class MeasuredDecision:
    """A decision for which torch measures on the device."""

    what: str = doc("padding, template or fusion")
    detail: str = doc("subject of the decision, as torch identifies it")
    taken: str = doc("without a measurement")
    candidates: tuple[str, ...]
    sources: Mapping[str, str] = doc(
        "for Triton templates, the candidates to measure", default_factory=dict
    )
    direction: str = doc("inference, forward or backward, where known", default="")
    kinds: tuple[str, ...] = doc("of candidates that were not taken", default=())


@part
class AlternativeCode:
    """Output code of a graph with decisions made otherwise than in what was taken."""

    decided: str = doc("padded or template", key="if")
    code: str
    about: tuple[str, ...] = doc("padded operands, as torch identifies them", default=())


@artifact("gpu_target")
class GpuTarget(Record):
    """Once at the beginning, and once for each captured graph."""

    gpu: str = doc("name used with --gpu")
    state: str = doc("begin: nothing was compiled yet", default="")
    measured: tuple[MeasuredDecision, ...] = doc("that the device would make", default=())
    attention: tuple[str, ...] = doc("kernels of scaled_dot_product_attention", default=())
    alternatives: tuple[AlternativeCode, ...] = doc("of the same graph", default=())
    missing: tuple[str, ...] = doc("reason why there is no code for other decisions", default=())
    error: str = doc("error of code generation", default="")
    where: tuple[str, ...] = doc(
        "torch's innermost frames of that error, outermost first", default=()
    )

    @property
    def is_begin(self) -> bool:
        """Whether nothing was compiled yet."""
        return self.state == "begin"
