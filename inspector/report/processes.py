"""Findings over several processes: what equal ranks meet is one finding that names them."""

import collections
import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence

from inspector.report.escaping import one_line
from inspector.report.finding import Finding
from inspector.report.wording import listed
from inspector.run.run import Run

_MOST_NAMED = 8


def labels(run: Run) -> tuple[str, ...]:
    """A short name for each process: its rank, else its process id; with the host of several.

    A worker that a rank started has that rank's number too, and is told by its process id.
    """
    several_hosts = len({process.host for process in run.processes}) > 1
    ranks = collections.Counter(process.rank for process in run.processes)
    found = []
    for process in run.processes:
        on_host = f" on {process.host}" if several_hosts and process.host else ""
        pid, rank = f"pid {process.pid}{on_host}", f"rank {process.rank}"
        if process.rank is None:
            found.append(one_line(pid))
        else:
            found.append(one_line(f"{rank} ({pid})" if ranks[process.rank] > 1 else rank))
    return tuple(found)


def observed(run: Run) -> tuple[int, ...]:
    """The processes that compiled something, or skipped it, by their index."""
    return tuple(index for index, item in enumerate(run.processes) if item.frames or item.skipped)


def found_in(run: Run, check: Callable[[Run], Iterable[Finding]]) -> Iterator[Finding]:
    """What a rule finds in each process; equal findings of several are one, with all records.

    Equal are findings of a rule at the same place with the same message. Two of them in one process
    stay two.
    """
    if len(run.processes) < 2:  # noqa: PLR2004 - with one process there is nothing to join
        yield from check(run)
        return
    groups: dict[tuple[object, ...], list[tuple[int, Finding]]] = {}
    for index, process in enumerate(run.processes):
        seen: collections.Counter[tuple[object, ...]] = collections.Counter()
        for finding in check(dataclasses.replace(run, processes=(process,))):
            place = finding.place
            key = (
                finding.rule, finding.fingerprint, finding.message, finding.gb_id,
                place.file, place.line, place.column,
            )  # fmt: skip
            seen[key] += 1
            groups.setdefault((*key, seen[key]), []).append((index, finding))
    named = labels(run)
    everyone = observed(run)
    for members in groups.values():
        yield _joined(members, named, everyone)


def _joined(
    members: Sequence[tuple[int, Finding]], named: Sequence[str], everyone: tuple[int, ...]
) -> Finding:
    where = tuple(index for index, _ in members)
    findings = [finding for _, finding in members]
    notes = tuple(dict.fromkeys(note for finding in findings for note in finding.notes))
    return dataclasses.replace(
        findings[0],
        severity=min((finding.severity for finding in findings), key=lambda item: item.rank),
        records=sum(finding.records for finding in findings),
        later=all(finding.later for finding in findings),
        notes=notes,
        also=(*findings[0].also, *_where(where, named, everyone)),
        processes=where,
    )


def _where(
    where: tuple[int, ...], named: Sequence[str], everyone: tuple[int, ...]
) -> Iterator[str]:
    """Where it was found, unless that is the one process that compiled anything."""
    names = listed([named[index] for index in where], _MOST_NAMED)
    if len(where) > 1:
        which = f"all {len(where)} processes" if set(where) >= set(everyone) else "some processes"
        yield f"in {which}: {names}; the records of all of them are counted together"
    elif where != everyone:
        yield f"only in {names}"
