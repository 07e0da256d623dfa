"""The pages of the rules, and what they show of recordings."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli import root as commands
from inspector.plugins import load_all_rules
from inspector.report.documentation import read_documentation
from inspector.report.rule import SECTIONS, Rule
from inspector.report.severity import Severity
from tests.rule_pages import examples

RECORDED = {name: example for name, example in examples().items() if not example.program}
# What needs more than this machine has, or measures: these rules have tests of their own.
_AS_TEXT = {
    "autotuning-time", "cpp-serial-kernel", "frame-compile-time", "guard-cost",
    "kernel-int64-offsets", "rank-caches", "rank-collectives", "rank-graphs", "rank-order",
    "rank-recompiles",
}  # fmt: skip


def test_every_rule_shows_what_it_finds() -> None:
    shown = examples()
    assert {rule.id for rule in load_all_rules()} - shown.keys() == _AS_TEXT
    assert [name for name, example in shown.items() if not example.expected] == []


@pytest.mark.parametrize("rule", RECORDED)
def test_recordings(rule: str, root: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(root)
    name = RECORDED[rule].command[-1]
    with zipfile.ZipFile("tests/unit/data/cuda_graphs.zip") as archive:
        files = [item for item in archive.namelist() if item.startswith(f"{name}/")]
        if files:
            archive.extractall(tmp_path, files)
            monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(commands, [*RECORDED[rule].command, "--format", "json"])
    RECORDED[rule].check(json.loads(result.stdout)["findings"])


def test_a_rule_without_documentation_cannot_be_made() -> None:
    with pytest.raises(ValueError, match=r"bare\.md is missing"):
        type("Bare", (Rule,), {"id": "bare", "severity": Severity.INFO, "__module__": __name__})


def test_a_page_without_all_of_its_parts_says_what_it_lacks(tmp_path: Path) -> None:
    (tmp_path / "page.md").write_text("# other\n\n## Example\n\n## What to do\n\nText.\n")
    lack = "the heading `# page`, text below the heading, .*, the section 'Example'"
    with pytest.raises(ValueError, match=lack):
        read_documentation(tmp_path / "page.md", SECTIONS)
