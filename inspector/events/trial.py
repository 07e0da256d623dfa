"""``inspector_trial``: what a process of ``--verify`` found out."""

from __future__ import annotations

import dataclasses
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import natural


@dataclasses.dataclass(frozen=True, slots=True)
class OutputsCompared:
    """What a process gave against what another one gave.

    Attributes:
        values: How many tensors and other values were compared: outputs of each input's first call,
            what became of its tensors, gradients and buffers.
        differing: How many differ by more than `torch.testing` allows for their dtype.
        uncompared: How many are of a kind that cannot be compared.
        max_abs_error: The largest absolute difference; None where it is infinite or nothing is
            numeric.
        max_rel_error: The largest relative difference, likewise.
        first: What differs first, in one sentence, or an empty string.
    """

    values: int
    differing: int
    uncompared: int = 0
    max_abs_error: float | None = None
    max_rel_error: float | None = None
    first: str = ""

    @property
    def equal(self) -> bool | None:
        """Whether nothing differs; None where nothing could be compared."""
        return None if not self.values else not self.differing


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorTrial:
    """``inspector_trial``: a process that was tried out.

    Attributes:
        settings: The names of the settings that its torch has.
        backend: The backend, or an empty string where the file compiles its model itself.
        rounds: How many warm rounds were timed.
        warm_call_ns: Median wall time of a round: one call with each input.
        least_warm_call_ns: That of the fastest round.
        outputs: What it gave, compared; None where it was the first to run.
    """

    settings: tuple[str, ...]
    backend: str
    rounds: int
    warm_call_ns: int | None
    least_warm_call_ns: int | None
    outputs: OutputsCompared | None

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact's JSON payload.

        Raises:
            TypeError: It is no JSON object.
        """
        payload = envelope.json_object()
        settings = payload.get("settings")
        return cls(
            settings=tuple(map(str, settings)) if isinstance(settings, list) else (),
            backend=str(payload.get("backend", "")),
            rounds=natural(payload.get("rounds")) or 0,
            warm_call_ns=natural(payload.get("warm_call_ns")),
            least_warm_call_ns=natural(payload.get("least_warm_call_ns")),
            outputs=_outputs(payload.get("outputs")),
        )


def _outputs(fields: object) -> OutputsCompared | None:
    if not isinstance(fields, dict):
        return None
    return OutputsCompared(
        values=natural(fields.get("values")) or 0,
        differing=natural(fields.get("differing")) or 0,
        uncompared=natural(fields.get("uncompared")) or 0,
        max_abs_error=_number(fields.get("max_abs_error")),
        max_rel_error=_number(fields.get("max_rel_error")),
        first=str(fields.get("first", "")),
    )


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
