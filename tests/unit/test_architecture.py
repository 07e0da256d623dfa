"""What import-linter does not see: cycles through package roots, and what is loaded in fact."""

import graphlib
import subprocess
import sys
from pathlib import Path

import grimp
import pytest

CHILD_SIDE = tuple(
    f"inspector.{name}" for name in ("capture", "errors", "records", "shared", "trace", "version")
)
FOREIGN_TO_THE_CHILD = {"inspector", "torch", "triton"}

IMPORT_ALL = """
import importlib, sys
for name in sys.argv[1:]:
    importlib.import_module(name)
print(*sorted({name.split(".")[0] for name in sys.modules}))
"""


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("inspector", include_external_packages=True, cache_dir=None)


def _is_in(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)


def _own(graph: grimp.ImportGraph) -> set[str]:
    return {name for name in graph.modules if _is_in(name, ("inspector",))}


def test_there_are_no_cycles(graph: grimp.ImportGraph) -> None:
    """Also through package roots: importing ``a.b`` runs ``a/__init__.py``, which may import."""
    own = _own(graph)
    edges = {name: graph.find_modules_directly_imported_by(name) & own for name in own}
    graphlib.TopologicalSorter(edges).prepare()


def test_nothing_outside_capture_loads_torch(graph: grimp.ImportGraph, root: Path) -> None:
    names = sorted(name for name in _own(graph) if not _is_in(name, ("inspector.capture",)))
    loaded = _run(IMPORT_ALL, *names, cwd=root).split()
    assert "inspector" in loaded
    assert {"torch", "triton"}.isdisjoint(loaded)


def test_the_childs_side_needs_the_standard_library_and_torch_alone(
    graph: grimp.ImportGraph,
) -> None:
    for module in sorted(_own(graph)):
        if not _is_in(module, CHILD_SIDE):
            continue
        imported = graph.find_modules_directly_imported_by(module)
        own = {name for name in imported if _is_in(name, ("inspector",))}
        assert all(_is_in(name, CHILD_SIDE) for name in own), module
        tops = {name.split(".")[0] for name in imported - own}
        assert tops <= sys.stdlib_module_names | FOREIGN_TO_THE_CHILD, module


def _run(source: str, *args: str, cwd: Path) -> str:
    command = [sys.executable, "-c", source, *args]
    return subprocess.run(command, cwd=cwd, check=True, capture_output=True, text=True).stdout
