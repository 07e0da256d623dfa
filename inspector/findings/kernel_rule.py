"""Rules about compiled kernels."""

from __future__ import annotations

import abc
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence

from inspector.findings.finding import Finding, Place
from inspector.findings.rule import Documented
from inspector.model.cost import Cost, CostKind
from inspector.model.kernel_facts import ConfigFacts, KernelFacts
from inspector.model.kernel_prediction import Bound

PlaceOf = Callable[[KernelFacts], Place]
"""Where in the user's source a kernel comes from."""

_LEAST_NS = 5_000


@dataclasses.dataclass(frozen=True, slots=True)
class Advised:
    """What a rule says of one kernel.

    Attributes:
        message: What was found, in one sentence without a full stop, behind the kernel's name.
        why: Why it happened.
        fix: What to do, the best advice first.
        alternatives: What else can be done.
        notes: Further facts.
        at_stake_ns: Predicted time of one launch that it costs, or None where nobody can say.
    """

    message: str
    why: str
    fix: str
    alternatives: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    at_stake_ns: int | None = None


class KernelRule(Documented, is_kind=True):
    """Something that can be found in the kernels of a model."""

    @abc.abstractmethod
    def check(self, kernels: Sequence[KernelFacts], place_of: PlaceOf) -> Iterable[Finding]:
        """What this rule finds.

        Args:
            kernels: The kernels in the order in which they are launched.
            place_of: Where in the user's source a kernel comes from.
        """

    def finding(self, kernel: KernelFacts, place: Place, advised: Advised) -> Finding:
        """A finding about one kernel; what it costs is predicted."""
        cost = None
        if advised.at_stake_ns is not None:
            cost = Cost(
                kind=CostKind.COMPUTED,
                cost_ns=advised.at_stake_ns * kernel.launches,
                executions_per_call=kernel.launches,
                note="predicted, not measured",
            )
        return Finding(
            rule=self.id,
            severity=self.severity,
            message=f"{kernel.build.name} {advised.message}",
            place=place,
            why=advised.why,
            fix=advised.fix,
            alternatives=advised.alternatives,
            notes=advised.notes,
            fingerprint=f"{self.id}:{kernel.build.name}",
            evidence="compiled kernel",
            cost=cost,
        )


class OneKernelRule(KernelRule, is_kind=True):
    """A rule that looks at one kernel at a time."""

    def check(self, kernels: Sequence[KernelFacts], place_of: PlaceOf) -> Iterator[Finding]:
        """At most one finding for each kernel that takes long enough to matter."""
        for kernel in kernels:
            advised = self.look(kernel) if matters(kernel) else None
            if advised is not None:
                yield self.finding(kernel, place_of(kernel), advised)

    @abc.abstractmethod
    def look(self, kernel: KernelFacts) -> Advised | None:
        """What there is to say of a kernel, or None.

        What does not hold for all configurations is no fault of the kernel's: the device chooses
        the best of them.
        """


def matters(kernel: KernelFacts) -> bool:
    """Whether a kernel has configurations, and a predicted time that mending could shorten.

    A kernel whose time nobody knows matters.
    """
    if not kernel.configs:
        return False
    if all(_is_small(facts) for facts in kernel.configs):
        return False
    return kernel.time_ns is None or kernel.time_ns >= _LEAST_NS


def _is_small(facts: ConfigFacts) -> bool:
    return facts.prediction is not None and facts.prediction.bound is Bound.SMALL
