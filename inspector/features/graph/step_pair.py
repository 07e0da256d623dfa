"""Two steps with data in common, and what can be asked about them."""

import dataclasses
from collections.abc import Iterable

from inspector.features.graph.fusion import Fusion, Step
from inspector.features.graph.reasons import Reason
from inspector.features.graph.step_names import numbered
from inspector.records.fusion import Apart, Operation


@dataclasses.dataclass(frozen=True, slots=True)
class StepPair:
    """Two steps, and what torch said of them.

    Attributes:
        is_in_order: Whether torch named the earlier one first.
    """

    fusion: Fusion
    first: Step
    second: Step
    shared: tuple[str, ...]
    apart: Apart | None = None
    is_in_order: bool = True

    @property
    def is_passed_on(self) -> bool:
        """Whether the later one reads what the earlier one wrote."""
        written = self._roots(self.first.writes)
        return any(self.fusion.memory.root(name) in written for name in self.shared)

    @property
    def is_in_cpp(self) -> bool:
        """Whether both are kernels in C++."""
        return self.first.name.startswith("cpp_")

    def operations(self, step: Step) -> list[Operation]:
        """What became that step."""
        return self.fusion.operations_of(step)

    def needed(self) -> list[Step]:
        """What the later one needs of all before, through whatever stands between."""
        steps = self.fusion.steps
        names = self._roots(self.second.reads)
        found = []
        for step in reversed(steps[: steps.index(self.second)]):
            if not names.isdisjoint(self._roots(step.writes)):
                names |= self._roots(step.reads)
                found.append(step)
        return found

    def has_step_between(self) -> bool:
        """Whether another step needs the earlier one and is needed by the later one."""
        written = self._roots(self.first.writes)
        return any(
            not written.isdisjoint(self._roots(step.reads))
            for step in self.needed()
            if step is not self.first
        )

    def _roots(self, names: Iterable[str]) -> set[str]:
        return {self.fusion.memory.root(name) for name in names}

    def reason(self, reason: Reason) -> Reason:
        """The reason about these two, the earlier one first."""
        sentence = reason.between(
            numbered(self.fusion, self.first), numbered(self.fusion, self.second)
        )
        return dataclasses.replace(reason, sentence=sentence)
