"""Which part of the compiler makes the difference: what is switched off, and what that changes."""

from __future__ import annotations

import contextlib
import dataclasses
import re
import sys
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any
from unittest import mock

from torch._inductor import config
from torch._inductor.compiler_bisector import CompilerBisector
from torch.fx.passes.graph_transform_observer import GraphTransformObserver

from inspector.capture.repro.faults import Fault
from inspector.records.repro import SwitchedOff

Shows = Callable[..., Fault | None]
"""The fault that the smallest graph shows with another `backend` or with `settings`."""

# The backends that do more and more of what Inductor does, and what each adds.
_LADDER = (
    ("eager", "Dynamo"),
    ("aot_eager", "AOTAutograd"),
    ("aot_eager_decomp_partition", "decompositions"),
)
# Settings of `torch._inductor.config`.
_SETTINGS: tuple[tuple[str, str, object], ...] = (
    ("CUDA graphs", "triton.cudagraphs", False),
    ("layout optimization", "layout_optimization", False),
    ("stride padding", "comprehensive_padding", False),
    ("in-place buffers", "inplace_buffers", False),
    ("buffer reuse", "allow_buffer_reuse", False),
    ("fusion", "max_fusion_size", 1),
    ("vectorized C++ code", "cpp.simdlen", 0),
    ("fusion without intermediate rounding", "emulate_precision_casts", True),
)
_PASSES = {
    "pre_grad": "pre-grad passes",
    "joint_graph": "joint-graph passes",
    "post_grad": "post-grad passes",
}
# How torch names an operator to its bisector: ``aten.silu.default`` as Python shows the object.
_OVERLOAD = re.compile(r"<OpOverload\(op='([\w.:]+)', overload='(\w+)'\)>")
_BISECT = "TORCH_BISECT_BACKEND={} TORCH_BISECT_SUBSYSTEM={} TORCH_BISECT_MAX={}"


@dataclasses.dataclass(frozen=True, slots=True)
class Subsystem:
    """Where in the compiler a fault is.

    Attributes:
        inside: What does it wrong there: a node, a pass, a decomposition.
    """

    name: str
    inside: str = ""
    rows: tuple[SwitchedOff, ...] = ()


def subsystem_of(shows: Shows, backend: str, fault: Fault) -> Subsystem:
    """Switches the parts of the compiler off, one after the other.

    Where an exception was raised says the rest: what avoids it may only be before or after.
    """
    rows: list[SwitchedOff] = []
    for ladder, name in _LADDER:
        found = shows(backend=ladder)
        rows.append(_row(f"everything after {name}", found, f"--backend {ladder}"))
        if found is not None:
            inside = ""
            if name == "decompositions":
                one, more = _counted(shows, name, ladder)
                rows, inside = [*rows, *more], one.removeprefix(f"{name}: ")
            return Subsystem(name, inside, tuple(rows))
    if backend != "inductor":
        return Subsystem(f"the backend {backend}", "", tuple(rows))
    cures: list[tuple[str, str]] = []
    for kind in ("passes", "settings", "lowerings"):
        name, more = _settings(shows) if kind == "settings" else _counted(shows, kind, "")
        rows += more
        if name:
            stage, _, inside = name.partition(": ")
            cures.append((stage, inside))
    stage, inside = next(iter(cures), ("", ""))
    if fault.stage:
        inside = next((inside for stage, inside in cures if stage == fault.stage), fault.inside)
        stage = fault.stage
    return Subsystem(stage or "code generation", inside, tuple(rows))


def _row(what: str, found: Fault | None, replay: str) -> SwitchedOff:
    said = "" if found is None else f"{found.exception}: {found.said}".removeprefix(": ")
    command = (
        f"{replay} python repro.py" if replay.startswith("TORCH_") else f"python repro.py {replay}"
    )
    return SwitchedOff(what, said, command if replay else "")


def _settings(shows: Shows) -> tuple[str, list[SwitchedOff]]:
    rows, cures = [], []
    for name, setting, off in _SETTINGS:
        owner: Any = config
        *path, leaf = setting.split(".")
        for part in path:
            owner = getattr(owner, part)
        if getattr(owner, leaf, off) != off:
            found = shows(settings={setting: off})
            rows.append(_row(name, found, f"{setting}={off!r}"))
            cures += [] if found is not None else [name]
    return next(iter(cures), ""), rows


@contextlib.contextmanager
def _without(kind: str, off: Collection[str]) -> Iterator[list[str]]:
    """Leaves out what is named of one kind; yields the names of what is applied, in order."""
    kinds = {"lowerings": "lowerings", "decomposition": "decompositions"}
    names: list[str] = []

    def is_off(name: str) -> bool:
        names.append(name)
        return name in off

    def disabled(_backend: str, subsystem: str, debug: Callable[[], str] | None = None) -> bool:
        if kinds.get(subsystem) != kind:
            return False
        return is_off(_OVERLOAD.sub(r"\1.\2", debug() if debug is not None else ""))

    def skipped(observer: Any) -> bool:
        if kind != "passes":
            return bool(before(observer))
        return is_off(f"{_stage()}: {observer.passname}")

    before = GraphTransformObserver._check_disable_pass  # noqa: SLF001
    with (
        mock.patch.object(CompilerBisector, "disable_subsystem", disabled),
        mock.patch.object(GraphTransformObserver, "_check_disable_pass", skipped),
    ):
        yield names


def _stage() -> str:
    """Which passes the one is of that is about to be applied."""
    frame = sys._getframe(1)  # noqa: SLF001 - as `logging` does
    while frame.f_back is not None:
        frame = frame.f_back
        stem = frame.f_code.co_filename.rpartition("/")[2].removesuffix(".py")
        if stem in _PASSES:
            return _PASSES[stem]
    return "graph passes"


def _counted(shows: Shows, kind: str, backend: str) -> tuple[str, list[SwitchedOff]]:
    """What of many things of one kind makes the difference, by halving them.

    What is applied several times, as a decomposition is, is left out everywhere.
    """
    names: list[str] = []

    def found_without(off: Sequence[str]) -> Fault | None:
        with _without(kind, off) as applied:
            found = shows(backend=backend)
        names.extend(() if off else applied)
        return found

    fault = found_without(())
    culprit = _curing([*dict.fromkeys(names)], found_without, fault)
    if culprit is None:
        return "", [_row(kind, fault, "")]
    name = culprit if kind == "passes" else f"{kind}: {culprit}"
    return name, [_row(name, None, _replay(kind, names, culprit))]


def _curing(
    names: Sequence[str], found_without: Callable[[Sequence[str]], Fault | None], fault: Any
) -> str | None:
    """The first of these without which the fault is gone, if there is one."""
    if not names:
        return None
    found = found_without(names)
    if found is None and len(names) == 1:
        return names[0]
    # What has to be applied raises another exception without it; the others are tried apart.
    if len(names) == 1 or (found is not None and found.is_same(fault)):
        return None
    middle = len(names) // 2
    for half in (names[:middle], names[middle:]):
        culprit = _curing(half, found_without, fault)
        if culprit is not None:
            return culprit
    return None


def _replay(kind: str, names: Sequence[str], culprit: str) -> str:
    if kind == "passes":
        return f'"disabled_passes={culprit.partition(": ")[2]!r}"'
    subsystem = {"lowerings": "lowerings", "decompositions": "decomposition"}[kind]
    backend = "inductor" if kind == "lowerings" else "aot_eager_decomp_partition"
    return _BISECT.format(backend, subsystem, names.index(culprit) - 1)
