"""What the guards of a frame say about the values that it was called with last."""

import ast
import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence

from inspector.records.recompiles import SeenValue, TensorFacts
from inspector.run.cache_entries.entry import Entry, is_inside
from inspector.run.cache_entries.relation import equality, evaluated, identity, normal
from inspector.trace import guard_checks as checks
from inspector.trace.guard_trees import Guard

_DEFAULT_DEVICE = "DEFAULT_DEVICE"
_NO_LITERALS = frozenset({"inf", "-inf", "nan"})


@dataclasses.dataclass(frozen=True, slots=True)
class Value:
    """What is known of a value.

    Attributes:
        items: Whether it has an attribute or item, by the guard's spelling.
        seen: What the process saw of an object that guards know by its address, or None.
    """

    type: str = ""
    identity: str = ""
    text: str | None = None
    length: int | None = None
    tensor: TensorFacts | None = None
    items: Mapping[str, bool] = dataclasses.field(default_factory=dict)
    seen: SeenValue | None = None


_NOTHING = Value()


@dataclasses.dataclass(frozen=True, slots=True)
class State:
    """Everything that guards look at.

    Attributes:
        thread: The state of the thread by torch's names, and ``default_device``.
        gone: Sources that no longer exist, with all that is reached from them.
        changed: Values that a change put in the place of those in ``values``.
        renewed: Sources that lead to another object: nothing is known of what is inside.
    """

    values: Mapping[str, Value]
    thread: Mapping[str, object]
    gone: frozenset[str] = frozenset()
    same: frozenset[frozenset[str]] = frozenset()
    changed: Mapping[str, Value] = dataclasses.field(default_factory=dict)
    renewed: frozenset[str] = frozenset()

    def value(self, source: str) -> Value:
        """What is known of a source, in its normal spelling."""
        if source in self.changed:
            return self.changed[source]
        if self.renewed and is_inside(source, self.renewed):
            return _NOTHING
        return self.values.get(source, _NOTHING)

    def is_gone(self, source: str) -> bool:
        """Whether a source can no longer be reached."""
        return bool(self.gone) and (source in self.gone or is_inside(source, self.gone))

    def number(self, expression: str) -> int | float | bool | None:
        """The value of a source, or of one of its sizes (``L['x'].size()[0]``), or None."""
        for what in ("size", "stride"):
            source, found, index = expression.partition(f".{what}()[")
            if found and index[:-1].isdecimal():
                tensor = self.value(source).tensor
                numbers: Sequence[int | None] = getattr(tensor, what) if tensor else ()
                return numbers[int(index[:-1])] if int(index[:-1]) < len(numbers) else None
        try:
            value = ast.literal_eval(self.value(expression).text or "")
        except (ValueError, SyntaxError):
            return None
        return value if isinstance(value, int | float) else None


def state_after(entries: Iterable[Entry]) -> State:
    """The values that a frame was compiled for last, as far as its guards tell them."""
    values: dict[str, Value] = {}
    thread: dict[str, object] = {}
    same: frozenset[frozenset[str]] = frozenset()
    for entry in entries:
        newest: dict[str, Value] = {}
        same = frozenset(_same(entry.guards))
        for guard in entry.guards:
            _take(newest, thread, guard, entry.symbols)
        for expression, number in entry.symbols.items():
            source = normal(expression)
            if ".size()" not in source and ".stride()" not in source:
                known = newest.get(source, Value())
                newest[source] = dataclasses.replace(known, text=repr(number))
        _solve(newest, thread, entry.guards)
        values |= newest
    return State(values, thread, same=same)


def _same(guards: Iterable[Guard]) -> Iterator[frozenset[str]]:
    """Pairs of sources that are one object."""
    for guard in guards:
        match guard.check:
            case checks.RelationCheck(expression=text):
                pair = identity(text)
                if pair is not None:
                    yield pair


def _take(
    values: dict[str, Value], thread: dict[str, object], guard: Guard, symbols: Mapping[str, float]
) -> None:
    check = guard.check
    if isinstance(check, checks.GlobalStateCheck):
        thread |= check.state
    elif guard.kind == _DEFAULT_DEVICE and isinstance(check, checks.OtherCheck):
        thread["default_device"] = check.text
    elif guard.source:
        source = normal(guard.source)
        values[source] = _with(values.get(source, Value()), check, guard.source, symbols)


def _with(  # noqa: PLR0911 - one per kind of check
    value: Value, check: checks.Check, source: str, symbols: Mapping[str, float]
) -> Value:
    match check:
        case TensorFacts():
            return dataclasses.replace(value, tensor=_tensor(check, source, symbols))
        case checks.EqualsCheck():
            kind = f"<class '{type(check.value).__name__}'>" if check.is_literal else value.type
            kind = "<class 'float'>" if check.text in _NO_LITERALS else kind
            return dataclasses.replace(value, text=check.text, type=kind)
        case checks.TypeCheck():
            return dataclasses.replace(value, type=check.type)
        case checks.IdCheck():
            return dataclasses.replace(value, identity=check.id, seen=check.seen)
        case checks.LengthCheck():
            return dataclasses.replace(value, length=check.length)
        case checks.ContainsCheck():
            return dataclasses.replace(value, items={**value.items, check.item: check.expected})
    return value


def _tensor(check: TensorFacts, source: str, symbols: Mapping[str, float]) -> TensorFacts:
    def known(what: str, numbers: tuple[int | None, ...]) -> tuple[int | None, ...]:
        found = (symbols.get(f"{source}.{what}()[{i}]") for i in range(len(numbers)))
        return tuple(
            number if number is not None else None if hint is None else int(hint)
            for number, hint in zip(numbers, found, strict=True)
        )

    size, stride = known("size", check.size), known("stride", check.stride)
    return dataclasses.replace(check, size=size, stride=stride)


def _solve(values: dict[str, Value], thread: Mapping[str, object], guards: Sequence[Guard]) -> None:
    """Fills in sizes that a relation says are equal to known ones."""
    state = State(values, thread)
    relations = [guard.check for guard in guards if isinstance(guard.check, checks.RelationCheck)]
    pairs = [pair for check in relations if (pair := equality(check.expression))]
    for one, other in [*pairs, *((right, left) for left, right in pairs)] * 2:
        number = evaluated(other, state.number)
        if isinstance(number, int) and state.number(one) is None:
            _set(values, one, number)


def _set(values: dict[str, Value], expression: str, number: int) -> None:
    for what in ("size", "stride"):
        source, found, index = expression.partition(f".{what}()[")
        tensor = values.get(source, Value()).tensor
        if not found or tensor is None or not index[:-1].isdecimal():
            continue
        numbers = list(getattr(tensor, what))
        if int(index[:-1]) < len(numbers):
            numbers[int(index[:-1])] = number
            exact = tuple(numbers)
            size, stride = (exact, tensor.stride) if what == "size" else (tensor.size, exact)
            changed = dataclasses.replace(tensor, size=size, stride=stride)
            values[source] = dataclasses.replace(values[source], tensor=changed)
