"""Runs the programs of the advice under stock torch: ``python -m tests.compile.advice_child``.

It needs torch and nothing else, so it also runs where pytest is not installed. Torch is imported
once and forked. The programs of an advice run eagerly and with the backend ``eager``, the mended
one with ``fullgraph=True``; and both once more with inputs that require gradients, whose gradients
are compared, the mended one with ``aot_eager``, which also traces the backward pass.
One line of JSON per advice goes to standard output; the arguments name the advice to run, or all of
it runs.
"""

from __future__ import annotations

import contextlib
import dataclasses
import io
import json
import logging
import os
import random
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

import torch
from torch._dynamo.backends import registry

from inspector.features.breaks.advice.advice import Advice, Break
from inspector.features.breaks.advice.table import ALL, best
from inspector.records.stack import StackFrame
from inspector.report.user_code.code import Code
from inspector.report.user_code.reading import Span, read_text
from inspector.trace.failed_trace import FailedTrace
from inspector.trace.graph_break import BACKEND_FAILED, GraphBreakReason
from tests.compile.advice_programs import PAIRS, VARIANTS
from tests.compile.gradients import Call, Recorder, instrumented

_MOST_SECONDS = 60
_PROCESSES = os.cpu_count() or 1
_COMPILE = torch.compile


@dataclasses.dataclass(slots=True)
class Result:
    """What a program did when it ran once.

    Attributes:
        outputs: What it left in ``outputs``.
        printed: What it wrote to standard output.
        logged: Its log records and warnings.
        breaks: (GB id, GB type, id of the advice that is chosen) of each record of a graph break.
        reasons: The records themselves.
        graphs: How many graphs were compiled.
        empty: Functions that were compiled and gave no graph.
        error: The exception that ended it, or an empty string.
    """

    outputs: Any = None
    printed: str = ""
    logged: list[str] = dataclasses.field(default_factory=list)
    breaks: list[tuple[str | None, str | None, str]] = dataclasses.field(default_factory=list)
    reasons: list[str] = dataclasses.field(default_factory=list)
    graphs: int = 0
    empty: list[str] = dataclasses.field(default_factory=list)
    error: str = ""


class _Trace(logging.Handler):
    """Collects torch's records of graph breaks, and which frames gave no graph."""

    def __init__(self) -> None:
        super().__init__()
        self.reasons: list[str] = []
        self.operators: list[FailedTrace] = []
        self.empty: list[str] = []
        self._operator = FailedTrace()

    def emit(self, record: logging.LogRecord) -> None:
        metadata = getattr(record, "metadata", {})
        name = metadata.get("artifact", {}).get("name")
        if name == "dynamo_graph_break_reason":
            self.reasons.append(str(record.payload))  # type: ignore[attr-defined]
            self.operators.append(self._operator)
        elif name == "make_fx_fail_partial":
            self._operator = FailedTrace.parse(str(record.payload))  # type: ignore[attr-defined]
        metrics = metadata.get("compilation_metrics", {})
        if metrics and not metrics.get("graph_op_count"):
            self.empty.append(str(metrics.get("co_name")))


class _Records(logging.Handler):
    """Collects what the program itself logs."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith("torch"):
            self.texts.append(f"{record.levelname} {record.getMessage()}")


def run(path: Path, compiler: Callable[..., Any], names: dict[str, Any] | None = None) -> Result:
    """Runs a program with something in the place of ``torch.compile``.

    Args:
        path: The program.
        compiler: What it finds as ``torch.compile``.
        names: More names that it finds.
    """
    result, trace, records = Result(), _Trace(), _Records()
    structured = logging.getLogger("torch.__trace")
    structured.addHandler(trace)
    structured.setLevel(logging.DEBUG)
    logging.getLogger().addHandler(records)
    _seed()
    torch.compile = compiler
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    stream = io.StringIO()
    namespace: dict[str, Any] = {"__name__": "program", "__file__": str(path), **(names or {})}
    with contextlib.redirect_stdout(stream), warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        try:
            exec(compile(path.read_text(), str(path), "exec"), namespace)  # noqa: S102 - ours
        except Exception as error:  # noqa: BLE001 - whatever ended it is the answer
            result.error = f"{type(error).__name__}: {error}"
    structured.removeHandler(trace)
    logging.getLogger().removeHandler(records)
    for value in namespace.values():
        if isinstance(value, torch.library.Library):
            value._destroy()  # or the next program could not define the same operator
    result.outputs = namespace.get("outputs")
    result.printed = stream.getvalue()
    own = [str(item.message) for item in warned if item.filename == str(path)]
    result.logged = records.texts + own
    result.graphs = torch._dynamo.utils.counters["stats"].get("unique_graphs", 0)
    result.reasons = trace.reasons
    broken = zip(trace.reasons, trace.operators, strict=True)
    result.breaks = [_chosen(path, reason, operator) for reason, operator in broken]
    result.empty = trace.empty
    return result


def _seed() -> None:
    torch.manual_seed(0)
    random.seed(0)
    with contextlib.suppress(ImportError):
        import numpy as np

        np.random.seed(0)  # noqa: NPY002 - what the programs use


def reasons(path: Path, text: str) -> list[str]:
    """Torch's records of the graph breaks of a program that is compiled."""
    path.write_text(text)
    return run(path, _compiled("eager")).reasons


def _chosen(path: Path, text: str, operator: FailedTrace) -> tuple[str | None, str | None, str]:
    """The first cause of a graph break and the advice that a user would get on it."""
    reason = GraphBreakReason.parse(text)
    if reason.causes[0].gb_id == BACKEND_FAILED and operator.frame and not reason.operator:
        reason = reason.at_frames((operator.frame,))
    cause = reason.causes[0]
    frames = [
        frame
        for frame in (*reason.stack, *reason.operator, *reason.raised.implementation)
        if frame.file == str(path)
    ]
    code = read_text(path.read_text(), span(path, frames[-1])) if frames else None
    if code is not None:
        code = dataclasses.replace(code, callers=_callers(path, frames[:-1]))
    inner = reason.stack[-1].file if reason.stack else ""
    found = Break(cause.gb_id, cause.gb_type, cause.torch_text(inner))
    advice = best(dataclasses.replace(found, code=code) if code else found)
    return cause.gb_id, cause.gb_type, advice.id if advice else ""


def _callers(path: Path, frames: list[StackFrame]) -> tuple[Code, ...]:
    """The code that led to a graph break, from what is compiled on, innermost first."""
    found = [read_text(path.read_text(), Span(frame.line, frame.line)) for frame in frames]
    compiled = [n for n, code in enumerate(found) if code.function and code.function.decorator_list]
    return tuple(reversed(found[compiled[0] :])) if compiled else ()


def span(path: Path, frame: StackFrame) -> Span:
    """The columns of the carets, which count from where the line's code begins."""
    if frame.column is None or frame.end_column is None:
        return Span(frame.line, frame.line)
    line = path.read_text().split("\n")[frame.line - 1]
    indentation = len(line) - len(line.lstrip())
    columns = frame.column + indentation, frame.end_column + indentation
    return Span(frame.line, frame.line, *columns)


def _compiled(backend: str, *, fullgraph: bool = False) -> Callable[..., Any]:
    def compile_(function: Any = None, **options: Any) -> Any:
        settings = {**options, "backend": backend, "fullgraph": fullgraph}
        if function is None:
            return lambda later: _COMPILE(later, **settings)
        return _COMPILE(function, **settings)

    return compile_


def _eager(function: Any = None, **options: Any) -> Any:
    if getattr(function, "__module__", "").startswith("torch."):
        return _COMPILE(function, **options)  # `torch.cond` compiles itself
    return (lambda later: later) if function is None else function


def same(one: Any, other: Any) -> bool:
    """Whether two outputs are numerically equal."""
    if one is None or other is None:
        return one is other
    if isinstance(one, torch.Tensor) or isinstance(other, torch.Tensor):
        one, other = torch.as_tensor(one), torch.as_tensor(other)
        one, other = (t.to_dense() if t.layout is not torch.strided else t for t in (one, other))
        # `allclose` takes shapes that can be broadcast.
        rounding = _ROUNDING.get(one.dtype, 1e-5)
        return (one.dtype, one.shape) == (other.dtype, other.shape) and torch.allclose(
            one.double(), other.double(), rtol=rounding, atol=rounding / 10, equal_nan=True
        )
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, float):
        return isinstance(other, float | int) and abs(one - other) <= 1e-6 + 1e-5 * abs(one)
    return bool(one == other)


_ROUNDING = {torch.float64: 1e-10, torch.float16: 1e-3, torch.bfloat16: 1e-2}


def problems(advice: Advice, folder: Path) -> Iterator[str]:
    """What does not hold of an advice."""
    before, after = folder / "before.py", folder / "after.py"
    before.write_text(advice.before)
    after.write_text(advice.after)
    expected = run(before, _eager)
    broken = run(before, _compiled(advice.backend))
    for number, text in enumerate(VARIANTS.get(advice.id, ())):
        variant = folder / f"variant_{number}.py"
        variant.write_text(text)
        for problem in _broken(advice, run(variant, _compiled(advice.backend))):
            yield f"variant {number}: {problem}"
    for number, pair in enumerate(PAIRS.get(advice.id, ())):
        problems = unlike(pair, folder, advice.backend)
        yield from (f"pair {number}: {problem}" for problem in problems)
    eager = run(after, _eager)
    other_calls = _other_calls((advice.before, advice.after), folder)
    backend = "aot_eager" if other_calls is None else "eager"
    mended = run(after, _compiled(backend, fullgraph=True))
    yield from _broken(advice, broken)
    for name, result in {"eager after": eager, "after": mended}.items():
        silent = advice.is_silent and result is not eager
        as_before = dataclasses.replace(expected, logged=[]) if silent else expected
        yield from _differences(name, as_before, result)
    if mended.breaks or not mended.graphs or mended.empty:
        yield f"after: {mended.graphs} graphs, breaks {mended.breaks}, no graph {mended.empty}"
    yield from other_calls or ()
    if not expected.outputs:
        yield "no outputs"


def _broken(advice: Advice, broken: Result) -> Iterator[str]:
    first = broken.breaks[0] if broken.breaks else None
    if first is None or not advice.covers(*first[:2]):
        yield f"before breaks with {broken.breaks} {broken.error}"
    elif first[2] not in (advice.id, *advice.other_way_of):
        yield f"the advice for before is {first[2]!r}"


def unlike(pair: tuple[str, str], folder: Path, breaking: str = "eager") -> Iterator[str]:
    """How one program differs from another that breaks its graph, with that backend."""
    before, after = (folder / f"pair_{name}.py" for name in ("before", "after"))
    before.write_text(pair[0])
    after.write_text(pair[1])
    breaks = run(before, _compiled(breaking)).breaks
    expected = run(before, _eager)
    other_calls = _other_calls(pair, folder)
    for backend in ("", "aot_eager" if other_calls is None else "eager"):
        result = run(after, _compiled(backend, fullgraph=True) if backend else _eager)
        yield from _differences(f"after, {backend or 'eager'}", expected, result)
    if not breaks:
        yield "before does not break"
    yield from other_calls or ()


def _other_calls(pair: tuple[str, str], folder: Path) -> list[str] | None:
    """How the calls of two programs differ where inputs require gradients.

    Returns:
        None where the first does not take such inputs.
    """
    before, after = (folder / f"calls_{name}.py" for name in ("before", "after"))
    calls = _calls(before, pair[0], _eager)
    if isinstance(calls, str):
        return None
    found = []
    for compiler in (_eager, _compiled("aot_eager", fullgraph=True)):
        others = _calls(after, pair[1], compiler)
        if not _alike(calls, others):
            found.append(f"with gradients: {others}, before {calls}")
    return found


def _calls(path: Path, text: str, compiler: Callable[..., Any]) -> list[Call] | str:
    """What the calls of a program leave behind, or the error that ended it."""
    recorder = Recorder()
    program, names = instrumented(text, recorder)
    path.write_text(program)
    error = run(path, compiler, names).error
    return error or recorder.calls


def _alike(calls: list[Call], others: list[Call] | str) -> bool:
    if isinstance(others, str) or len(calls) != len(others):
        return False
    pairs = list(zip(calls, others, strict=True))
    equal = all(same(one.values(), other.values()) for one, other in pairs)
    return equal and not any(other.shares_more_than(one) for one, other in pairs)


def _differences(name: str, expected: Result, result: Result) -> Iterator[str]:
    if result.error or expected.error:
        yield f"{name}: {result.error!r}, before {expected.error!r}"
        return
    if not same(expected.outputs, result.outputs):
        yield f"{name}: outputs {result.outputs}, before {expected.outputs}"
    if (expected.printed, expected.logged) != (result.printed, result.logged):
        yield (
            f"{name}: wrote {result.printed!r} {result.logged}, "
            f"before {expected.printed!r} {expected.logged}"
        )


def _groups(chosen: list[Advice]) -> list[list[Advice]]:
    """What shares a fork: all, split over the processors; no program leaves a setting behind."""
    shares = min(_PROCESSES, len(chosen))
    return [chosen[n::shares] for n in range(shares)]


def _in_forks(groups: list[list[Advice]], folder: Path) -> dict[str, list[str]]:
    """What does not hold, by advice; runs as many groups at once as there are processors."""
    running: set[int] = set()
    for number, group in enumerate(groups):
        if len(running) >= _PROCESSES:
            running.discard(os.wait()[0])
        pid = os.fork()
        if pid == 0:
            _run_group(group, folder / str(number))
        running.add(pid)
    while running:
        running.discard(os.wait()[0])
    lines = [line for path in folder.glob("*/answers") for line in path.read_text().splitlines()]
    return {answer["id"]: answer["problems"] for answer in map(json.loads, lines)}


def _run_group(group: list[Advice], folder: Path) -> NoReturn:
    try:
        with (folder.parent / "torch.log").open("a") as log:
            os.dup2(log.fileno(), 2)  # torch warns of what is broken on purpose
        for advice in group:
            signal.alarm(_MOST_SECONDS)  # one that hangs is a failure, not a long test
            place = folder / advice.id
            place.mkdir(parents=True)
            os.chdir(place)
            found = list(problems(advice, place))
            with (folder / "answers").open("a") as answers:
                answers.write(json.dumps({"id": advice.id, "problems": found}) + "\n")
    finally:
        os._exit(0)


def _warm_up() -> None:
    """Imports what the first compilation imports anyway, once for all forks.

    Nothing here needs a gradient: a process in which autograd has run cannot run it in a fork.
    """
    registry.list_backends(exclude_tags=())
    for backend in ("eager", "aot_eager"):
        _COMPILE(lambda x: x * 2 + 1, backend=backend, fullgraph=True)(torch.ones(2))


def main(names: list[str]) -> int:
    """Runs the advice of these names, or all; returns 1 where some does not hold."""
    _warm_up()
    version = ".".join(torch.__version__.split(".")[:2])
    chosen = [advice for advice in ALL if not names or advice.id in names]
    with tempfile.TemporaryDirectory() as folder:
        found = _in_forks(_groups(chosen), Path(folder))
    failed = False
    for advice in chosen:
        said = found.get(advice.id, ["no answer: it, or one before it, hung or crashed"])
        failed = failed or bool(said) is (version in advice.tested_on)
        print(json.dumps({"id": advice.id, "torch": version, "problems": said}))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
