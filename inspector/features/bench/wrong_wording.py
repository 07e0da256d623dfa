"""What is wrong with the results of a setting, in sentences."""

from collections.abc import Iterator, Sequence

from inspector.features.bench.rows import BenchRow
from inspector.records.bench import Divergence, OutputError
from inspector.report.value_names import value_named
from inspector.shared.result_names import AFTER, AGAIN

_SCALES = {
    "itself": "its largest element",
    "family": "the largest element among results of the same kind (outputs, gradients, …)",
    "rounding": "the rounding error of eager",
}


def wrong_lines(
    rows: Sequence[BenchRow], where: str = "", eagers: Sequence[BenchRow] = ()
) -> Iterator[str]:
    """What is off, by how much, and at which operator.

    Args:
        rows: A setting with the inputs whose results are wrong.
        eagers: Eager PyTorch with these inputs, whose own error is shown alongside.
    """
    label, divergence = rows[0].setting.label, rows[0].divergence
    eager = [(row, error) for row in rows for error in row.errors if error.reference == "eager"]
    errors = [error for row, error in eager if error.name in row.wrong]
    errors = errors or [error for _, error in eager]
    worst = max(errors, key=lambda error: error.relative, default=None)
    said = f": {_off(worst)}{_own(worst, eagers)}" if worst is not None else ""
    yield f"{label} gives wrong results{where}{said}"
    if divergence is not None:
        yield _diverged(divergence, rows)


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


def _diverged(found: Divergence, rows: Sequence[BenchRow]) -> str:
    if found.failure:
        return f"the first divergent operator was not found: {found.failure}"
    if not found.operator:
        return f"every forward graph is correct on its own: {_elsewhere(rows)}"
    place = f" ({found.file.rpartition('/')[2]}:{found.line}: {found.code})" if found.line else ""
    return f"first divergent operator: {found.operator}{place}, {found.at} of {found.operators}"


def _elsewhere(rows: Sequence[BenchRow]) -> str:
    """Where what is wrong may come from, if no graph of the forward pass is wrong alone."""
    row = rows[0]
    graphs = row.compiled.graphs if row.compiled is not None else 0
    places = [
        "the backward pass" if row.workload.train else "",
        "the optimizer's step" if row.setting.compiles_optimizer else "",
        "code between the graphs" if graphs > 1 else "",
    ]
    known = list(filter(None, places))
    is_late = all(AGAIN in name for each in rows for name in each.wrong)
    if is_late and not row.setting.compiles_optimizer:  # parameters are looked at then alone
        return "only later calls are wrong, not the first"
    if not known:
        return "check how the program uses the graphs' results"
    *first, last = known
    return f"check {', '.join(first)} or {last}" if first else f"check {last}"
