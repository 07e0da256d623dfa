"""Our artifact of `inspect bench`: what one process found out about one combination.

Each message is of one kind, and has a class of its own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from inspector.events.envelope import Envelope
from inspector.events.fields import items, mappings, natural, naturals, sizes

_SCALES = ("itself", "family", "rounding")


@dataclasses.dataclass(frozen=True, slots=True)
class BenchEvent:
    """What all of them have.

    Attributes:
        combination: Number of the combination in the plan.
        session: Number of the session, from 0.
        input: Number of the input, from 0.
    """

    combination: int = 0
    session: int = 0
    input: int = 0

    @classmethod
    def read(cls, envelope: Envelope) -> BenchEvent:
        """Reads the artifact; what is missing is nothing."""
        fields = envelope.json_object()
        kind = _KINDS.get(str(fields.get("what")), BenchEvent)
        read = {item.name: _DECODERS[str(item.type)] for item in dataclasses.fields(kind)}
        return kind(**{name: decode(fields.get(name)) for name, decode in read.items()})


@dataclasses.dataclass(frozen=True, slots=True)
class FirstCalls(BenchEvent):
    """The first two calls with an input.

    Attributes:
        inputs: Shapes of the inputs, as text.
        items: Size of the first dimension of the inputs, or 0.
        draws: Whether the first call drew random numbers.
        compiled: How many frames the first call compiled, or tried to.
        threads: Threads that an operator of the CPU may use.
        device: The device's name.
    """

    inputs: str = ""
    items: int = 0
    draws: bool = False
    first_ns: int = 0
    second_ns: int = 0
    compiled: int = 0
    threads: int = 0
    device: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class Settled(BenchEvent):
    """Warm-up.

    Attributes:
        is_settled: Whether the median was stable in the end.
        restores: Whether what calls change is put back before each of them.
    """

    is_settled: bool = False
    restores: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class Restored(BenchEvent):
    """From here on everything is put back before each call, as other settings have to."""


@dataclasses.dataclass(frozen=True, slots=True)
class TimedBlock(BenchEvent):
    """Calls that were made one after the other.

    Attributes:
        round: Number of the round, from 0.
        times_ns: Wall time of each call, until the device was done.
        burst_calls: Calls that were given to the device without waiting between them.
        burst_ns: How long they took together.
    """

    round: int = 0
    times_ns: tuple[int, ...] = ()
    burst_calls: int = 0
    burst_ns: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class CallMemory(BenchEvent):
    """The memory of a call.

    Attributes:
        memory: Bytes by name: ``base``, ``peak_allocated``, ``peak_reserved``, ``pools``.
    """

    memory: Mapping[str, int] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(frozen=True, slots=True)
class BusyTime(BenchEvent):
    """For how long any GPU worked in a call, by torch's profiler.

    Attributes:
        launches: Kernels and copies in it.
    """

    busy_ns: int = 0
    launches: int = 0


@dataclasses.dataclass(frozen=True, slots=True)
class OutputError:
    """How far a result of the first calls is from the same one of another process.

    Attributes:
        reference: With which it is compared: ``eager`` or ``float64``.
        name: Where it is: ``output of input 1``.
        relative: The largest difference of two elements as a part of what ``scale`` says; infinity
            where one is a number and the other is not.
        within: Whether that is no more than rounding for its dtype, or None where nobody asked.
        nan: The part of the elements of the other one that are NaN: of these it is only known
            whether they are so in both.
        scale: ``itself``: the largest element of the result; where that is rounding alone
            ``family``: that of all results of its kind in the call; ``rounding``: eager PyTorch's
            own error, where the call gives nothing else.
        mine: Where no number says how far they are apart, what is there: ``float32[2, 3]``,
            ``None``; empty where nothing is.
        theirs: The same of the other process.
    """

    reference: str
    name: str
    relative: float
    within: bool | None
    nan: float = 0.0
    scale: str = "itself"
    mine: str = ""
    theirs: str = ""

    @property
    def has_number(self) -> bool:
        """Whether both have elements that can be compared one by one."""
        return not (self.mine or self.theirs)

    @classmethod
    def of(cls, fields: Mapping[str, object]) -> OutputError:
        """The error that a process wrote."""
        within, nan = fields.get("within"), fields.get("nan")
        try:
            relative = float(str(fields.get("relative")))
        except ValueError:
            relative = float("inf")
        scale = str(fields.get("scale"))
        return cls(
            reference=_text(fields.get("reference")),
            name=_text(fields.get("name")),
            relative=relative,
            within=within if isinstance(within, bool) else None,
            nan=float(nan) if isinstance(nan, int | float) else 0.0,
            scale=scale if scale in _SCALES else "itself",
            mine=_text(fields.get("mine")),
            theirs=_text(fields.get("theirs")),
        )


@dataclasses.dataclass(frozen=True, slots=True)
class ResultErrors(BenchEvent):
    """How far results are from those of other processes; names are those of results.

    Attributes:
        uncompared: What cannot be compared.
        wrong: What is off by more than rounding.
    """

    errors: tuple[OutputError, ...] = ()
    uncompared: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


@dataclasses.dataclass(frozen=True, slots=True)
class Divergence(BenchEvent):
    """The first operator at which compiled results diverge from eager ones.

    Attributes:
        operator: Its name; empty where every graph's own result is right.
        file: The user's file, or an empty string.
        line: The line, or 0.
        code: Its text.
        at: Its number in the graph, from 1.
        operators: How many operators the graph has.
        graph: The graph's number, from 0.
        failure: Why it is not known, or an empty string.
    """

    operator: str = ""
    file: str = ""
    line: int = 0
    code: str = ""
    at: int = 0
    operators: int = 0
    graph: int = 0
    failure: str = ""


@dataclasses.dataclass(frozen=True, slots=True)
class FailedInput(BenchEvent):
    """Calls with one input of several fail.

    Attributes:
        inputs: Shapes of the inputs, as text.
        detail: The user's own traceback, or an empty string.
    """

    inputs: str = ""
    failure: str = ""
    detail: str = ""


_KINDS: Mapping[str, type[BenchEvent]] = {
    "first": FirstCalls,
    "settled": Settled,
    "restored": Restored,
    "block": TimedBlock,
    "memory": CallMemory,
    "busy": BusyTime,
    "errors": ResultErrors,
    "divergence": Divergence,
    "failed": FailedInput,
}


def _text(value: object) -> str:
    return str(value or "")


_DECODERS: Mapping[str, Callable[[object], Any]] = {
    "int": lambda value: natural(value) or 0,
    "bool": bool,
    "str": _text,
    "tuple[int, ...]": naturals,
    "tuple[str, ...]": lambda value: tuple(map(str, items(value))),
    "Mapping[str, int]": sizes,
    "tuple[OutputError, ...]": lambda value: tuple(map(OutputError.of, mappings(value))),
}
"""What reads a field, by its annotation."""
