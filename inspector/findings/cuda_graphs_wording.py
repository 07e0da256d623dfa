"""What is said about CUDA graphs, as rows that every renderer shows alike."""

from __future__ import annotations

from inspector.findings.cuda_graphs_report import CudaGraphRow, CudaGraphsReport
from inspector.findings.escaping import one_line
from inspector.findings.wording import count, duration, listed, size

TITLES = ("calls", "replayed", "captured", "warm-up", "no graph", "copied in")
"""Of the columns of `row_cells`."""

_MOST_SIZES = 8


def cuda_graphs_headline(report: CudaGraphsReport) -> str:
    """All of it in one line."""
    captures = count(report.recordings, "CUDA graph") + " captured"
    if not report.rows:
        return captures
    parts = [captures]
    if report.calls:
        share = (report.replays or 0) / report.calls
        parts.append(f"{share:.0%} of {count(report.calls, 'call')} replayed")
    if report.pool_bytes is not None:
        parts.append(f"a pool of {size(report.pool_bytes)}")
    return ", ".join(parts)


def row_name(row: CudaGraphRow) -> str:
    """``0/0 Net.forward, backward``; inference needs no word."""
    named = " ".join(part for part in (row.compile_id, one_line(row.name)) if part)
    named = named or "a function without a compile id"
    return f"{named}, {row.mode}" if row.mode in {"forward", "backward"} else named


def row_cells(row: CudaGraphRow) -> tuple[str, ...]:
    """The numbers of a row; what nobody counted is a dash."""
    counts = (row.calls, row.replays, row.recordings, row.warmups, row.eager)
    copied = "-" if row.copied_bytes is None else size(row.copied_bytes)
    return (*("-" if number is None else f"{number:,}" for number in counts), copied)


def row_detail(row: CudaGraphRow) -> str:
    """What does not fit into columns, or an empty string."""
    parts = []
    if row.sizes:
        shown = [
            "(" + ", ".join(map(str, item)) + ")" if len(item) > 1 else str(item[0])
            for item in row.sizes
        ]
        parts.append(f"{count(len(shown), 'size')}: {listed(shown, _MOST_SIZES)}")
    if row.parts > 1:
        parts.append(f"{row.parts} parts")
    if row.capture_ns:
        parts.append(f"captures took {duration(row.capture_ns)}")
    return "; ".join(parts)
