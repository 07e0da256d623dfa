"""What the process of `inspect repro` does: it finds the fault and makes it small."""

from __future__ import annotations

import dataclasses
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from torch import fx

from inspector.capture.bench.captured import Captured, operator_name, place_of, where
from inspector.capture.numerics.sides import Session, Sides, unrecorded
from inspector.capture.repro.faults import Fault, Subject, raised_fault, subject_of
from inspector.capture.repro.repro_file import checked, graph_text, head_of, program_text, versions
from inspector.capture.repro.subsystems import Subsystem, subsystem_of
from inspector.capture.roots import is_of_project
from inspector.capture.writer import emit
from inspector.records.repro import Repro
from inspector.shared.request import Request

_Item = TypeVar("_Item")
_SECONDS = 120.0
_HOW = ("backend", "mode", "dynamic", "fullgraph")


def reproduce(folder: Path, request: Request) -> None:
    """Looks for a fault of the compiler, makes it small and writes the file that shows it.

    Raises:
        InspectorError: The target cannot be loaded, or fails without the compiler.
    """
    session = Session(folder, request)
    with unrecorded():
        found = next(filter(None, map(_Search(session).found, session.sides())), Repro())
    emit(found)


class _Search:
    def __init__(self, session: Session) -> None:
        self._session = session
        self._request = session.request
        self._began_ns = time.perf_counter_ns()
        self._end = 0.0
        self._tests = 0

    def found(self, sides: Sides) -> Repro | None:
        """The fault of the calls with one input; None if there is none."""
        fault = raised_fault(sides.error) if sides.error is not None else None
        if fault is None and not sides.wrong:
            return None
        for captured in sides.graphs:
            subject = self._subject(captured)
            shown = self._shown(subject, captured.operators)
            if shown is not None and (fault is None or fault.is_same(shown)):
                return self._reduced(subject, shown)
        return self._unreduced(sides, fault or Fault(sides.wrong[0]))

    def _unreduced(self, sides: Sides, fault: Fault) -> Repro:
        """The whole program, where no graph of it shows the fault: Dynamo may be wrong."""
        in_dynamo = sides.in_dynamo is not None or sides.wrong_in_dynamo
        part = Subsystem("Dynamo" if in_dynamo else "")
        if sides.in_dynamo is not None:
            fault = raised_fault(sides.in_dynamo)
        operator = sides.other
        if operator is not None:
            part = dataclasses.replace(part, inside=operator.name)
        found = self._base(fault, part)
        if not self._session.target.file:
            return found
        how = {
            "compile_with": self._compile_with("eager" if in_dynamo else ""),
            "no_grad": self._session.program.no_grad,
            "backward": self._request.train,
        }
        call = self._session.program.calls[sides.index]
        body = program_text(self._session.target, call, how)
        head = head_of(f"{_said(fault)}. {part.name or 'Unknown'}, {versions()}.", ())
        found = checked(found, fault, (head, body), self._modules(), self._session.target.root)
        return dataclasses.replace(found, **where(operator.place if operator is not None else None))

    def _subject(self, captured: Captured) -> Subject:
        no_grad, train = self._session.program.no_grad, self._request.train
        return subject_of(captured, self._compile_with(), no_grad=no_grad, backward=train)

    def _compile_with(self, backend: str = "") -> dict[str, object]:
        names = ("backend", "dynamic", "fullgraph") if backend else _HOW
        how = {name: getattr(self._request, name) for name in names}
        how = {name: value for name, value in how.items() if value is not None and value != ""}
        if not how["fullgraph"]:
            del how["fullgraph"]
        return {**how, "backend": backend} if backend else how

    def _shown(self, subject: Subject, operators: Sequence[fx.Node]) -> Fault | None:
        part = subject.part(operators)
        if not part.has_results:
            return None
        self._tests += 1
        return subject.fault(part)

    def _is_over(self) -> bool:
        return time.monotonic() > self._end

    def _reduced(self, subject: Subject, fault: Fault) -> Repro:
        whole = subject.captured.operators
        self._end = time.monotonic() + (self._request.seconds or _SECONDS)
        operators = smallest(
            whole, lambda some: fault.is_same(self._shown(subject, some)), self._is_over
        )
        part = subject.part(operators)
        is_cut_off = self._is_over()
        last = self._shown(subject, operators) or fault

        def shows(**how: object) -> Fault | None:
            self._tests += 1
            return subject.fault(part, **how)  # type: ignore[arg-type]

        subsystem = subsystem_of(shows, self._request.backend, last)
        names = tuple(operator_name(subject.captured.graph, node) for node in operators)
        title = f"{_said(last)}. {', '.join(names[:4])}, {subsystem.name}, {versions()}."
        replays = [_command(row.replay) for row in subsystem.rows if row.replay and not row.fault]
        texts = head_of(title, replays), graph_text(subject, part)
        found = self._base(last, subsystem)
        return dataclasses.replace(
            checked(found, last, texts, self._modules(), self._session.target.root),
            operators=names,
            operators_before=len(whole),
            is_cut_off=is_cut_off,
            **where(place_of(operators[-1])),
        )

    def _base(self, fault: Fault, subsystem: Subsystem) -> Repro:
        rows = tuple(
            dataclasses.replace(row, replay=_command(row.replay) if row.replay else "")
            for row in subsystem.rows
        )
        return Repro(
            kind="crash" if fault.exception else "wrong",
            exception=fault.exception,
            said=fault.said,
            subsystem=subsystem.name,
            inside=subsystem.inside,
            rows=rows,
            took_ns=time.perf_counter_ns() - self._began_ns,
            tests=self._tests,
        )

    def _modules(self) -> list[str]:
        """The project's modules that are loaded, the target itself last."""
        file, root = self._session.target.file, self._session.target.root
        own = [
            (name, str(path))
            for name, module in [*sys.modules.items()]
            if (path := getattr(module, "__file__", None))
            and is_of_project(path, root)
            and not name.startswith(("inspector", "__"))
        ]
        return [name for name, path in sorted(own, key=lambda item: item[1] == file)]


def _said(fault: Fault) -> str:
    return f"{fault.exception}: {fault.said}" if fault.exception else f"Wrong result: {fault.said}"


def _command(replay: str) -> str:
    """The command that runs the file with something switched off."""
    if replay.startswith("TORCH_"):
        return f"{replay} python repro.py"
    return f"python repro.py {replay}"


def smallest(
    items: Sequence[_Item], shows: Callable[[Sequence[_Item]], bool], is_over: Callable[[], bool]
) -> Sequence[_Item]:
    """Leaves out as many as it can, in halves, quarters and so on, the last ones first.

    That is Zeller's ddmin ("Simplifying and isolating failure-inducing input", 2002) without its
    tests of the parts themselves, which for a graph are what its ends are left out for.

    Args:
        shows: Whether some of them show it; all of them do.
        is_over: Whether there is no time left: what was reached by then is the answer.
    """
    size = len(items) // 2
    while size and not is_over():
        before, end = len(items), len(items)
        while end > 0 and not is_over():
            begin = max(0, end - size)
            rest = [*items[:begin], *items[end:]]
            if rest and shows(rest):
                items = rest
            end = begin
        if len(items) == before or size > 1:
            size = min(size // 2, max(1, len(items) // 2)) if size > 1 else 0
    return items
