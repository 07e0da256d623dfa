"""The examples of docs/extending.md, as they stand there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import jsonschema
import pytest

_BLOCK = re.compile(r"^```(?:python|toml|markdown) (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_RECORDING = "samples/graph_breaks/recording.zip"
_READS = """\
import sys
from inspector.cli.target import reading
from inspector.records.threads import Threads
with reading(sys.argv[1]) as run:
    print(*run.records(Threads))
"""
_MODEL = "import torch\nmodel = torch.nn.Linear(2, 2)\nexample_inputs = (torch.ones(2, 2),)\n"


@pytest.fixture(scope="module")
def blocks(root: Path) -> dict[str, str]:
    return dict(_BLOCK.findall((root / "docs" / "extending.md").read_text(encoding="utf-8")))


@pytest.fixture
def extras(tmp_path: Path, blocks: dict[str, str], root: Path) -> dict[str, str]:
    """The environment in which the package of the page is installed."""
    (tmp_path / "extras").mkdir()
    for name, text in blocks.items():
        if name.startswith("extras/"):
            (tmp_path / name).write_text(text, encoding="utf-8")
    project = tomllib.loads(blocks["pyproject.toml"])["project"]
    metadata = tmp_path / f"inspector_extras-{project['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n")
    groups = project["entry-points"].items()
    lines = [
        line
        for group, points in groups
        for line in (f"[{group}]", *(f"{name} = {module}" for name, module in points.items()))
    ]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    return {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{root}"}


def _inspect(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "inspector.cli", *arguments]
    folder = environment["PYTHONPATH"].partition(os.pathsep)[0]  # Python looks here first
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_installed_rule_a_format_and_a_command(
    extras: dict[str, str], tmp_path: Path, root: Path
) -> None:
    recording = str(root / _RECORDING)
    found = json.loads(_inspect(extras, "explain", recording, "--format", "json"))["findings"]
    rules = [item["rule"] for item in found]
    assert "many-graphs" in rules
    assert "Operators of two graphs are never fused" in _inspect(extras, "rule", "many-graphs")
    page = tmp_path / "page.rst"
    _inspect(extras, "explain", recording, "-o", str(page))
    assert "====" in page.read_text(encoding="utf-8")
    assert re.search(r"compilation \S+ took [\d.]+ ", _inspect(extras, "slowest", recording))


@pytest.fixture
def checkout(tmp_path: Path, root: Path) -> Path:
    """A copy of the package that can be changed."""
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(root / "inspector", tmp_path / "inspector", ignore=ignored)
    return tmp_path


def test_a_report_is_shown_in_each_format(
    checkout: Path, blocks: dict[str, str], root: Path
) -> None:
    for name, text in blocks.items():
        if "breaks_by_file" in name:
            (checkout / name).parent.mkdir(exist_ok=True)
            (checkout / name).write_text(text, encoding="utf-8")
    page = (root / "docs" / "extending.md").read_text(encoding="utf-8")
    lines = re.findall(r'^(?:COMMANDS|REPORTS)\["breaks-by-file"\] = .*$', page, re.MULTILINE)
    plugins = checkout / "inspector" / "plugins.py"
    plugins.write_text(plugins.read_text(encoding="utf-8") + "\n".join(["", *lines, ""]))
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    shown = ("breaks-by-file", str(root / _RECORDING))
    assert "graph breaks" in _inspect(environment, *shown)
    report = json.loads(_inspect(environment, *shown, "--format", "json"))
    schema = json.loads(_inspect(environment, "schema", "breaks-by-file"))
    jsonschema.validate(report, schema)
    assert [item["graph_breaks"] for item in report["files"]] == [7]
    text = checkout / "page.md"
    _inspect(environment, *shown, "-o", str(text))
    assert "1 file with graph breaks" in text.read_text(encoding="utf-8")


def test_a_record_is_written_and_read(checkout: Path, blocks: dict[str, str], root: Path) -> None:
    tmp_path = checkout
    name = "inspector/records/threads.py"
    (tmp_path / name).write_text(blocks[name], encoding="utf-8")
    text = (root / "docs" / "extending.md").read_text(encoding="utf-8")
    emits = re.search(
        r"```python\n(import torch\nfrom inspector.records.threads.*?)```", text, re.DOTALL
    )
    assert emits is not None
    child = tmp_path / "inspector" / "capture" / "child.py"
    source = child.read_text(encoding="utf-8")
    where = re.search(r"^( +)emit\(environment\(target.root.*\n", source, re.MULTILINE)
    assert where is not None
    added = "".join(f"{where[1]}{line}\n" for line in emits[1].split("\n"))
    child.write_text(source[: where.end()] + added + source[where.end() :], encoding="utf-8")
    (tmp_path / "model.py").write_text(_MODEL)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    saved = str(tmp_path / "saved")
    command = [sys.executable, "-m", "inspector.cli", "explain", "model.py", "--save", saved]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    read = [sys.executable, "-c", _READS, saved]
    done = subprocess.run(
        read, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    assert re.search(r"Threads\(.*intra_op=\d+, inter_op=\d+\)", done.stdout)
