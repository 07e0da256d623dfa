"""What recompiles next: single changes of inputs and state, the most likely ones first.

Every line is what `predict` says of a real change; nothing is told from the kind of a guard alone.
The order is a judgement, not a measurement: what has changed before, then what callers change
(sizes, numbers, lengths, flags), then what a program changes (modes, attributes, globals).
"""

import dataclasses
import itertools
import re
from collections.abc import Collection, Iterable, Iterator

from inspector.features.guards.candidates import Candidate, keys_of, value_candidates
from inspector.features.guards.change import Change, ChangeKind, having, of_value
from inspector.features.guards.predict import Effect, FrameGuards, predict
from inspector.features.guards.size_candidates import tensor_candidates
from inspector.records.recompiles import TensorFacts
from inspector.trace.guard_checks import EqualsCheck, LengthCheck
from inspector.trace.guard_source import Origin
from inspector.trace.guard_text import TextCause

_FLOAT = "<class 'float'>"
_RANKS = {
    kind: rank
    for rank, kind in enumerate(
        (
            ChangeKind.SIZE, ChangeKind.INT, ChangeKind.FLOAT, ChangeKind.ARGUMENTS,
            ChangeKind.LENGTH, ChangeKind.KEYS, ChangeKind.BOOL, ChangeKind.NONE, ChangeKind.STR,
            ChangeKind.ENUM, ChangeKind.ATTRIBUTE, ChangeKind.TRAINING, ChangeKind.GRAD_MODE,
            ChangeKind.DTYPE, ChangeKind.STRIDE, ChangeKind.CLOSURE,
            ChangeKind.FUNCTION, ChangeKind.GLOBAL,
        )
    )
}  # fmt: skip


@dataclasses.dataclass(frozen=True, slots=True)
class NextChange:
    """A change that triggers a recompilation, or makes a frame run eagerly.

    Attributes:
        source: Guarded value in torch's notation; none for thread state such as grad mode.
        text: Guarded value and the effect of a change, in one sentence.
        changed_before: Whether two cache entries of the frame differ in the guarded value.
        more: Number of similar guards (``training`` of other modules).
    """

    kind: ChangeKind
    source: str
    name: str
    text: str
    becomes: Effect
    changed_before: bool
    cause: TextCause | None
    more: int = 0
    change: Change | None = None


def next_changes(frame: FrameGuards, optional: Collection[str] = ()) -> tuple[NextChange, ...]:
    """The changes that lead to a compilation next, the most likely first."""
    found: list[NextChange] = []
    every = (
        tensor_candidates(frame),
        presence_candidates(frame, optional),
        value_candidates(frame),
    )
    for candidate in () if frame.is_skipped else itertools.chain(*every):
        change = candidate.change
        prediction = predict(frame, change)
        becomes = prediction.becomes
        if not prediction.recompiles and becomes is not Effect.EAGER:
            continue
        lead = "runs eagerly" if becomes is Effect.EAGER else "recompiles"
        if becomes is Effect.DYNAMIC and not candidate.is_dynamic:
            is_float = change.value is not None and change.value.type == _FLOAT
            lead += " and becomes dynamic" + (", unless a line needs its value" if is_float else "")
        found.append(
            NextChange(
                kind=change.kind,
                source=change.source,
                name=candidate.name,
                text=f"{candidate.fixed}: {candidate.other} {lead}",
                becomes=becomes,
                changed_before=_changed_before(frame, candidate),
                cause=candidate.cause,
                change=change,
            )
        )
    return tuple(sorted(_merged(found), key=_order))


def _order(item: NextChange) -> tuple[bool, bool, int]:
    # Settings of torch's own modules rarely change.
    file = item.cause.file if item.cause else ""
    is_of_torch = item.kind is ChangeKind.ATTRIBUTE and file.startswith("nn/modules/")
    return not item.changed_before, is_of_torch, _RANKS.get(item.kind, len(_RANKS))


def _changed_before(frame: FrameGuards, candidate: Candidate) -> bool:
    """Whether two entries expect another value, another size or another class of it."""
    change = candidate.change
    if candidate.is_dynamic:
        return False
    seen = {
        candidate.aspect(guard.check)
        for guard in frame.same_source(change.source)
        if change.source and isinstance(guard.check, TensorFacts | EqualsCheck | LengthCheck)
    }
    return candidate.has_changed or len(seen) > 1


def _merged(found: Iterable[NextChange]) -> Iterator[NextChange]:
    """The same of many modules (``training``, ``p``) as one line; each line once."""
    first: dict[tuple[object, ...], NextChange] = {}
    for item in found:
        is_own = item.kind in (ChangeKind.TRAINING, ChangeKind.ATTRIBUTE)
        attribute = item.source.rpartition(".")[2] if is_own else item.text
        key = (item.kind, attribute, item.name if not is_own else "", item.becomes)
        known = first.get(key)
        first[key] = item if known is None else dataclasses.replace(known, more=known.more + is_own)
    yield from first.values()


_ARGUMENT = re.compile(r"L\['(?P<name>\w+)'\]")
_ITEM = re.compile(r"(?P<container>L\[.+)\[(?P<key>'[^']*')\]")


def presence_candidates(frame: FrameGuards, optional: Collection[str]) -> Iterator[Candidate]:
    """Calls without a tensor that the last one had."""
    for guard in frame.entries[-1].guards:
        if not isinstance(guard.check, TensorFacts) or guard.origin is not Origin.INPUT:
            continue
        argument, item = _ARGUMENT.fullmatch(guard.source), _ITEM.fullmatch(guard.source)
        if argument and argument["name"] in optional:
            yield Candidate(
                of_value(ChangeKind.NONE, guard.source, None), guard.name,
                f"{guard.name} is a tensor", "None", guard.cause,
            )  # fmt: skip
        elif item and not keys_of(frame, item["container"]):  # all of its keys have a row
            key, container = item["key"], guard.name.removesuffix(f"[{item['key']}]")
            yield Candidate(
                having(ChangeKind.KEYS, item["container"], {key: False}, None), guard.name,
                f"{container} has {key}", "a call without it", guard.cause,
            )  # fmt: skip
