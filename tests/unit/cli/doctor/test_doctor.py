from __future__ import annotations

import io
import tomllib
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from inspector.cli.doctor import checks, environment, page_of
from inspector.cli.doctor.checks import State, diagnose
from inspector.cli.doctor.environment import Environment
from inspector.render.terminal import render

if TYPE_CHECKING:
    from pathlib import Path

    from inspector.cli.doctor.checks import Row

FULL = Environment(
    python="3.12.1",
    executable="/env/bin/python",
    chosen=False,
    platform="linux",
    packages={"torch": "2.13.0+cpu", "triton": "3.9.0", "transformers": "5.17.0"},
    torch_build="CPU",
    triton_tools=("ptxas", "nvdisasm"),
    compiler="/usr/bin/g++",
    gpus=("NVIDIA H200, driver 580.1, compute capability 9.0",),
    ncu="/opt/ncu",
    dot="/usr/bin/dot",
)
BARE = replace(
    FULL,
    packages={"torch": None, "triton": None, "transformers": None},
    torch_build=None,
    triton_tools=(),
    compiler=None,
    gpus=(),
    ncu=None,
    dot=None,
)


def _row(env: Environment, name: str) -> Row:
    return next(row for row in diagnose(env) if row.name == name)


@pytest.mark.parametrize(("env", "state"), [(FULL, State.OK), (BARE, State.MISSING)])
def test_what_is_missing_has_a_purpose_and_a_way_to_get_it(env: Environment, state: State) -> None:
    rows = diagnose(env)[1:]
    assert {row.state for row in rows} == {state}
    assert all(row.purpose and bool(row.fix) == (state is State.MISSING) for row in rows)


@pytest.mark.parametrize(
    ("version", "state"),
    [
        ("2.9.1", State.TOO_OLD),
        ("2.10.0+cu126", State.TOO_OLD),
        ("2.11.0", State.OK),
        ("2.13.0+cpu", State.OK),
        ("2.16.0a0+git1", State.TOO_NEW),
        ("", State.OK),
    ],
)
def test_versions_are_compared_as_numbers(version: str, state: State) -> None:
    row = _row(replace(FULL, packages={**FULL.packages, "torch": version}), "torch")
    assert row.state is state
    assert bool(row.fix) == (state is not State.OK)


@pytest.mark.parametrize(
    ("env", "name", "expected"),
    [
        (replace(BARE, platform="darwin"), "triton",
         (State.NOT_HERE, "Triton is available only on Linux, not on darwin", "")),
        (replace(BARE, chosen=True, executable="/my env/bin/python"), "torch",
         (State.MISSING, "", "'/my env/bin/python' -m pip install 'torch>=2.11,<2.16'")),
    ],
)  # fmt: skip
def test_what_is_found_and_how_it_is_fixed(
    env: Environment, name: str, expected: tuple[State, str, str]
) -> None:
    row = _row(env, name)
    assert (row.state, row.found, row.fix) == expected


def test_the_supported_versions_are_those_of_the_installation(root: Path) -> None:
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    texts = [project["requires-python"], *extras["torch"], *extras["samples"]]
    for name, versions in (
        (">=3.11", checks.PYTHON_VERSIONS),
        ("torch>=", checks.TORCH_VERSIONS),
        ("triton>=", checks.TRITON_VERSIONS),
        ("transformers>=", checks.TRANSFORMERS_VERSIONS),
    ):
        text = next(text for text in texts if text.startswith(name))
        first, last = (".".join(map(str, version)).removesuffix(".0") for version in versions)
        assert f">={first},<{last}" in text


@pytest.mark.parametrize("name", ["no-such-python", "/bin/false"])
def test_what_is_no_interpreter_is_refused(name: str) -> None:
    with pytest.raises(environment.UsageError, match=name):
        environment.look_around(name)


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("env", [FULL, BARE], ids=["full", "bare"])
def test_the_table_fits_and_pipes(
    env: Environment, width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = io.StringIO()
    render(page_of(diagnose(env)), out)
    table, _, fixes = out.getvalue().partition("Install what is missing")
    assert all(len(line) <= width for line in table.splitlines())
    assert all(line == line.rstrip() for line in table.splitlines())
    assert "\x1b" not in out.getvalue()
    for row in diagnose(env):
        assert row.name in table
        assert row.fix in fixes
