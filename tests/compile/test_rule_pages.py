"""The programs on the pages of the rules: the tool finds in each what its page says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.compile.processes import finished, inspected
from tests.compile.warm_python import INSPECT
from tests.rule_pages import examples

pytestmark = pytest.mark.compile
PROGRAMS = {name: example for name, example in examples().items() if example.program}
_KERNELS = {  # kernel-small is about all kernels of a program
    name: example
    for name, example in PROGRAMS.items()
    if example.command[0] == "kernels" and name != "kernel-small"
}


def _findings(folder: Path, *command: str) -> Any:
    if command[0] == "run":
        inspected("run", "--save", "kept", *command[1:], folder=folder)
        command = ("explain", "kept")
    done = finished([*INSPECT, *command, "--format", "json"], folder)
    assert done.stdout, done.stderr
    return json.loads(done.stdout)["findings"]


@pytest.mark.parametrize("rule", sorted(PROGRAMS.keys() - _KERNELS))
def test_programs(rule: str, tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(PROGRAMS[rule].program)
    PROGRAMS[rule].check(_findings(tmp_path, *PROGRAMS[rule].command))


@pytest.fixture(scope="module")
def kernels(tmp_path_factory: pytest.TempPathFactory) -> Sequence[Mapping[str, Any]]:
    """What is found in the kernels of all programs with the same command, compiled at once."""
    pytest.importorskip("triton")
    found: list[Mapping[str, Any]] = []
    for command in {example.command for example in _KERNELS.values()}:
        folder = tmp_path_factory.mktemp("kernels")
        together = {_module(n): e.program for n, e in _KERNELS.items() if e.command == command}
        for name, program in together.items():
            (folder / f"{name}.py").write_text(program)
        (folder / "model.py").write_text("\n".join(_together([*together])))
        found += _findings(folder, *command)
    return found


def _module(rule: str) -> str:
    return rule.replace("-", "_")


def _together(modules: Sequence[str]) -> Iterator[str]:
    """A model of several: graph breaks keep Inductor from making one kernel of two."""
    yield from ("import torch", f"import {', '.join(modules)}", "def model(*inputs):")
    for index, module in enumerate(modules):
        yield f"    output{index} = {module}.model(*inputs[{index}])"
        yield "    torch._dynamo.graph_break()"
    yield f"    return {', '.join(f'output{index}' for index in range(len(modules)))}"
    yield f"example_inputs = ({', '.join(f'{module}.example_inputs' for module in modules)},)"


@pytest.mark.parametrize("rule", _KERNELS)
def test_kernels(rule: str, kernels: Sequence[Mapping[str, Any]]) -> None:
    _KERNELS[rule].check(kernels, f"{_module(rule)}.py")
