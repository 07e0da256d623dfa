"""The page on ranks."""

from inspector.features.ranks.report import RankRow, RanksReport
from inspector.features.ranks.wording import function_name, ranks
from inspector.report.page import Cell, Column, Page, Section, Table, about
from inspector.report.wording import count, duration


def page(report: RanksReport) -> Page:
    """Which ranks differ, what they compiled, and who waits for whom."""
    differing = [row for row in report.rows if not row.is_equal]
    return Page(
        "ranks",
        _headline(report),
        about(report.run),
        findings=report.findings,
        sections=(
            Section("Ranks", [_ranks(report)]),
            Section("Differing compilations", [_rows(report, differing)]),
            Section("Compilations", [_rows(report, report.rows)], is_detail=True),
            Section("Collectives", [_collectives(report)], is_detail=True),
            *_estimates(report),
        ),
        next_steps=report.next_steps,
    )


def _headline(report: RanksReport) -> str:
    number = count(len(report.ranks), "rank")
    if not report.rows:
        return f"{number}: nothing was compiled"
    slowest = max(report.ranks, key=lambda item: item.compile_time_ns)
    took = f"compile time up to {duration(slowest.compile_time_ns)}"
    if len(report.ranks) == 1:
        return f"{number}: {count(len(report.rows), 'compilation')}, {took}"
    differing = sum(not row.is_equal for row in report.rows)
    total = count(len(report.rows), "compilation")
    if not differing:
        return f"{number} agree: {total} on each, {took}"
    wait_ns = max(item.wait_ns for item in report.ranks)
    waits = f"a rank waits up to {duration(wait_ns)} for slower ones (estimate)"
    return f"{number} differ in {differing} of {total}, {took}; {waits}"


def _ranks(report: RanksReport) -> Table:
    """The slowest first: the others wait for it."""
    columns = ("rank", "compilations", "breaks", "compile time", "waits", "begins", "cache hits")
    rows = [
        (
            item.name,
            f"{item.compilations:,}",
            f"{item.graph_breaks:,}",
            duration(item.compile_time_ns),
            duration(item.wait_ns),
            "-" if item.begin_ns is None else f"+{duration(item.begin_ns)}",
            f"{item.cache_hits} of {item.cache_hits + item.cache_misses}",
        )
        for item in sorted(report.ranks, key=lambda item: -item.compile_time_ns)
    ]
    titles = (Column(columns[0]), *(Column(title, "number") for title in columns[1:]))
    return Table(titles, rows, "rank")


def _rows(report: RanksReport, rows: list[RankRow] | tuple[RankRow, ...]) -> Table:
    columns = (
        Column("function"),
        Column("ranks"),
        Column("slowest", "number"),
        Column("others wait", "number"),
        Column("differs in"),
    )
    return Table(columns, [_cells(report, row) for row in rows], "compilation")


def _estimates(report: RanksReport) -> list[Section]:
    """What calls take by Inductor's cost model: the largest difference between ranks first."""
    found = []
    for row in report.rows:
        known = [item for item in row.compilations if item.run_ns is not None]
        if known:
            least, most = (pick(known, key=lambda item: item.run_ns or 0) for pick in (min, max))
            found.append(((most.run_ns or 0) - (least.run_ns or 0), row, least, most))
    found = [item for item in found if item[3].run_ns]  # of a CPU the model says nothing
    found.sort(key=lambda item: -item[0])
    rows = [
        (
            function_name(row),
            f"{duration(most.run_ns or 0)} on {ranks(report.run, [most.process])}",
            duration(least.run_ns or 0),
            duration(difference),
            duration(most.collectives_ns or 0),
        )
        for difference, row, least, most in found
    ]
    columns = (
        Column("function"),
        Column("slowest"),
        Column("fastest", "number"),
        Column("difference", "number"),
        Column("in collectives", "number"),
    )
    title = "Graph run time (estimated by Inductor)"
    return [Section(title, [Table(columns, rows, "graph")])] if rows else []


def _cells(report: RanksReport, row: RankRow) -> tuple[Cell, ...]:
    run = report.run
    have = [item.process for item in row.compilations]
    shown = f"{run.roots.shown(row.frame.file)}:{row.frame.first_line}"
    return (
        f"{function_name(row)} ({shown})",
        "all" if not row.missing else ranks(run, have),
        duration(row.slowest.time_ns),
        duration(row.wait_ns),
        ", ".join(item.aspect.value for item in row.differences)
        or ("ranks" if row.missing else ""),
    )


def _collectives(report: RanksReport) -> Table:
    """The schedule of each graph that has one, as the first rank of a row logged it."""
    rows = []
    for row in report.rows:
        for item in row.compilations:
            schedule = report.run.processes[item.process].collectives.get(item.compile_id)
            if schedule:
                names = [name.removesuffix(".default").rpartition(".")[2] for name in schedule]
                rows.append(
                    (function_name(row), ranks(report.run, [item.process]), ", ".join(names))
                )
                break
    columns = (Column("function"), Column("logged by"), Column("in order", "code"))
    return Table(columns, rows, "graph")
