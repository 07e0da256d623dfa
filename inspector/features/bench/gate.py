"""What ``inspect bench --fail-on`` fails on, and whether it does."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from inspector.features.bench.rows import BenchRow
from inspector.report.escaping import one_line
from inspector.report.wording import count

BENCH_GATES: Mapping[str, Callable[[BenchRow], bool]] = {
    "wrong": lambda row: row.is_wrong,
    "slower": lambda row: row.faster is not None and row.faster.high < 1,
}
"""What can be failed on: whether a row is that."""


def bench_gate(
    models: Sequence[tuple[str, Sequence[BenchRow]]], asked: tuple[str, ...]
) -> tuple[bool, str]:
    """Whether what was measured passes, and that in a sentence without a full stop.

    What could not be measured fails, whatever is asked for: nobody knows whether it is wrong. Rows
    of eager PyTorch are what others are held against; where it fails, nothing can be measured.

    Args:
        models: The rows of each model, by what it is called; of one model that is nothing.
    """
    failing = {kind: list(_found(models, BENCH_GATES[kind])) for kind in asked}
    failing["not measured"] = [
        *_found(models, lambda row: row.latency is None or row.fails_later),
        *(name for name, rows in models if not rows),
    ]
    option = f"(--fail-on {','.join(asked)})"
    parts = [f"{kind}: {', '.join(rows)}" for kind, rows in failing.items() if rows]
    if parts:
        return False, one_line(f"failed: {'; '.join(parts)} {option}")
    return True, f"passed: nothing is {' or '.join(asked)} {option}"


def _found(
    models: Sequence[tuple[str, Sequence[BenchRow]]], is_it: Callable[[BenchRow], bool]
) -> Iterator[str]:
    """The settings with rows of which that is so, and of how many of the inputs."""
    for name, rows in models:
        compiled = [row for row in rows if not row.setting.is_eager]
        labels = [
            " · ".join(filter(None, (row.setting.label, row.workload.label))) for row in compiled
        ]
        for label in dict.fromkeys(labels):
            mine = [row for row, its in zip(compiled, labels, strict=True) if its == label]
            these = sum(map(is_it, mine))
            if these:
                some = f" ({these:,} of {count(len(mine), 'input')})" if len(mine) > 1 else ""
                yield f"{f'{name}: ' if name else ''}{label}{some}"
