"""Judges an environment: a row for each thing that a feature needs."""

import re
import shlex
from dataclasses import dataclass
from enum import StrEnum

from inspector.cli.doctor.environment import Environment

PYTHON_VERSIONS = ((3, 11), (3, 14))
"""The first version that is supported, and the first that is not, as in pyproject.toml."""
TORCH_VERSIONS = ((2, 11), (2, 16))
TRITON_VERSIONS = ((3, 6), (3, 10))
TRANSFORMERS_VERSIONS = ((5, 17), (6, 0))
_GET_GPU = (
    "If this machine has a GPU, install its driver (nvidia-smi must list it). Otherwise use "
    "--device cpu."
)
_GET_NCU = "Install https://developer.nvidia.com/nsight-compute and put ncu on the PATH."


class State(StrEnum):
    """How a thing was found."""

    OK = "ok"
    MISSING = "missing"
    TOO_OLD = "too old"
    TOO_NEW = "too new"
    NOT_HERE = "not here"
    """It does not exist on this platform."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing that a feature needs.

    Attributes:
        found: Version and place, or why there is none.
        fix: The command that gets it, or a sentence where no command does; empty when fine.
    """

    name: str
    state: State
    found: str
    purpose: str
    fix: str


def diagnose(env: Environment) -> tuple[Row, ...]:
    """All rows, in the order in which a reader needs them."""
    compiler = {"darwin": "xcode-select --install", "linux": "sudo apt-get install g++"}
    dot = {"darwin": "brew install graphviz", "linux": "sudo apt-get install graphviz"}
    python = _judge(env.python, PYTHON_VERSIONS)
    build = f", {env.torch_build} build" if env.torch_build else ""
    return (
        Row(
            "Python",
            python,
            f"{env.python}, {env.executable}",
            "everything",
            "" if python is State.OK else "Use Python 3.11, 3.12 or 3.13.",
        ),
        _package(env, "torch", TORCH_VERSIONS, "recording: explain MODEL, run", build),
        _triton(env),
        _thing(
            "C++ compiler",
            env.compiler,
            "--backend inductor on the CPU",
            compiler.get(env.platform, "Install the Visual Studio Build Tools, with C++."),
        ),
        _thing("NVIDIA GPU", "; ".join(env.gpus), "--device cuda", _GET_GPU),
        _thing("Nsight Compute (ncu)", env.ncu, "GPU hardware counters", _GET_NCU),
        _thing(
            "Graphviz (dot)",
            env.dot,
            "graph pictures",
            dot.get(env.platform, "winget install Graphviz.Graphviz"),
        ),
        _package(env, "transformers", TRANSFORMERS_VERSIONS, "the sample bert_base"),
    )


def _thing(name: str, found: str | None, purpose: str, fix: str) -> Row:
    if not found:
        return Row(name, State.MISSING, "", purpose, fix)
    return Row(name, State.OK, found, purpose, "")


def _triton(env: Environment) -> Row:
    purpose = "GPU kernels"
    if env.platform != "linux":
        found = f"Triton is available only on Linux, not on {env.platform}"
        return Row("triton", State.NOT_HERE, found, purpose, "")
    tools = f" with {' and '.join(env.triton_tools)}" if env.triton_tools else ""
    return _package(env, "triton", TRITON_VERSIONS, purpose, tools)


def _package(
    env: Environment,
    name: str,
    supported: tuple[tuple[int, int], ...],
    purpose: str,
    extra: str = "",
) -> Row:
    (first, last) = (".".join(map(str, version)) for version in supported)
    pip = f"{shlex.quote(env.executable)} -m pip" if env.chosen else "pip"
    fix = f"{pip} install {shlex.quote(f'{name}>={first},<{last}')}"
    version = env.packages[name]
    if version is None:
        return Row(name, State.MISSING, "", purpose, fix)
    state = _judge(version, supported)
    found = (version or "unknown version") + extra
    if state is State.OK:
        return Row(name, state, found, purpose, "")
    found += f" (supported: >={first}, <{last})"
    return Row(name, state, found, purpose, fix)


def _judge(version: str, supported: tuple[tuple[int, int], ...]) -> State:
    """Compares numbers, never text: 2.9 is older than 2.11."""
    numbers = re.match(r"(\d+)\.(\d+)", version)
    if numbers is None:
        return State.OK  # a package that does not tell its version gets the benefit of the doubt
    first, last = supported
    pair = (int(numbers[1]), int(numbers[2]))
    if pair < first:
        return State.TOO_OLD
    return State.OK if pair < last else State.TOO_NEW
