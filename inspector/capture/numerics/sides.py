"""A program's results in eager PyTorch, compiled, and in float64."""

from __future__ import annotations

import contextlib
import dataclasses
import logging
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import torch

from inspector.capture.bench.captured import Captured, capturing
from inspector.capture.bench.changed import changed_by, gradients_of
from inspector.capture.bench.errors import others_of, wrong_in
from inspector.capture.bench.failing import failing
from inspector.capture.bench.make_program import make_program
from inspector.capture.bench.program import Program
from inspector.capture.bench.scales import scales_of
from inspector.capture.calls.outputs import SavedResults, saved_results
from inspector.capture.execution.execution import write_target
from inspector.capture.execution.trial import seed
from inspector.capture.log.environment import environment
from inspector.capture.numerics import harness
from inspector.capture.numerics.kept import Keeper, difference
from inspector.capture.numerics.operators import Observer, Operator
from inspector.capture.quiet import quiet
from inspector.capture.recording.handler import attach
from inspector.capture.target.call import fresh
from inspector.capture.target.target import Target, load_target
from inspector.capture.writer import emit
from inspector.shared.bench import WorkerRequest, Workload
from inspector.shared.request import Request

_MOST_BYTES = 4 << 30  # of results that are kept for the comparison


@dataclasses.dataclass(slots=True)
class Sides:
    """What the calls with one input gave, and the graphs that they run.

    Attributes:
        compiled: None where the compiler raised the `error`.
        dynamo: What the captured graphs give without a backend; None where Dynamo raised
            `in_dynamo`.
        other: The first operator that these call otherwise than the program.
        exact: In float64; None where the program does not run so.
        made: The operators of eager PyTorch that make the first ``NaN`` and ``Inf``.
    """

    index: int
    eager: SavedResults
    made: dict[str, Operator]
    compiled: SavedResults | None
    error: Exception | None
    graphs: list[Captured]
    dynamo: SavedResults | None
    in_dynamo: Exception | None
    other: Operator | None = None
    exact: SavedResults | None = None

    @property
    def wrong(self) -> list[str]:
        """The results that differ by more than rounding."""
        return self._wrong(self.compiled)

    @property
    def wrong_in_dynamo(self) -> list[str]:
        """The same without a backend: what Dynamo captured is another program."""
        return self._wrong(self.dynamo)

    def _wrong(self, kept: SavedResults | None) -> list[str]:
        if kept is None:
            return []
        missing = [item.name for item in others_of("eager", kept, self.eager)]
        scales = scales_of(self.eager, self.exact)
        return [*missing, *wrong_in(kept, self.eager, self.exact, scales)]


class Session:
    """A target that is called with and without the compiler."""

    def __init__(
        self, folder: Path, request: Request, prepare: Callable[[Target], object] | None = None
    ) -> None:
        """Loads the target, and prepares it.

        Raises:
            InspectorError: It cannot be loaded.
        """
        self.request = request
        handler = attach(folder, project=None).handler
        seed(0)
        self.target: Target = load_target(request)
        if prepare is not None:
            prepare(self.target)
        emit(environment(self.target.root, asks_for_gpus=True))
        write_target(self.target, handler.sources)
        self._asked = WorkerRequest(
            request, Workload(train=request.train), compiles_optimizer=False, eager=False,
            combination=0, session=0,
        )  # fmt: skip
        self.program: Program = make_program(self.target, self._asked)

    def sides(self) -> list[Sides]:
        """All results of all inputs; the model is in float64 afterwards.

        Raises:
            InspectorError: A call fails without the compiler.
        """
        with harness.settings({}):
            found = [self._side(index) for index in range(len(self.program.calls))]
        with contextlib.suppress(Exception), quiet():
            reference = dataclasses.replace(self._asked, is_reference=True, eager=True)
            wide = make_program(self.target, reference)
            for side in found:
                side.exact = results_of(wide, wide.plain, side.index)
        return found

    def eager(self, index: int, observer: Observer) -> SavedResults:
        """All results of an input without the compiler.

        Raises:
            InspectorError: The call fails.
        """
        plain = observer.around(self.program.plain)
        with self.failing(index, is_eager=True):
            return results_of(self.program, plain, index)

    def failing(self, index: int, *, is_eager: bool) -> AbstractContextManager[None]:
        """What a call with an input raises becomes a sentence with the user's own traceback."""
        step = self.program.next_step if is_eager else ""
        return failing(
            self.target, self.program.shown(index), step, is_eager=is_eager, request=self.request
        )

    def _side(self, index: int) -> Sides:
        program = self.program
        observer = Observer()
        eager = self.eager(index, observer)
        graphs: list[Captured] = []
        captured = torch.compile(program.plain, backend=capturing(graphs))
        compiled, error = _tried(program, program.function, index)
        torch.compiler.reset()
        dynamo, in_dynamo = _tried(program, captured, index)
        side = Sides(index, eager, observer.made, compiled, error, graphs, dynamo, in_dynamo)
        if side.wrong_in_dynamo:
            with contextlib.suppress(Exception), quiet():
                side.other = _first_other(program, index)
        torch.compiler.reset()
        return side


def _first_other(program: Program, index: int) -> Operator | None:
    """The first ATen operator of the program that Dynamo's graphs call otherwise, or do not."""
    keeper, others = Keeper(), list[Operator]()
    captured = Observer(keeper)

    def compare(operator: Operator) -> None:
        kept = keeper.operators.get(operator.key)
        if not others and (kept is None or difference(operator, kept).is_off):
            others.append(operator)

    graphs = torch.compile(program.plain, backend=lambda graph, _: captured.around(graph))
    torch.compiler.reset()
    for function in (graphs, Observer(compare).around(program.plain)):
        seed(1 + index)
        program.forward(function, index)
    torch.compiler.reset()
    return next(iter(others), None)


def _tried(
    program: Program, function: Callable[..., object], index: int
) -> tuple[SavedResults | None, Exception | None]:
    with quiet():
        try:
            return results_of(program, function, index), None
        except Exception as error:  # noqa: BLE001 - whatever the compiler raises
            return None, error


def results_of(program: Program, function: Callable[..., object], index: int) -> SavedResults:
    """Copies of what a call gives, changes, and of its gradients."""
    program.state.begin_again()
    seed(1 + index)
    given = fresh(program.calls[index])
    outputs = dataclasses.replace(program, function=function).call(given)
    where = f"input {index + 1}"
    values = {f"output of {where}": outputs}
    if program.workload.train:
        values |= gradients_of(program, given, where)
    values |= changed_by(program, index, given, where)
    return saved_results(values, _MOST_BYTES)


@contextlib.contextmanager
def unrecorded() -> Iterator[None]:
    """Without torch's trace: hundreds of compilations that are none of the program's."""
    log = logging.getLogger("torch.__trace")
    log.disabled, before = True, log.disabled
    try:
        yield
    finally:
        log.disabled = before
