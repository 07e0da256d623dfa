"""One change of an input or of the state around a call."""

import dataclasses
import enum
import math
from collections.abc import Mapping, Sequence

from inspector.records.recompiles import TensorFacts
from inspector.run.cache_entries.relation import normal
from inspector.run.cache_entries.state import State, Value

NEW_OBJECT = "another object"


class ChangeKind(enum.Enum):
    """What changes."""

    SIZE = "tensor size"
    STRIDE = "stride"
    DTYPE = "dtype"
    REQUIRES_GRAD = "requires_grad"
    INT = "int"
    FLOAT = "float"
    STR = "str"
    BOOL = "bool"
    NONE = "None"
    ENUM = "enum or object"
    LENGTH = "length of a container"
    KEYS = "keys of a dict"
    ARGUMENTS = "number of *args"
    ATTRIBUTE = "module attribute"
    TRAINING = "training flag"
    GLOBAL = "global"
    CLOSURE = "closure"
    FUNCTION = "function"
    GRAD_MODE = "grad mode"
    INSTANCE = "another instance"


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """What is different in the next call.

    Attributes:
        source: Whose value, in torch's spelling; empty for the state of the thread.
    """

    kind: ChangeKind
    source: str = ""
    value: Value | None = None
    thread: Mapping[str, object] = dataclasses.field(default_factory=dict)
    gone: tuple[str, ...] = ()

    def applied(self, state: State) -> State:
        """The state with this change."""
        source = normal(self.source)
        value = self.value
        # What was known of another object says nothing of this one.
        renewed = {source} if value is not None and value.identity else set()
        return State(
            values=state.values,
            changed={**state.changed, **({} if value is None else {source: value})},
            renewed=state.renewed | renewed,
            thread={**state.thread, **self.thread},
            gone=state.gone | {normal(source) for source in self.gone},
            same=state.same,
        )


def of_value(kind: ChangeKind, source: str, value: object) -> Change:
    """Another Python value (an int, a str, None, …)."""
    return Change(kind, source, Value(type=f"<class '{type(value).__name__}'>", text=repr(value)))


def of_tensor(kind: ChangeKind, source: str, tensor: TensorFacts) -> Change:
    """Another tensor."""
    return Change(kind, source, Value(tensor=tensor))


def another_object(kind: ChangeKind, source: str, identity: str = NEW_OBJECT) -> Change:
    """Another object, of the same class as far as anybody looks at that."""
    return Change(kind, source, Value(identity=identity))


def of_length(kind: ChangeKind, source: str, before: int, after: int) -> Change:
    """A list or tuple with fewer or more items."""
    gone = tuple(f"{source}[{index}]" for index in range(after, before))
    return Change(kind, source, Value(length=after), gone=gone)


def having(kind: ChangeKind, source: str, items: Mapping[str, bool], length: int | None) -> Change:
    """A dict, or an object, that has other items; their spelling is the guards'.

    An older entry may look for an item that the last call did not have either.
    """
    gone = tuple(f"{source}[{item}]" for item, is_there in items.items() if not is_there)
    return Change(kind, source, Value(items=items, length=length), gone=gone)


def of_thread(kind: ChangeKind, **state: object) -> Change:
    """Another state of the thread, by torch's names."""
    return Change(kind, thread=state)


def contiguous(size: Sequence[int]) -> tuple[int, ...]:
    """The strides of a contiguous tensor (torch counts a size of 0 as 1 for this)."""
    return tuple(math.prod(max(item, 1) for item in size[at + 1 :]) for at in range(len(size)))


def resized(tensor: TensorFacts, dimension: int, size: int) -> TensorFacts:
    """The tensor with one other size, laid out in memory in the same order."""
    sizes = tuple(size if at == dimension else item for at, item in enumerate(tensor.size))
    known = [item for item in (*sizes, *tensor.stride) if item is not None]
    if len(known) < len(sizes) + len(tensor.stride):
        return dataclasses.replace(tensor, size=sizes)
    order = sorted(range(len(sizes)), key=lambda at: -(tensor.stride[at] or 0))
    dense = contiguous([sizes[at] or 0 for at in order])
    strides = dict(zip(order, dense, strict=True))
    stride = tuple(strides[at] for at in range(len(sizes)))
    return dataclasses.replace(tensor, size=sizes, stride=stride)
