"""What a process of ``--verify`` finds out."""

from inspector.records.record import Record, artifact, doc, part


@part
class Comparison:
    """Results of one process compared with those of another.

    Compared are outputs of each input's first call, what became of its tensors, gradients, buffers.
    """

    values: int = doc("number of compared values")
    differing: int = doc("number of values outside torch.testing's tolerance for their dtype")
    uncompared: int = doc("number of values that cannot be compared", default=0)
    max_abs_error: float | None = doc(
        "largest absolute error, or None if no value is numeric", default=None
    )
    first: str = doc("description of the first difference", default="")

    @property
    def equal(self) -> bool | None:
        """Whether all outputs are equal; None if none could be compared."""
        return None if not self.values else not self.differing


@artifact("trial")
class TrialResult(Record):
    """A process that was tried out."""

    backend: str = doc("backend; empty if the file compiles its model itself")
    warm_call_ns: int | None = doc("median time of a round with one call per input")
    least_warm_call_ns: int | None = doc("fastest round")
    outputs: Comparison | None = doc(
        "comparison with the first process, or None for the first process", default=None
    )
