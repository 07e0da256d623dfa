"""What a recording has in its texts stays text in reports on graphs."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from inspector.features.graph.report import GraphReport, with_line, with_operators
from inspector.shared.stack import StackFrame
from tests.unit.render import hostile
from tests.unit.render.graph_reports import WIDTH, as_json, rendered, row, stages, whole


@pytest.fixture(autouse=True)
def _narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))


def evil(name: str) -> str:
    return f"{name}{hostile.TEXT}</svg>\n| a | b |\n# {name}"


HOSTILE_FRAME = StackFrame(evil("/p/a"), 31, evil("f"), evil("code"))


def harmful() -> list[GraphReport]:
    report = whole(
        run=hostile.run(),
        graphs=stages(evil, HOSTILE_FRAME),
        rows=(row(evil, HOSTILE_FRAME),),
        notices=(hostile.HEADING,),
    )
    file = HOSTILE_FRAME.file.rpartition("/")[2]
    views = [with_operators(report), with_line(report, file, 31), with_line(report, file, 99)]
    assert views[1].around is not None
    assert views[1].around.nodes
    return [report, *views]


@pytest.mark.parametrize("place", range(4))
def test_no_recorded_text_is_obeyed_by_a_terminal(place: int) -> None:
    text = rendered(harmful()[place], "terminal")
    assert not [character for character in text if character != "\n" and not _is_shown(character)]
    # The names of kernels are to be copied.
    long = [line for line in text.splitlines() if cell_len(line) > WIDTH]
    assert all(line.startswith("  #") for line in long)


def _is_shown(character: str) -> bool:
    return character.isprintable() or character == " "


@pytest.mark.parametrize("place", range(4))
def test_no_recorded_text_is_markup(place: int) -> None:
    text = rendered(harmful()[place], "markdown")
    assert not [character for character in text if character != "\n" and not _is_shown(character)]
    text = re.sub(r"(?ms)^(`{3,})\w+$.*?^\1$", "", text)
    heads = [head for head in text.splitlines() if head.startswith("#")]
    assert not [head for head in heads if not head.startswith(("# Graphs: ", "## "))]
    for found in text.splitlines():
        assert not found.startswith(("| a |", "</svg", "<script"))
    lines = text.splitlines()
    for number, found in enumerate(lines):
        if found.startswith("|:--"):
            bars = found.count("|")
            body = number + 1
            while body < len(lines) and lines[body]:
                assert _bars(lines[body]) == bars
                body += 1


def _bars(text: str) -> int:
    return text.replace("\\|", "").count("|")


@pytest.mark.parametrize("place", range(4))
def test_recorded_text_is_json(place: int) -> None:
    found = as_json(harmful()[place])
    assert found["recording"]["target"].startswith("[bold red]")
