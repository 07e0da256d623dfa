"""``inspect rule``: rules, and advice on torch's graph breaks."""

from __future__ import annotations

from click.testing import CliRunner, Result

from inspector.cli import rule
from inspector.errors import UsageError
from inspector.features.breaks.advice.table import ALL


def said(*arguments: str) -> Result:
    return CliRunner().invoke(rule.command, arguments)


def test_a_graph_break_has_torchs_name_then_our_programs() -> None:
    text = said("gb170").output

    assert text.startswith("GB0170  Data-dependent branching\n")
    assert "/gb0170.html\n" in text
    before, _, after = text.partition("branch-where: ")[2].partition("After\n")
    assert "        if x.abs().max() > 10:\n" in before.partition("Before\n")[2]
    assert "        x = torch.where(x.abs().max() > 10, x.clamp(-10, 10), x)\n" in after
    assert "Tested on torch 2.11 to 2.15." in after


def test_an_id_without_advice_has_torchs_page() -> None:
    text = said("GB9999").output

    assert text.startswith("GB9999: no advice\n")
    assert text.endswith("/gb9999.html\n")


def test_all_are_listed() -> None:
    assert all(f"{advice.id} " in said().output for advice in ALL)


def test_a_mistyped_advice_is_named() -> None:
    error = said("prnit").exception

    assert isinstance(error, UsageError)
    assert "print" in error.next_step
