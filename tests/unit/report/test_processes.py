"""Findings over several processes."""

import dataclasses
from collections.abc import Iterator

from inspector.report.finding import Finding, Place
from inspector.report.processes import found_in, labels
from inspector.report.severity import Severity
from inspector.run.run import Run
from tests.unit.render.runs import broken


def ranks(*numbers: int | None) -> Run:
    """A run whose processes are one process, with other ranks and process ids."""
    run = broken()
    (process,) = run.processes
    processes = [
        dataclasses.replace(process, rank=rank, pid=100 + index)
        for index, rank in enumerate(numbers)
    ]
    return dataclasses.replace(run, processes=tuple(processes))


def check(run: Run) -> Iterator[Finding]:
    """One finding everywhere, twice in the first process, and one in rank 1 alone."""
    place = Place("model.py", 3)
    everywhere = Finding("rule", Severity.WARNING, "met", place, notes=("a note",))
    (process,) = run.processes
    yield everywhere
    if process.pid == 100:
        yield dataclasses.replace(everywhere, severity=Severity.ERROR)
    if process.rank == 1:
        yield dataclasses.replace(everywhere, message="another", place=Place("model.py", 4))


def test_equal_findings_are_one_with_the_records_of_all() -> None:
    both, again, one = found_in(ranks(0, 1), check)

    assert (both.message, both.records, both.processes) == ("met", 2, (0, 1))
    sentence = "in all 2 processes: rank 0, rank 1; the records of all of them are counted together"
    assert both.all_notes == ("a note", sentence)
    assert (again.severity, again.records, again.processes) == (Severity.ERROR, 1, (0,))
    assert again.also[-1] == "only in rank 0"
    assert (one.message, one.processes, one.also[-1]) == ("another", (1,), "only in rank 1")


def test_one_process_is_left_as_it_is() -> None:
    assert list(found_in(ranks(None), check)) == list(check(ranks(None)))


def test_a_worker_of_a_rank_is_told_by_its_process_id() -> None:
    assert labels(ranks(0, 1)) == ("rank 0", "rank 1")
    assert labels(ranks(0, 0, None)) == ("rank 0 (pid 100)", "rank 0 (pid 101)", "pid 102")
