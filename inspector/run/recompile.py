"""Why a code object was compiled once more: the guard that failed, and what became of it."""

import dataclasses
import enum

from inspector.shared.stack import StackFrame
from inspector.trace.compile_id import CompileId


class RecompileClass(enum.Enum):
    """What changed."""

    SIZE = "tensor-size"
    STRIDE = "tensor-stride"
    DTYPE = "tensor-dtype"
    DEVICE = "tensor-device"
    LAYOUT = "tensor-layout"
    RANK = "tensor-rank"
    REQUIRES_GRAD = "tensor-requires-grad"
    TENSOR_KIND = "tensor-dispatch-keys"
    VIEW = "tensor-view"
    ALIASING = "tensor-aliasing"
    MARKS = "dimension-marks"
    SYMBOLIC_SHAPE = "symbolic-shape"
    INT = "int"
    FLOAT = "float"
    BOOL = "bool"
    STR = "str"
    NONE = "none"
    ENUM = "enum"
    CONSTANT = "constant"
    LENGTH = "container-length"
    KEYS = "container-keys"
    ORDER = "container-order"
    VARARGS = "varargs"
    ATTRIBUTE = "attribute-presence"
    TYPE = "type"
    FUNCTION = "function-identity"
    OBJECT = "object-identity"
    HOOKS = "module-hooks"
    TRAINING = "training-flag"
    GRAD_MODE = "grad-mode"
    AUTOCAST = "autocast"
    DEFAULT_DTYPE = "default-dtype"
    DEFAULT_DEVICE = "default-device"
    DETERMINISTIC = "deterministic"
    NUM_THREADS = "num-threads"
    FUNCTION_MODE = "torch-function-mode"
    GLOBAL_STATE = "global-state"
    BACKEND = "backend"
    DEALLOCATED = "deallocated"
    NOTHING_KEPT = "nothing-kept"
    """No guard: all that was compiled before failed, so that there is nothing to be found."""
    OTHER = "other"


class Origin(enum.Enum):
    """Where what changed comes from."""

    ARGUMENT = "argument"
    MODULE_ATTRIBUTE = "module-attribute"
    ATTRIBUTE = "attribute"
    GLOBAL = "global"
    CLOSURE = "closure"
    STATE = "state"
    UNKNOWN = "unknown"


class Answer(enum.Enum):
    """What Dynamo made of it."""

    DYNAMIC = "dynamic"
    """What changed became symbolic: further values of its kind do not recompile."""
    AGAIN = "again"
    """It was compiled for this value alone: the next one compiles again."""
    LIMIT = "limit"
    """Nothing was compiled: the recompile limit is reached, and the call ran eagerly."""
    EAGER = "eager"
    """There was nothing to compile: from then on the function runs eagerly, whatever is passed."""
    FAILED = "failed"
    """The compilation failed."""
    UNKNOWN = "unknown"


@dataclasses.dataclass(frozen=True, slots=True)
class SymbolUse:
    """A symbolic size in a guard.

    Attributes:
        source: Size that the symbol represents (``L['x'].size()[0]``).
        guarded: User stack where the symbol was guarded or specialized to a constant, outermost
            first.
        held_by: What was a constant then and is dynamic now: a size of another input held it.
    """

    symbol: str
    source: str
    value: str | None = None
    made: tuple[StackFrame, ...] = ()
    guarded: tuple[StackFrame, ...] = ()
    specialized: str | None = None
    held_by: tuple[str, ...] = ()
    is_inside: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Change:
    """One failed guard of a cache entry; torch reports only the first.

    Attributes:
        source: Guarded value in Dynamo's notation; for a relation, its expression.
        name: Guarded value as it is written in recompilation reasons.
        before: Short description of the values that the entry expects.
    """

    kind: RecompileClass
    source: str
    name: str
    index: int | None
    before: str
    now: str
    is_dynamic: bool = False
    specialized: str | None = None
    origin: Origin = Origin.UNKNOWN

    @property
    def is_zero_one(self) -> bool:
        """Whether it is a size that is 0 or 1 on one side: these get a graph of their own."""
        return self.kind is RecompileClass.SIZE and not {"0", "1"}.isdisjoint(
            {self.before, self.now}
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Bound:
    """A condition on dynamic sizes or numbers.

    Attributes:
        expression: The relation in Dynamo's spelling (``129 <= L['x'].size()[0]``).
        text: The relation in terms of user code (``129 <= x.size(0)``).
    """

    expression: str
    text: str
    parts: bool
    stack: tuple[StackFrame, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class EqualSizes:
    """Sizes that a cache entry has as one: they were equal in the call that it was compiled for.

    Attributes:
        changed: Those that are another now, as reasons spell them (``x.size()[0]``); at least one.
        kept: Those that are the same now, likewise.
    """

    value: str
    changed: tuple[str, ...]
    kept: tuple[str, ...]


@dataclasses.dataclass(frozen=True, slots=True)
class Limit:
    """The limit of ``torch._dynamo.config`` that prevented a compilation.

    Attributes:
        raised: Whether torch raised ``FailOnRecompileLimitHit`` instead of running the frame
            eagerly.
        keeps_versions: Whether older code is used still; not in torch 2.5 and before.
    """

    name: str
    number: int
    raised: bool
    keeps_versions: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class OtherInstance:
    """A module, or the object whose method is called, that is another one than the entry's.

    Attributes:
        classes: The class of the entry's, and of the call's.
        numbers: What tells each apart from all others of the process, likewise.
        alive: How many of these classes share the code, or None where that is not known.
    """

    name: str
    classes: tuple[str, str]
    numbers: tuple[int, int]
    alive: int | None = None
    alone: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Recompile:
    """A recompilation of a code object, or one that the recompile limit prevented.

    Attributes:
        entry: Compile id of the cache entry whose guard failed, or None. If several entries failed,
            it is the closest match.
        source: Guarded value in Dynamo's notation (``L['x']``), if known.
        name: Guarded value as written in user code (``x``).
        before: What the guard expects, in Python's spelling, if known.
        now: What the call has instead, if known.
        holds: Class of a container's first item (``int``), or an empty string where unknown.
        time_ns: Wall time of all stages of this compilation, backward included; None where unknown.
        failure: The first line of torch's error message, or an empty string.
        changes: All failed guards of this entry; empty if guard trees were not logged.
        wraps: The class of the module that a function of torch's own wraps, or an empty string.
        new_keys: Guarded dict keys that this call has and the call that created the cache entry did
            not have.
        missing_keys: Guarded dict keys that only the call that created the cache entry had. Both
            lists are empty if unknown.
        bounds: Conditions on the sizes and numbers that became dynamic, shortest first.
    """

    compile_id: CompileId
    entry: CompileId | None
    guard: str
    comment: str
    hint: str
    source: str
    name: str
    index: int | None
    kind: RecompileClass
    origin: Origin
    before: str
    now: str
    answer: Answer
    holds: str = ""
    guard_stack: tuple[StackFrame, ...] = ()
    caused_by: StackFrame | None = None
    symbols: tuple[SymbolUse, ...] = ()
    whitelist: tuple[str, ...] = ()
    call: int | None = None
    stack: tuple[StackFrame, ...] = ()
    time_ns: int | None = None
    stages: tuple[tuple[str, int], ...] = ()
    failure: str = ""
    changes: tuple[Change, ...] = ()
    limit: Limit | None = None
    wraps: str = ""
    new_keys: tuple[str, ...] = ()
    missing_keys: tuple[str, ...] = ()
    bounds: tuple[Bound, ...] = ()
    equal_sizes: EqualSizes | None = None
    other_instance: OtherInstance | None = None
    first_stack: tuple[StackFrame, ...] = ()

    @property
    def hit_limit(self) -> bool:
        """Whether the recompile limit prevented it."""
        return self.answer is Answer.LIMIT

    @property
    def supersedes(self) -> bool:
        """Whether what was compiled is the entry that did not fit, with what changed dynamic."""
        plain = all(
            change.is_dynamic and change.kind is not RecompileClass.SYMBOLIC_SHAPE
            for change in self.changes
        )
        return self.answer is Answer.DYNAMIC and bool(self.changes) and plain
