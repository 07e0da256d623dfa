"""The numbers of compiled code against those of eager PyTorch, or of two revisions."""

import dataclasses

from inspector.records.numerics import NumericError, Numerics
from inspector.report.command_line import command_again
from inspector.run.run import Run

BEFORE = "before"
"""The setting of a recording of two revisions that names the earlier one."""
FORMAT_VERSION = 1
"""Of a report on numbers as JSON: counts up when a field changes its meaning or goes."""


@dataclasses.dataclass(frozen=True, slots=True)
class NumericsReport:
    """What `inspect numerics` found, for each input."""

    run: Run
    inputs: tuple[Numerics, ...]
    next_steps: tuple[str, ...] = ()

    @property
    def before(self) -> str:
        """The earlier of two revisions; empty where compiled code is compared."""
        return str(self.run.meta.settings.get(BEFORE) or "")

    @property
    def differs(self) -> bool:
        """Whether any result differs by more than rounding."""
        return any(error.is_off for item in self.inputs for error in item.results)

    @property
    def worst(self) -> NumericError | None:
        """The result that is off most, of those that differ if any does."""
        errors = [error for item in self.inputs for error in item.results]
        differing = [error for error in errors if error.is_off] or errors
        return max(differing, key=lambda error: error.absolute, default=None)


def make_numerics_report(run: Run) -> NumericsReport:
    """Reads what the recorded process compared."""
    report = NumericsReport(run, tuple(run.records(Numerics)))
    is_compiled = report.differs and not report.before
    steps = (command_again(run, "repro"),) if is_compiled else ()
    return dataclasses.replace(report, next_steps=steps)
