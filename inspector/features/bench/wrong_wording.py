"""What is wrong with the results of a setting, in sentences."""

from collections.abc import Sequence

from inspector.features.bench.rows import BenchRow
from inspector.records.bench import OutputError
from inspector.report.value_names import value_named
from inspector.shared.result_names import AFTER

_SCALES = {
    "itself": "its largest element",
    "family": "the largest element among results of the same kind (outputs, gradients, …)",
    "rounding": "the rounding error of eager",
}


def wrong_line(rows: Sequence[BenchRow], where: str = "", eagers: Sequence[BenchRow] = ()) -> str:
    """What is off, and by how much.

    Args:
        rows: A setting with the inputs whose results are wrong.
        eagers: Eager PyTorch with these inputs, whose own error is shown alongside.
    """
    eager = [(row, error) for row in rows for error in row.errors if error.reference == "eager"]
    errors = [error for row, error in eager if error.name in row.wrong]
    errors = errors or [error for _, error in eager]
    worst = max(errors, key=lambda error: error.relative, default=None)
    said = f": {_off(worst)}{_own(worst, eagers)}" if worst is not None else ""
    return f"{rows[0].setting.label} gives wrong results{where}{said}"


def _off(error: OutputError) -> str:
    name = value_named(error.name)
    if error.has_number:
        return f"{name} is off by {error.relative:.0e} times {_SCALES[error.scale]}"
    changed, after, call = name.partition(AFTER)
    if after and not error.mine:
        return f"{changed} is not changed by {call}, but eager changes it"
    if after and not error.theirs:
        return f"{changed} is changed by {call}, but eager does not change it"
    if not error.mine:
        return f"{name} is missing ({error.theirs} in eager)"
    if not error.theirs:
        return f"{name} is {error.mine}, but eager returns nothing"
    return f"{name} is {error.mine} instead of {error.theirs}"


def _own(error: OutputError, eagers: Sequence[BenchRow]) -> str:
    """What eager PyTorch is off by there: wrong is what that does not explain."""
    same = (error.name, error.scale)
    own = [
        each for row in eagers for each in row.errors
        if (each.name, each.scale) == same and each.reference == "float64" and each.has_number
    ]  # fmt: skip
    if not own or not error.has_number or error.scale == "rounding":
        return ""
    return f" (eager: {own[0].relative:.0e} from float64)"
