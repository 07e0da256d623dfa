"""What is found out while compiling for a GPU that is not there, beyond the code itself."""

from __future__ import annotations

import dataclasses

__all__ = ["Notes"]


@dataclasses.dataclass(slots=True)
class Notes:
    """What is to be said of the graph that is being compiled.

    Attributes:
        measured: Decisions for which torch measures on the device, each with what was taken
            instead and what else there is.
        attention: The kernels that were chosen for scaled_dot_product_attention, in order.
    """

    measured: list[dict[str, object]] = dataclasses.field(default_factory=list)
    attention: list[str] = dataclasses.field(default_factory=list)

    def decision(self, what: str, detail: str, taken: str, candidates: list[str]) -> None:
        """Notes a decision that the device would make."""
        found: dict[str, object] = {
            "what": what, "detail": detail, "taken": taken, "candidates": candidates,
        }  # fmt: skip
        if found not in self.measured:
            self.measured.append(found)

    def taken(self) -> Notes:
        """What was noted since the last time."""
        result = dataclasses.replace(self)
        self.measured, self.attention = [], []
        return result
