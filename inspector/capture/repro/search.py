"""What the process of `inspect repro` does: it finds the fault and makes it small."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import fx

from inspector.capture.bench.captured import Captured, operator_name, place_of, where
from inspector.capture.numerics.sides import Session, Sides, unrecorded
from inspector.capture.repro.faults import Fault, Subject, raised_fault, subject_of
from inspector.capture.repro.repro_file import checked, graph_text, head_of, program_text
from inspector.capture.repro.subsystems import Subsystem, subsystem_of
from inspector.capture.roots import is_of_project
from inspector.capture.writer import emit
from inspector.records.repro import Repro
from inspector.shared.request import Request

_SECONDS = 120.0
T = TypeVar("T")


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
        self._end = 0.0

    def found(self, sides: Sides) -> Repro | None:
        """The fault of the calls with one input; None if there is none."""
        fault = raised_fault(sides.error) if sides.error is not None else None
        if fault is None and not sides.wrong:
            return None
        for captured in sides.graphs:
            subject = self._subject(captured)
            shown = _shown(subject, captured.operators)
            if shown is not None and (fault is None or fault.is_same(shown)):
                return self._reduced(subject, shown)
        return self._unreduced(sides, fault or Fault(sides.wrong[0]))

    def _unreduced(self, sides: Sides, fault: Fault) -> Repro:
        """The whole program, where no graph of it shows the fault: Dynamo may be wrong."""
        in_dynamo = sides.in_dynamo is not None or sides.wrong_in_dynamo
        if sides.in_dynamo is not None:
            fault = raised_fault(sides.in_dynamo)
        program, other = self._session.program, sides.other
        part = Subsystem("Dynamo" if in_dynamo else "", other.name if other is not None else "")
        body = program_text(
            self._session.target,
            program.calls[sides.index],
            self._compile_with("eager" if in_dynamo else ""),
            f"no_grad={program.no_grad}, backward={self._request.train}",
        )
        place = other.place if other is not None else where(None)
        return self._repro(fault, part, body, **place)

    def _subject(self, captured: Captured) -> Subject:
        no_grad, train = self._session.program.no_grad, self._request.train
        return subject_of(captured, self._compile_with(), no_grad=no_grad, backward=train)

    def _compile_with(self, backend: str = "") -> dict[str, object]:
        names = ("dynamic", "fullgraph", *(() if backend else ("mode",)))
        how = {name: getattr(self._request, name) for name in names}
        given = {name: it for name, it in how.items() if it or (name == "dynamic" and it is False)}
        return {"backend": backend or self._request.backend, **given}

    def _is_over(self) -> bool:
        return time.monotonic() > self._end

    def _reduced(self, subject: Subject, fault: Fault) -> Repro:
        whole = subject.captured.operators
        self._end = time.monotonic() + (self._request.seconds or _SECONDS)
        operators = smallest(
            whole, lambda some: fault.is_same(_shown(subject, some)), self._is_over
        )
        part = subject.part(operators)
        is_cut_off = self._is_over()
        last = _shown(subject, operators) or fault

        def shows(**how: Any) -> Fault | None:
            return subject.fault(part, **how)

        return self._repro(
            last,
            subsystem_of(shows, self._request.backend, last),
            graph_text(subject, part),
            operators=tuple(operator_name(subject.captured.graph, node) for node in operators),
            operators_before=len(whole),
            is_cut_off=is_cut_off,
            **where(place_of(operators[-1])),
        )

    def _repro(self, fault: Fault, part: Subsystem, body: str, **more: Any) -> Repro:
        """The fault with its file, which a fresh process has run."""
        kind = fault.exception or "Wrong result"
        names = (*more.get("operators", ())[:4], part.name or "unknown subsystem")
        title = f"{kind}: {fault.said}. {', '.join(names)}, torch {torch.__version__}."
        replays = [row.replay for row in part.rows if row.replay and not row.fault]
        root = self._session.target.root
        return Repro(
            kind="crash" if fault.exception else "wrong",
            exception=fault.exception,
            said=fault.said,
            subsystem=part.name,
            inside=part.inside,
            rows=part.rows,
            **checked(fault, head_of(title, replays), body, self._modules(), root),
            **more,
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


def _shown(subject: Subject, operators: Sequence[fx.Node]) -> Fault | None:
    part = subject.part(operators)
    return subject.fault(part) if part.has_results else None


def smallest(
    items: Sequence[T], shows: Callable[[Sequence[T]], bool], is_over: Callable[[], bool]
) -> Sequence[T]:
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
