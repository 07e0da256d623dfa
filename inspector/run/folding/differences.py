"""Everything in which a call differs from what a cache entry wants.

Torch reports the first guard of an entry that failed, and behind it further ones would have: the
second input of the same batch, the container beside the counter. What was compiled instead has
guards on the call's own values, and the entry's guards are evaluated on those.
"""

import dataclasses
import re
from collections.abc import Iterator

from inspector.records.recompiles import SeenValue, TensorFacts
from inspector.run.cache_entries.entry import Entry, is_inside
from inspector.run.cache_entries.evaluate import own_keys, passes
from inspector.run.cache_entries.relation import identity, normal
from inspector.run.cache_entries.state import State, Value, state_after
from inspector.run.folding.failing_checks import SIZED, changes_of
from inspector.run.folding.recompile_facts import CompileFacts
from inspector.run.recompile import Change, RecompileClass
from inspector.trace.failed_guard import stripped_source
from inspector.trace.guard_checks import ContainsCheck, RelationCheck
from inspector.trace.guard_trees import Guard

_C = RecompileClass
_MOST = 64
# Of another object, what it holds is other, too.
_WHOLE = frozenset({_C.TYPE, _C.NONE, _C.OBJECT, _C.FUNCTION, _C.ENUM})
# All modules have the flag, and all tensors see the thread's state: once is enough.
_ONCE = frozenset({_C.TRAINING, _C.MARKS})
CAN_BE_DYNAMIC = frozenset({_C.SIZE, _C.STRIDE, _C.INT, _C.FLOAT, _C.TYPE, _C.SYMBOLIC_SHAPE})


def called_with(facts: CompileFacts, like: Entry | None) -> State | None:
    """What a call came with, as far as what was compiled for it and the process tell.

    Args:
        like: A cache entry; where nothing was compiled (the limit is reached), the values that the
            process did not look at are taken to be this entry's.
    """
    own = facts.entry()
    entry = own or like
    if entry is None:
        return None
    state = state_after([entry])
    values = dict(state.values)
    for name, seen in facts.seen.now.items() if facts.seen else ():
        source = _source_of(name, entry)
        if own is None or source not in values:
            values[source] = _with(values.get(source, Value()), seen)
    return dataclasses.replace(state, values=values)


def differences(entry: Entry, state: State, facts: CompileFacts) -> tuple[Change, ...]:
    """What an entry wants otherwise than a call has it, in the order of its guards."""
    found: dict[tuple[RecompileClass, str, int | str | None], Change] = {}
    whole: list[str] = []
    for guard in (*entry.guards, *_of_other_name(entry, state)):
        if passes(guard, state) is not False or is_inside(guard.source, whole):
            continue
        for change in changes_of(guard, state):
            source = "" if change.kind in _ONCE else change.source
            # A dimension, or one of the keys that the code asks for.
            part = guard.check.item if isinstance(guard.check, ContainsCheck) else change.index
            key = (change.kind, source, part)
            if change.source in whole or key in found or len(found) >= _MOST:
                continue
            found[key] = _answered(change, facts)
            whole += [change.source] if change.kind in _WHOLE else []
    return tuple(found.values())


def _of_other_name(entry: Entry, state: State) -> Iterator[Guard]:
    """Of what was one tensor and is two in the call: guards that stand on one name alone."""
    for guard in entry.guards:
        pair = identity(guard.check.expression) if isinstance(guard.check, RelationCheck) else None
        if pair is None or passes(guard, state) is not False:
            continue
        known = [
            other
            for other in entry.guards
            if isinstance(other.check, TensorFacts) and normal(other.source) in pair
        ]
        for source in pair - {normal(other.source) for other in known}:
            yield from (dataclasses.replace(other, source=source) for other in known)


def _source_of(name: str, entry: Entry) -> str:
    """A source as guards spell it; reasons leave ``L[…]`` out."""
    for guard in entry.guards:
        if guard.source and stripped_source(guard.source) == name:
            return normal(guard.source)
    match = re.match(r"([A-Za-z_]\w*)(.*)", name, re.DOTALL)
    if match is None or match[1] in {"G", "L"}:
        return name
    return normal(f"L['{match[1]}']{match[2]}")


def _with(value: Value, seen: SeenValue) -> Value:
    """A value as the process saw it, in place of a known one."""
    if seen.tensor is not None:
        # What is on the tensor alone is without the thread's dispatch keys.
        tensor, known = seen.tensor, value.tensor
        if known and set(own_keys(known.keys)) == set(own_keys(tensor.keys)):
            tensor = dataclasses.replace(tensor, keys=known.keys)
        return Value(tensor=tensor)
    if seen.kind == "container":
        return dataclasses.replace(value, type=f"<class '{seen.type}'>", length=seen.length)
    text = seen.text if seen.kind in {"none", "bool", "int", "float", "str", "constant"} else None
    kind = "" if seen.kind in {"tensor", "enum"} else f"<class '{seen.type}'>"
    found = seen if seen.identity else None
    return Value(type=kind, text=text, identity=seen.identity, seen=found)


def _answered(change: Change, facts: CompileFacts) -> Change:
    """With what became of it: symbolic in what was compiled instead, or made a constant there."""
    if change.kind not in CAN_BE_DYNAMIC:
        return change
    wanted = {change.source, f"{change.source}.item()"}
    if change.kind is _C.SIZE:
        wanted = {f"{change.source}.size()[{change.index}]"}
    elif change.kind is _C.STRIDE:
        wanted = {f"{change.source}.stride()[{change.index}]"}
    elif change.kind is _C.SYMBOLIC_SHAPE:
        wanted = {match[0] for match in SIZED.finditer(change.source)}
    found = wanted & {symbol.source for symbol in facts.created()}
    constants = [special.value for source in found if (special := facts.specialized(source))]
    return dataclasses.replace(
        change,
        is_dynamic=bool(found) and not constants,
        specialized=constants[0] if constants else None,
    )
