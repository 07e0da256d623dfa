"""How ranks are named in sentences."""

from collections.abc import Iterator, Sequence

from inspector.features.ranks.report import RankRow
from inspector.run.run import Run


def ranks(run: Run, processes: Sequence[int]) -> str:
    """``rank 3``, ``ranks 0-3, 7``; processes without a rank by their index."""
    numbers = sorted(
        index if (rank := run.processes[index].rank) is None else rank for index in processes
    )
    return ("rank " if len(numbers) == 1 else "ranks ") + ", ".join(_spans(numbers))


def function_name(row: RankRow) -> str:
    """``step``, or ``step, compilation 2``."""
    return row.frame.name + (f", compilation {row.number + 1}" if row.number else "")


def _spans(numbers: Sequence[int]) -> Iterator[str]:
    begin = 0
    for end in range(1, len(numbers) + 1):
        if end == len(numbers) or numbers[end] != numbers[end - 1] + 1:
            first, last = numbers[begin], numbers[end - 1]
            yield from (f"{first}-{last}",) if last > first + 1 else map(str, numbers[begin:end])
            begin = end
