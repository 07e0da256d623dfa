"""The page on CUDA graphs."""

from inspector.features.cuda_graphs.report import CudaGraphRow, CudaGraphsReport
from inspector.report.page import Column, Page, Section, Table, about, as_notes
from inspector.report.wording import count, duration, listed, size

_MOST_SIZES = 8
_COUNTS = ("calls", "replayed", "captured", "warm-up", "no graph", "copied in")


def page(report: CudaGraphsReport) -> Page:
    """What was captured, and how many calls replay it."""
    columns = (
        Column("function"),
        *(Column(title, "number") for title in _COUNTS),
        Column("", "below"),
    )
    rows = [
        (
            _name(row),
            *(
                # What was not counted is a dash.
                "-" if number is None else f"{number:,}"
                for number in (row.calls, row.replays, row.recordings, row.warmups, row.eager)
            ),
            "-" if row.copied_bytes is None else size(row.copied_bytes),
            _detail(row),
        )
        for row in report.rows
    ]
    return Page(
        "CUDA graphs",
        _headline(report),
        about(report.run),
        findings=report.findings,
        sections=(Section("", [Table(columns, rows, "function", limit=12)]),),
        notes=as_notes(report.notices),
        next_steps=report.next_steps,
    )


def _headline(report: CudaGraphsReport) -> str:
    captures = count(report.recordings, "CUDA graph") + " captured"
    if not report.rows:
        return captures
    parts = [captures]
    if report.calls:
        share = (report.replays or 0) / report.calls
        parts.append(f"{share:.0%} of {count(report.calls, 'call')} replayed")
    if report.pool_bytes is not None:
        parts.append(f"pool of {size(report.pool_bytes)}")
    return ", ".join(parts)


def _name(row: CudaGraphRow) -> str:
    """``0/0 Net.forward, backward``; inference needs no word."""
    named = " ".join(filter(None, (row.compile_id, row.name)))
    named = named or "function without a compile id"
    return f"{named}, {row.mode}" if row.mode in {"forward", "backward"} else named


def _detail(row: CudaGraphRow) -> str:
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
        parts.append(f"capture time {duration(row.capture_ns)}")
    return "; ".join(parts)
