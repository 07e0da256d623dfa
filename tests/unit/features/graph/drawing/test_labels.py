"""Texts of pictures: names that mean harm stay texts."""

import pytest

from inspector.features.graph.drawing import labels
from inspector.features.graph.drawing.fusion_dot import fusion_dot
from inspector.features.graph.drawing.options import Caption
from inspector.features.graph.drawing.stage_dot import stage_dot
from inspector.report.escaping import escaped
from inspector.shared.stack import StackFrame
from tests.unit.features.graph.drawing.pictures import (
    HOSTILE,
    drawn,
    fused_layers,
    graph,
    needs_dot,
    operator,
    taken,
)


def shown_as(name: str) -> str:
    return " ".join(name.split()).replace("\u202e", r"\u202e")


@needs_dot
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text(name: str) -> None:
    nodes = [
        taken("x", 8, name),
        operator(name, name, "x", modules=((name, name),), kernels=(name,), op="call_module",
                 stack=(StackFrame(name, 1, name, name),)),
    ]  # fmt: skip
    found = drawn(stage_dot(graph(*nodes), Caption(name, name, name, name)))
    plain = shown_as(name)
    assert plain in found.texts, "the box"
    assert f"{plain} ({plain})" in found.texts, "the frame"
    assert f"{plain} · {plain}" in found.texts, "the caption"
    shown = [text.replace("\u200b", "") for text in found.tooltips]
    assert any(f"{plain} = {plain}" in text for text in shown)
    assert "script" not in found.elements
    assert found.elements <= {"svg", "g", "title", "a", "polygon", "path", "polyline", "text"}


@needs_dot
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_stay_text_in_the_fusion_diagram(name: str) -> None:
    found = drawn(fusion_dot(fused_layers(1), Caption(name)))
    assert shown_as(name) in found.texts
    assert "script" not in found.elements


@needs_dot
@pytest.mark.parametrize("name", ["\x00\x01\x1b[31m", "\ud800", "\uffff", "", " "])
def test_what_xml_does_not_allow_is_replaced(name: str) -> None:
    drawn(stage_dot(graph(taken("x", 8), operator(name, name, "x")), Caption(name)))


def test_what_is_obeyed_is_spelled_as_on_a_terminal() -> None:
    for name in ("a\u202egnp.exe", "\u2066x\u2069", "soft\xad", "\ufeff\U000e0041", "\u0378é"):
        spelled = escaped(name)
        assert labels.in_label(name).replace("\\\\", "\\") == spelled
        assert labels.in_tooltip([name]).replace("\\\\\u200b", "\\") == spelled


def test_dot_is_utf8() -> None:
    text = stage_dot(graph(taken("x", 8), operator("\ud800", "\ud800", "x")), Caption("\ud800"))
    assert "\ufffd" in text.encode().decode()
