"""Fingerprints of findings stay through edits elsewhere, and tell findings apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from inspector import plugins
from inspector.report.report import make_report
from inspector.run.sources.recording import opened, read_run
from inspector.shared.request import Request
from tests.compile import warm_python

MODEL = """
import torch

class Net(torch.nn.Module):
    def forward(self, x, n):
        x = self.helper(x * 2)
        if x.sum() > 0:
            x = x + 1
        return x * n

    def helper(self, x):
        print("inside")
        return x + 1

model = Net()
example_inputs = [(torch.ones(4), 2), (torch.ones(4), 3)]
"""
ANOTHER = """
    def unrelated(self):
        return "a function that was not there before"
"""
EDITS: dict[str, Callable[[str], str]] = {
    "30 lines above": lambda text: text.replace(
        "        x = self.helper", "        # a comment\n" * 30 + "        x = self.helper"
    ),
    "re-indented": lambda text: "if True:" + text.replace("\n", "\n      "),
    "a new function": lambda text: text.replace("\nmodel =", ANOTHER + "\nmodel ="),
}


def prints(file: Path, source: str, directory: Path | None = None) -> list[tuple[str, str]]:
    """Rule and fingerprint of a model file's findings, recorded from a directory above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(source)
    where = directory or file.parent
    folder = where / "recording"
    target = str(file.relative_to(where))
    warm_python.record(folder, Request(target, measure=False), where)
    with opened(folder) as recording:
        run = read_run(recording)
    report = make_report(run, plugins.load_rules("run"))
    return sorted((finding.rule, finding.fingerprint) for finding in report.findings)


@pytest.fixture(scope="module")
def before(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, str]]:
    return prints(tmp_path_factory.mktemp("before") / "project" / "model.py", MODEL)


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_elsewhere_keeps_them(
    tmp_path: Path, before: list[tuple[str, str]], name: str
) -> None:
    after = prints(tmp_path / "after" / "model.py", EDITS[name](MODEL))

    assert {rule for rule, _ in before} == {"graph-break", "recompile"}
    assert len(before) == len(set(before)) == 3
    assert after == before


def test_another_working_directory_keeps_them(
    tmp_path: Path, before: list[tuple[str, str]]
) -> None:
    assert prints(tmp_path / "sub" / "model.py", MODEL, tmp_path) == before


def test_the_same_break_in_another_function_differs(
    tmp_path: Path, before: list[tuple[str, str]]
) -> None:
    again = '    def again(self, x):\n        print("inside")\n        return x + 1\n\n'
    twice = MODEL.replace("    def helper", again + "    def helper")
    twice = twice.replace("return x * n", "return self.again(x) * n")
    after = prints(tmp_path / "after" / "model.py", twice)

    breaks = {(rule, one) for rule, one in after if rule == "graph-break"}
    assert len(breaks - set(before)) == 1
