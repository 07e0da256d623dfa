"""Whether a change makes torch compile again, and what then becomes of what changed."""

import dataclasses
import enum
from collections.abc import Iterator, Sequence

from inspector.features.guards.change import Change
from inspector.records.recompiles import TensorFacts
from inspector.run.cache_entries.entry import Entry, GuardIndex, entries_of, index_of
from inspector.run.cache_entries.evaluate import passes
from inspector.run.cache_entries.relation import normal
from inspector.run.cache_entries.state import State, Value, state_after
from inspector.run.compilation import Frame
from inspector.trace.compile_id import CompileId
from inspector.trace.guard_checks import EqualsCheck, RelationCheck
from inspector.trace.guard_source import Origin
from inspector.trace.guard_trees import Guard
from inspector.trace.guards import DynamoSettings

_NO_NUMBERS = frozenset({"nan", "inf", "-inf"})
_TORCH_MODULES = "nn/modules/"  # as guards spell files of torch's own
_TRIED = 2
_INT, _FLOAT = "<class 'int'>", "<class 'float'>"


class Effect(enum.Enum):
    """What becomes of what changed."""

    SERVED = "a cache entry matches"
    DYNAMIC = "dynamic"
    CONSTANT = "a constant again"
    EAGER = "runs eagerly"


@dataclasses.dataclass(frozen=True, slots=True)
class FrameGuards:
    """The cache entries of a frame, and what they say of its last compiled call.

    Attributes:
        entries: The oldest first.
        state: The values of the call for which the newest one was compiled.
        indexes: Per entry, its guards by what they look at.
        failing: Per entry, which of its guards fail for that call.
    """

    entries: tuple[Entry, ...]
    state: State
    settings: DynamoSettings
    is_closed: bool = False
    is_skipped: bool = False
    indexes: tuple[GuardIndex, ...] = ()
    failing: tuple[tuple[Guard, ...], ...] = ()

    def same_source(self, source: str) -> Iterator[Guard]:
        """What all entries say of a source."""
        return (guard for index in self.indexes for guard in index.of(normal(source)))


@dataclasses.dataclass(frozen=True, slots=True)
class Prediction:
    """What a change leads to."""

    recompiles: bool
    becomes: Effect
    served_by: CompileId | None = None


def frame_guards(frame: Frame) -> FrameGuards | None:
    """The guards of a frame, or None where none were logged.

    Raises:
        OSError: The log is gone.
    """
    entries = tuple(entries_of(frame))
    if not entries:
        return None
    is_closed = any(item.hit_limit for item in frame.compilations)
    is_skipped = any(item.gave_nothing for item in frame.compilations)
    state = state_after(entries)
    failing = tuple(
        tuple(guard for guard in entry.guards if passes(guard, state) is False) for entry in entries
    )
    indexes = tuple(index_of(entry.guards) for entry in entries)
    return FrameGuards(
        entries, state, entries[-1].settings, is_closed, is_skipped, indexes, failing
    )


def predict(frame: FrameGuards, change: Change) -> Prediction:
    """What one change leads to, after the call for which the frame was compiled last."""
    if frame.is_skipped:
        return Prediction(recompiles=False, becomes=Effect.EAGER)
    state = change.applied(frame.state)
    for entry, index, before in zip(
        reversed(frame.entries), reversed(frame.indexes), reversed(frame.failing), strict=True
    ):
        concerned = _concerned(index, change)
        ids = set(map(id, concerned))
        others = any(id(guard) not in ids for guard in before)
        # A guard of which nobody knows is taken to hold.
        if not others and all(passes(guard, state) is not False for guard in concerned):
            served_by = entry.compile_id
            return Prediction(recompiles=False, becomes=Effect.SERVED, served_by=served_by)
    if frame.is_closed or len(frame.entries) >= frame.settings.recompile_limit:
        return Prediction(recompiles=False, becomes=Effect.EAGER)
    becomes = Effect.DYNAMIC if _gets_dynamic(frame, change) else Effect.CONSTANT
    return Prediction(recompiles=True, becomes=becomes)


def _concerned(index: GuardIndex, change: Change) -> Sequence[Guard]:
    """The guards whose result a change can alter, in order."""
    if change.thread:
        return index.guards
    source = normal(change.source)
    is_whole = bool(change.gone) or bool(change.value and change.value.identity)
    roots = {normal(name) for name in change.gone} | {source}
    found = {at for root in roots for at in index.by_source.get(root, ())}
    if change.value and change.value.items:
        found.update(at for root in roots for at in index.keys_of(root))
    if is_whole:
        found.update(at for root in roots for at in index.inside(root))
    for at in index.relations:
        check = index.guards[at].check
        spelled = roots | {change.source}
        if isinstance(check, RelationCheck) and any(root in check.expression for root in spelled):
            found.add(at)
    return [index.guards[at] for at in sorted(found)]


def _gets_dynamic(frame: FrameGuards, change: Change) -> bool:
    """Automatic dynamic shapes: what changed becomes dynamic, if torch lets it.

    torch/_dynamo/variables/builder.py (`wrap_symint`, `wrap_symfloat`, `wrap_to_fake_tensor`) and
    pgo.py, 2.13.
    """
    value = change.value
    if value is None or not frame.settings.automatic_dynamic:
        return False
    source = normal(change.source)
    before = frame.state.value(source)
    if value.tensor is not None:
        return _tensor_gets_dynamic(frame, source, before, value)
    return _number_gets_dynamic(frame, source, before, value)


def _tensor_gets_dynamic(frame: FrameGuards, source: str, before: Value, after: Value) -> bool:
    old, new = before.tensor, after.tensor
    if old is None or new is None:
        return False
    if _origin(frame, source) is Origin.PARAMETER or new.type == "Parameter":
        return False  # parameters are static (`force_parameter_static_shapes`)
    if len(old.size) != len(new.size):
        return any(size not in (0, 1) for size in new.size)  # then all of them become dynamic
    changed = [at for at, (a, b) in enumerate(zip(old.size, new.size, strict=True)) if a != b]
    seen = []  # of each entry
    for index in frame.indexes:
        checks = (guard.check for guard in index.of(source))
        seen += [check for check in checks if isinstance(check, TensorFacts)][:1]
    if not changed:
        # Strides become dynamic only where all sizes are constants (`is_stride_dynamic`).
        return old.stride != new.stride and all(
            check.size == seen[-1].size and None not in check.size for check in seen
        )
    for at in changed:
        if new.size[at] not in (0, 1) and all(at < len(check.size) for check in seen):
            sizes = [check.size[at] for check in seen]
            # What has changed before and is a constant still, the model's code needs.
            is_constant = bool(sizes) and sizes[-1] not in (None, 0, 1)
            if not is_constant or len({*sizes} - {None}) < _TRIED:
                return True
    return False


def _number_gets_dynamic(  # noqa: PLR0911 - one per thing that keeps a number constant
    frame: FrameGuards, source: str, before: Value, after: Value
) -> bool:
    settings, origin = frame.settings, _origin(frame, source)
    seen = [check.text for check in _equal_checks(frame, source)]
    if before.type not in (_INT, _FLOAT) or after.type not in (_INT, _FLOAT):
        return False
    newest = tuple(frame.indexes[-1].of(source))
    is_constant = any(isinstance(guard.check, EqualsCheck) for guard in newest)
    if before.type == after.type and len(set(seen)) > 1 and is_constant:
        # It was tried, and the model's code needs its value; infinity is never tried.
        return seen[-1] in _NO_NUMBERS and after.text not in _NO_NUMBERS
    if before.type != after.type and not _is_other_number(frame, source, after):
        return False
    if any(guard.cause and guard.cause.file.startswith(_TORCH_MODULES) for guard in newest):
        return False  # `p` of a dropout, `eps` of a norm: the operator takes a number
    if after.type == _FLOAT:
        return not settings.specialize_float and after.text not in _NO_NUMBERS
    if settings.specialize_int:
        return False
    if origin is Origin.MODULE and not settings.int_attributes:
        return False
    return origin not in (Origin.GLOBAL, Origin.LIBRARY, Origin.PARAMETER)


def _is_other_number(frame: FrameGuards, source: str, after: Value) -> bool:
    """Whether a number of another class differs from one before (2 and 2.0 do not)."""
    symbols = frame.entries[-1].symbols
    seen = {check.value for check in _equal_checks(frame, source)} - {None}
    seen |= {symbols[source]} if source in symbols else set()
    new = repr(float(after.text or 0))
    return any(isinstance(old, int | float) and repr(float(old)) != new for old in seen)


def _equal_checks(frame: FrameGuards, source: str) -> Iterator[EqualsCheck]:
    for index in frame.indexes:
        for guard in index.of(source):
            if isinstance(guard.check, EqualsCheck):
                yield guard.check


def _origin(frame: FrameGuards, source: str) -> Origin:
    guards = (guard for index in reversed(frame.indexes) for guard in index.of(source))
    return next((guard.origin for guard in guards if guard.source), Origin.INPUT)
