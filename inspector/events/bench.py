"""Our artifact of `inspect bench`: what one process found out about one combination."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Self

from inspector.events.envelope import Envelope
from inspector.events.fields import items, mapping, mappings, natural, naturals, sizes

_SCALES = ("itself", "family", "rounding")


@dataclasses.dataclass(frozen=True, slots=True)
class BenchBlock:
    """Calls that were made one after the other.

    Attributes:
        round: Number of the round, from 0.
        input: Number of the input, from 0.
        times_ns: Wall time of each call, until the device was done.
        device_ns: Time of each between two events on the device; empty on the CPU.
        burst_calls: Calls that were given to the device without waiting between them.
        burst_ns: How long they took together.
    """

    round: int
    input: int
    times_ns: tuple[int, ...]
    device_ns: tuple[int, ...] = ()
    burst_calls: int = 0
    burst_ns: int = 0


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


@dataclasses.dataclass(frozen=True, slots=True)
class Divergence:
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

    operator: str
    file: str
    line: int
    code: str
    at: int
    operators: int
    graph: int
    failure: str


@dataclasses.dataclass(frozen=True, slots=True)
class InspectorBench:
    """A part of what a process found out.

    Attributes:
        what: ``first`` (the first calls), ``settled``, ``block``, ``memory``, ``errors``, ``busy``,
            ``restored``, ``divergence``, or ``failed`` (with one input of several).
        combination: Number of the combination in the plan.
        session: Number of the session, from 0.
        input: Number of the input, from 0.
        inputs: Shapes of the inputs, as text.
        items: Size of the first dimension of the inputs, or 0.
        draws: Whether the first call drew random numbers.
        load_ns: From the process's begin until the model was there.
        first_ns: Time of the first call.
        compiled: How many frames it compiled, or tried to.
        second_ns: Time of the second call.
        settle_ns: Time of the calls until their median was stable.
        settle_calls: How many these were.
        is_settled: Whether it was stable in the end.
        restores: Whether what calls change is put back before each of them.
        threads: Threads that an operator of the CPU may use.
        device: The device's name.
        memory: Bytes by name: ``base``, ``peak_allocated``, ``peak_reserved``, ``pools``.
        busy_ns: How long any GPU worked in a call, by torch's profiler.
        launches: How many pieces of work these were.
        block: The calls of a block, or None.
        errors: How far results are off.
        uncompared: Results that cannot be compared, by their names.
        wrong: Results that are off by more than rounding, by their names.
        divergence: The first operator whose result is off, or None where nobody looked for it.
        failure: Why calls with this input fail, or an empty string.
        detail: The user's own traceback, or an empty string.
    """

    what: str
    combination: int
    session: int
    input: int = 0
    inputs: str = ""
    items: int = 0
    draws: bool = False
    load_ns: int = 0
    first_ns: int = 0
    compiled: int = 0
    second_ns: int = 0
    settle_ns: int = 0
    settle_calls: int = 0
    is_settled: bool = False
    restores: bool = False
    threads: int = 0
    device: str = ""
    memory: Mapping[str, int] = dataclasses.field(default_factory=dict)
    busy_ns: int = 0
    launches: int = 0
    block: BenchBlock | None = None
    errors: tuple[OutputError, ...] = ()
    uncompared: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    divergence: Divergence | None = None
    failure: str = ""
    detail: str = ""

    @classmethod
    def read(cls, envelope: Envelope) -> Self:
        """Reads the artifact; what is missing is nothing."""
        fields = envelope.json_object()

        def number(name: str) -> int:
            return natural(fields.get(name)) or 0

        return cls(
            what=str(fields.get("what") or ""),
            combination=number("combination"),
            session=number("session"),
            input=number("input"),
            inputs=str(fields.get("inputs") or ""),
            items=number("items"),
            draws=bool(fields.get("draws")),
            load_ns=number("load_ns"),
            first_ns=number("first_ns"),
            compiled=number("compiled"),
            second_ns=number("second_ns"),
            settle_ns=number("settle_ns"),
            settle_calls=number("settle_calls"),
            is_settled=bool(fields.get("is_settled")),
            restores=bool(fields.get("restores")),
            threads=number("threads"),
            device=str(fields.get("device") or ""),
            memory=sizes(fields.get("memory")),
            busy_ns=number("busy_ns"),
            launches=number("launches"),
            block=_block(fields),
            errors=tuple(map(_error, mappings(fields.get("errors")))),
            uncompared=tuple(map(str, items(fields.get("uncompared")))),
            wrong=tuple(map(str, items(fields.get("wrong")))),
            divergence=_divergence(fields),
            failure=str(fields.get("failure") or "") if fields.get("what") == "failed" else "",
            detail=str(fields.get("detail") or ""),
        )


def _block(fields: Mapping[str, object]) -> BenchBlock | None:
    if fields.get("what") != "block":
        return None
    return BenchBlock(
        round=natural(fields.get("round")) or 0,
        input=natural(fields.get("input")) or 0,
        times_ns=naturals(fields.get("times_ns")),
        device_ns=naturals(fields.get("device_ns")),
        burst_calls=natural(fields.get("burst_calls")) or 0,
        burst_ns=natural(fields.get("burst_ns")) or 0,
    )


def _divergence(fields: Mapping[str, object]) -> Divergence | None:
    if fields.get("what") != "divergence":
        return None
    found = mapping(fields.get("divergence"))
    return Divergence(
        operator=str(found.get("operator") or ""),
        file=str(found.get("file") or ""),
        line=natural(found.get("line")) or 0,
        code=str(found.get("code") or ""),
        at=natural(found.get("at")) or 0,
        operators=natural(found.get("operators")) or 0,
        graph=natural(found.get("graph")) or 0,
        failure=str(fields.get("failure") or ""),
    )


def _error(fields: Mapping[str, object]) -> OutputError:
    within, nan = fields.get("within"), fields.get("nan")
    try:
        relative = float(str(fields.get("relative")))
    except ValueError:
        relative = float("inf")
    return OutputError(
        reference=str(fields.get("reference") or ""),
        name=str(fields.get("name") or ""),
        relative=relative,
        within=within if isinstance(within, bool) else None,
        nan=float(nan) if isinstance(nan, int | float) else 0.0,
        # Recordings of earlier versions have no other.
        scale=scale if (scale := str(fields.get("scale"))) in _SCALES else "itself",
        mine=str(fields.get("mine") or ""),
        theirs=str(fields.get("theirs") or ""),
    )
