"""The fixture ``compiled`` for pytest: what torch.compile makes of a model, as assertions.

    def test_model(compiled):
        compiled(model, inputs).has_no_graph_breaks()

Snapshots are text files in ``__inspect__`` next to the test; ``--inspect-update`` writes them.
Every pytest run in the environment imports this module, so that it imports nothing but pytest.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import difflib
import importlib.util
import logging
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from inspector.library.recording import ShownReport
    from inspector.report.finding import Finding
    from inspector.run.kernel import Kernel

_FOLDER = "__inspect__"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Adds ``--inspect-update``."""
    parser.getgroup("torch-inspector").addoption(
        "--inspect-update", action="store_true", help="Update the snapshots of compiled models."
    )


@dataclasses.dataclass(frozen=True, slots=True)
class Compiled:
    """A model that was compiled and called, and what came of it.

    Attributes:
        report: As `inspector.explain` returns it.
        snapshot: The file that `matches_snapshot` compares with.
    """

    report: ShownReport
    snapshot: Path
    updates: bool

    def has_no_graph_breaks(self) -> Compiled:
        """Fails with the line, cause and fix of each graph break."""
        __tracebackhide__ = True
        return self._has_none("graph-break", self.report.summary.graph_breaks, "graph break")

    def has_no_recompiles(self) -> Compiled:
        """Fails with what changed, for each function that was recompiled."""
        __tracebackhide__ = True
        return self._has_none("recompile", self.report.summary.recompiles, "recompilation")

    def has_graphs(self, number: int) -> Compiled:
        """Fails if there are more or fewer graphs."""
        __tracebackhide__ = True
        found = self.report.summary.graphs
        if found != number:
            pytest.fail(f"{found} graphs, expected {number}\n\n{self.report}", pytrace=False)
        return self

    def has_kernels(self, *, at_most: int) -> Compiled:
        """Fails if Inductor generated more kernels; needs ``backend="inductor"``."""
        __tracebackhide__ = True
        if not any(process.codes.texts for process in self.report.run.processes):
            pytest.fail('no code was generated: pass backend="inductor"', pytrace=False)
        found = _kernels(self.report)
        if len(found) > at_most:
            lines = "\n".join(_shown_kernel(self.report, kernel) for kernel in found)
            expected = f"{len(found)} kernels, at most {at_most} expected"
            pytest.fail(f"{expected}\n\n{lines}", pytrace=False)
        return self

    def matches_snapshot(self) -> Compiled:
        """Fails with a diff if counts or findings changed since the snapshot was written."""
        __tracebackhide__ = True
        text = _snapshot(self.report)
        if self.updates:
            self.snapshot.parent.mkdir(exist_ok=True)
            self.snapshot.write_text(text, "utf-8")
            return self
        if not self.snapshot.exists():
            pytest.fail(f"no snapshot {self.snapshot}: run with --inspect-update", pytrace=False)
        before = self.snapshot.read_text("utf-8")
        if before != text:
            lines = difflib.unified_diff(
                before.splitlines(), text.splitlines(), "snapshot", "now", lineterm="", n=1
            )
            pytest.fail("\n".join((*lines, "", str(self.report))), pytrace=False)
        return self

    def _has_none(self, rule: str, number: int, noun: str) -> Compiled:
        __tracebackhide__ = True
        if number:
            found = [item for item in self.report.findings if item.rule == rule]
            lines = "\n\n".join(map(_shown, found))
            plural = "" if number == 1 else "s"
            pytest.fail(f"{number} {noun}{plural}\n\n{lines}", pytrace=False)
        return self


@pytest.fixture
def compiled(request: pytest.FixtureRequest) -> Callable[..., Compiled]:
    """Compiles a model and calls it: ``compiled(model, *inputs, backend="eager", …)``.

    A tuple is all inputs. Options are those of `inspector.explain`. Each call in a test has its own
    snapshot.
    """
    if importlib.util.find_spec("torch") is None:
        pytest.skip("torch is not installed")
    calls: list[Compiled] = []

    def call(model: Any, *inputs: Any, **options: Any) -> Compiled:  # noqa: ANN401 - torch's
        import inspector

        if len(inputs) == 1 and isinstance(inputs[0], tuple):
            (inputs,) = inputs
        # The kernels are read out of the recording, which is kept with the files of the test.
        kept = request.getfixturevalue("tmp_path_factory").mktemp("compiled") / "recording"
        with _quiet():
            given = {"measure": False, "path": kept, **options}
            report = inspector.explain(model, *inputs, **given)
        number = f"-{len(calls) + 1}" if calls else ""
        name = re.sub(r"[^\w.-]+", "_", f"{request.path.stem}.{request.node.name}{number}")
        place = request.path.parent / _FOLDER / f"{name}.txt"
        calls.append(Compiled(report, place, request.config.getoption("--inspect-update")))
        return calls[-1]

    return call


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Torch's trace is for the recording, and not for the log that pytest shows."""
    logger = logging.getLogger("torch.__trace")
    handlers = [item for item in logger.handlers if type(item).__module__ == "_pytest.logging"]
    for handler in handlers:
        logger.removeHandler(handler)
    try:
        yield
    finally:
        for handler in handlers:
            logger.addHandler(handler)


def _shown(finding: Finding) -> str:
    place = finding.place
    code = next((line.text.strip() for line in place.excerpt if line.number == place.line), "")
    parts = [f"{place.file}:{place.line}: {finding.message}", f"    {code}" if code else ""]
    parts += [f"  why: {finding.why}" if finding.why else ""]
    parts += [f"  fix: {finding.fix}" if finding.fix else ""]
    return "\n".join(filter(None, parts))


def _kernels(report: ShownReport) -> list[Kernel]:
    from inspector.features.kernels.report import make_kernels_report

    return [row.kernel for row in make_kernels_report(report.run).rows if not row.is_candidate]


def _shown_kernel(report: ShownReport, kernel: Kernel) -> str:
    """The kernel, and the lines of the model that it computes."""
    shown = report.run.roots.shown
    lines = [f"    {shown(node.file)}:{node.line}: {node.code}" for node in kernel.lines]
    return "\n".join((kernel.name, *lines))


def _snapshot(report: ShownReport) -> str:
    """Counts, kernels and findings without numbers of lines: other edits change nothing."""
    summary = report.summary
    lines = [
        f"graphs: {summary.graphs}",
        f"operators: {', '.join(map(str, summary.operators_per_graph))}",
        f"graph breaks: {summary.graph_breaks}",
        f"recompilations: {summary.recompiles}",
    ]
    names = collections.Counter(kernel.name.rstrip("_0123456789") for kernel in _kernels(report))
    lines += [f"kernel: {name}" for name in sorted(names.elements())]
    for item in report.findings:
        excerpt = {line.number: line.text.strip() for line in item.place.excerpt}
        name = Path(item.place.file).name
        lines.append(f"{item.rule} in {name}: {item.message}: {excerpt.get(item.place.line, '')}")
    return "\n".join(line.rstrip(": ") for line in lines) + "\n"
