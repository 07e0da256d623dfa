"""``inspect rule``: rules, advice and torch's graph breaks, with torch and without it."""

from __future__ import annotations

import pytest
from click.testing import CliRunner, Result

from inspector.cli import rule
from inspector.errors import EnvironmentLacksError, UsageError
from inspector.features.breaks.advice.table import ALL
from inspector.features.breaks.registry import GraphBreakType, Registry

BRANCH = GraphBreakType("GB0170", "Data-dependent branching", "Because.", ("Use cond.",), "jump")


@pytest.fixture
def torch(monkeypatch: pytest.MonkeyPatch) -> None:
    types = {entry.gb_id: entry for entry in (BRANCH,)}
    monkeypatch.setattr(rule, "find_registry", lambda _: Registry("2.13.0", types))


@pytest.fixture
def no_torch(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rule, "find_registry", lambda _: None)


def said(*arguments: str) -> Result:
    return CliRunner().invoke(rule.command, arguments)


@pytest.mark.usefixtures("torch")
def test_a_graph_break_has_torchs_words_then_our_programs() -> None:
    text = said("gb170").output

    assert text.index("What torch advises") < text.index("branch-where: a branch")
    before, _, after = text.partition("branch-where: ")[2].partition("After\n")
    assert "        if x.abs().max() > 10:\n" in before.partition("Before\n")[2]
    assert "        x = torch.where(x.abs().max() > 10, x.clamp(-10, 10), x)\n" in after
    assert "Tested on torch 2.11 to 2.15." in after


@pytest.mark.usefixtures("no_torch")
def test_advice_needs_no_torch() -> None:
    text = said("GB0170").output

    assert text.startswith("GB0170  Data-dependent branching\n")
    assert "torch.where" in text
    assert "Why" not in text


@pytest.mark.usefixtures("no_torch")
def test_other_graph_breaks_need_torch() -> None:
    assert isinstance(said("GB0999").exception, EnvironmentLacksError)


@pytest.mark.usefixtures("torch")
def test_an_id_of_another_torch_has_its_advice() -> None:
    assert "clone()" in said("GB0179").output


@pytest.mark.usefixtures("no_torch")
def test_all_are_listed() -> None:
    assert all(f"{advice.id} " in said().output for advice in ALL)


def test_a_mistyped_advice_is_named() -> None:
    error = said("prnit").exception

    assert isinstance(error, UsageError)
    assert "print" in error.next_step
