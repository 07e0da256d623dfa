"""The guards of a cache entry, typed: what torch assumes, of which value, because of which line."""

from __future__ import annotations

import dataclasses

from inspector.events.guard_checks import Check, MarkCheck, parse_check
from inspector.events.guard_text import TextCause, TextGuard, TextManager, parse_guards
from inspector.events.payload import Payload
from inspector.model.guard_source import Origin, origin_of, spelled


@dataclasses.dataclass(frozen=True, slots=True)
class Manager:
    """A value that guards look at, with the values reached from it below it.

    Attributes:
        number: Its place in the tree's list.
        parent: Its parent's number; -1 for the root.
        source: Torch's spelling of where the value comes from, or an empty string (the root).
        name: The user's spelling (``self.layers[3].weight``).
        accessor: How torch fetches it, or an empty string.
        value_type: Its class as torch prints it, or an empty string.
        pair: Which item of the dict above it is the key or the value of, or None.
    """

    number: int
    parent: int
    kind: str
    source: str
    name: str
    accessor: str
    value_type: str
    pair: int | None


@dataclasses.dataclass(frozen=True, slots=True)
class Guard:
    """One guard.

    Attributes:
        manager: Number of the manager whose value it checks.
        kind: Torch's kind (``TENSOR_MATCH``).
        source: Torch's spelling of the value; empty for the state of the thread and for relations.
        code: What torch prints for it.
    """

    manager: int
    kind: str
    source: str
    name: str
    origin: Origin
    check: Check
    code: str
    cause: TextCause | None


@dataclasses.dataclass(frozen=True, slots=True)
class GuardTree:
    """The guards of one cache entry.

    Attributes:
        managers: Parents before children; the first is the root.
        guards: In the order in which they are checked.
        latency_ns: Torch's own figure: one evaluation with cold caches of the processor; or None.
        unknown: Lines that could not be read, as they are.
    """

    managers: tuple[Manager, ...]
    guards: tuple[Guard, ...]
    latency_ns: int | None
    unknown: tuple[str, ...]


def read_guards(payload: Payload) -> GuardTree:
    """Reads a tree out of its log.

    Raises:
        OSError: The log is gone.
    """
    text = parse_guards(payload.text())
    sources = [manager.source for manager in text.managers]
    guards: list[Guard] = []
    for item in text.guards:
        guard = _guard(item, "" if item.is_epilogue or not sources else sources[item.manager])
        joined = _joined(guards[-1], guard) if guards else None
        if joined is None:
            guards.append(guard)
        else:
            guards[-1] = joined
    managers = tuple(_manager(number, item) for number, item in enumerate(text.managers))
    return GuardTree(managers, tuple(guards), text.latency_ns, text.unknown)


def _guard(item: TextGuard, source: str) -> Guard:
    return Guard(
        manager=item.manager,
        kind=item.kind,
        source=source,
        name=spelled(source),
        origin=origin_of(source),
        check=parse_check(item.kind, item.code, source),
        code=item.code,
        cause=item.cause,
    )


def _joined(one: Guard, other: Guard) -> Guard | None:
    """One guard where torch 2.13 prints a line for each mark that it looks for, else None."""
    match one.check, other.check:
        case MarkCheck(marks=marks), MarkCheck(marks=more) if one.manager == other.manager:
            code = f"{one.code} and {other.code}"
            return dataclasses.replace(one, check=MarkCheck((*marks, *more)), code=code)
    return None


def _manager(number: int, item: TextManager) -> Manager:
    return Manager(
        number=number,
        parent=item.parent,
        kind=item.kind,
        source=item.source,
        name=spelled(item.source),
        accessor=item.accessor,
        value_type=item.value_type,
        pair=item.pair,
    )
