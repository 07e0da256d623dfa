"""The examples of docs/extending.md, as they stand there."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from tests.rule_pages import example_of

_BLOCK = re.compile(r"^(```+)(?:python|toml|markdown) (\S+)\n(.*?)^\1$", re.MULTILINE | re.DOTALL)
_RECORDING = "samples/graph_breaks/recording.zip"
_MODEL = "import torch\nmodel = torch.nn.Linear(2, 2)\nexample_inputs = (torch.ones(2, 2),)\n"


@pytest.fixture(scope="module")
def blocks(root: Path) -> dict[str, str]:
    page = (root / "docs" / "extending.md").read_text(encoding="utf-8")
    return {name: text for _, name, text in _BLOCK.findall(page)}


@pytest.fixture
def extras(tmp_path: Path, blocks: dict[str, str], root: Path) -> dict[str, str]:
    """The environment in which the package of the page is installed."""
    package, site = tmp_path / "package", tmp_path / "site"
    (package / "extras").mkdir(parents=True)
    for name, text in blocks.items():
        if name.startswith(("extras/", "pyproject")):
            (package / name).write_text(text, encoding="utf-8")
    install = ("-m", "pip", "install", "-q", "--no-deps", "--no-build-isolation")
    subprocess.run([sys.executable, *install, "--target", str(site), str(package)], check=True)
    return {**os.environ, "PYTHONPATH": f"{site}{os.pathsep}{root}"}


def _inspect(environment: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, "-m", "inspector.cli", *arguments]
    folder = environment["PYTHONPATH"].partition(os.pathsep)[0]  # Python looks here first
    done = subprocess.run(
        command, cwd=folder, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_rule_is_written_as_the_rules_here(blocks: dict[str, str], root: Path) -> None:
    place = "inspector/features/breaks/rules/many_graphs.py"
    lint = [sys.executable, "-m", "ruff", "check", "--stdin-filename", place, "-"]
    text = blocks["extras/many_graphs.py"]
    subprocess.run(lint, cwd=root, check=True, input=text, text=True)


def test_an_installed_rule_a_format_and_a_command(
    extras: dict[str, str], blocks: dict[str, str], tmp_path: Path, root: Path
) -> None:
    recording = str(root / _RECORDING)
    found = json.loads(_inspect(extras, "explain", recording, "--format", "json"))["findings"]
    rules = [item["rule"] for item in found]
    assert "many-graphs" in rules
    assert "Operators of two graphs are never fused" in _inspect(extras, "rule", "many-graphs")
    shown = example_of("many-graphs", blocks["extras/many-graphs.md"])
    assert shown is not None
    (tmp_path / "model.py").write_text(shown.program, encoding="utf-8")
    model = ("explain", str(tmp_path / "model.py"), "--format", "json")
    shown.check(json.loads(_inspect(extras, *model))["findings"])
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
    plugins = checkout / "inspector" / "plugins.py"
    text = plugins.read_text(encoding="utf-8")
    lines = re.findall(r'^    "breaks-by-file": .*\n', page, re.MULTILINE)
    for table, line in zip(("COMMANDS = {\n", "REPORTS = {\n"), lines, strict=True):
        text = text.replace(table, table + line)
    plugins.write_text(text, encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": str(checkout)}
    shown = ("breaks-by-file", str(root / _RECORDING))
    assert "graph breaks" in _inspect(environment, *shown)
    report = json.loads(_inspect(environment, *shown, "--format", "json"))
    schema = json.loads(_inspect(environment, "schema", "breaks-by-file"))
    jsonschema.validate(report, schema)
    assert [item["graph_breaks"] for item in report["files"]] == [7]
    markdown = checkout / "page.md"
    _inspect(environment, *shown, "-o", str(markdown))
    assert "1 file with graph breaks" in markdown.read_text(encoding="utf-8")


def test_a_record_is_written_and_read(checkout: Path, blocks: dict[str, str], root: Path) -> None:
    tmp_path = checkout
    name = "inspector/records/threads.py"
    (tmp_path / name).write_text(blocks[name], encoding="utf-8")
    text = (root / "docs" / "extending.md").read_text(encoding="utf-8")
    emits = re.search(
        r"```python\n(import torch\n\nfrom inspector.records.threads.*?)```", text, re.DOTALL
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
    command = [sys.executable, "-m", "inspector.cli", "explain", "model.py", "--save", "saved"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    reads = re.search(r"```python\n(from inspector.cli.target.*?)```", text, re.DOTALL)
    assert reads is not None
    read = [sys.executable, "-c", reads[1]]
    done = subprocess.run(
        read, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True
    )
    assert re.search(r"Threads\(.*intra_op=\d+, inter_op=\d+\)", done.stdout)
