"""What a process of ``--verify`` finds out."""

from inspector.records.record import Record, artifact, doc, part


@part
class Comparison:
    """What a process gave against what another one gave.

    Compared are outputs of each input's first call, what became of its tensors, gradients, buffers.
    """

    values: int = doc("how many were compared")
    differing: int = doc("by more than torch.testing allows for their dtype")
    uncompared: int = doc("number that cannot be compared", default=0)
    max_abs_error: float | None = doc("None if nothing is numeric", default=None)
    max_rel_error: float | None = None
    first: str = doc("the first difference, in one sentence", default="")

    @property
    def equal(self) -> bool | None:
        """Whether nothing differs; None where nothing could be compared."""
        return None if not self.values else not self.differing


@artifact("trial")
class TrialResult(Record):
    """A process that was tried out."""

    settings: tuple[str, ...] = doc("settings that its torch supports")
    backend: str = doc("empty if the file compiles its model itself")
    warm_call_ns: int | None = doc("median of rounds: one call with each input")
    least_warm_call_ns: int | None = doc("the fastest")
    outputs: Comparison | None = doc("None if it ran first", default=None)
