"""The text of HLO: spellings of XLA before and after its passes."""

from __future__ import annotations

import pytest

from inspector.events.hlo_text import HloComputation, HloInstruction, HloShape, parse_hlo

TEXT = """\
HloModule IrToHlo.9, entry_computation_layout={(f32[4,8]{1,0}, /*index=5*/f32[])->(f32[4]{0})}

%Add.3 (x.4: f32[], y.5: f32[]) -> f32[] {
  %x.4 = f32[] parameter(0)
  %y.5 = f32[] parameter(1)
  ROOT %add.6 = f32[] add(f32[] %x.4, f32[] %y.5)
}

ENTRY %IrToHlo.9 (p0.1: f32[4,8], p1.2: f32[]) -> (f32[4]) {
  %p0.1 = f32[4,8]{0,1:T(8,128)} parameter(0)
  %p1.2 = f32[] parameter(1)
  %c.8 = f32[2]{0} constant({1, %2})
  %bn.7 = (f32[4,8]{1,0}, /*index=1*/pred[4]{0}) batch-norm-training(f32[4,8]{0,1} %p0.1)
  %reduce.7 = f32[4]{0} reduce(f32[4,8]{0,1} %p0.1, f32[] %p1.2), dimensions={1}, to_apply=%Add.3, \
metadata={op_type="aten__sum" op_name="a.b(\\"c)/aten__sum" source_file="fx:sum_1" source_line=1}
  ROOT %tuple.8 = (f32[4]{0}) tuple(f32[4]{0} %reduce.7)
}
"""


def entry(text: str = TEXT) -> dict[str, HloInstruction]:
    (found,) = [item for item in parse_hlo(text) if item.is_entry]
    return {item.name: item for item in found.instructions}


def test_computations_and_which_one_begins() -> None:
    add, main = parse_hlo(TEXT)
    assert isinstance(add, HloComputation)
    assert (add.name, add.is_entry) == ("Add.3", False)
    assert [item.opcode for item in add.instructions] == ["parameter", "parameter", "add"]
    assert (main.name, main.is_entry) == ("IrToHlo.9", True)


def test_an_instruction() -> None:
    found = entry()["reduce.7"]
    assert found.shapes == (HloShape("f32", (4,), (0,)),)
    assert found.operands == ("p0.1", "p1.2")
    assert found.called == ("Add.3",)
    assert (found.op_type, found.file) == ("aten__sum", "fx:sum_1")
    assert not found.is_root


def test_shapes_with_layouts_and_tuples() -> None:
    found = entry()
    assert found["p0.1"].shapes == (HloShape("f32", (4, 8), (0, 1)),)
    assert [shape.dtype for shape in found["bn.7"].shapes] == ["f32", "pred"]
    assert found["p1.2"].shapes == (HloShape("f32", (), ()),)
    assert found["tuple.8"].is_root


def test_what_is_in_a_constant_is_no_operand() -> None:
    assert entry()["c.8"].operands == ()
    assert entry()["c.8"].text == "{1, %2}"


def test_operands_without_shapes_fusions_and_loops() -> None:
    found = entry(
        "ENTRY %e (p: f32[<=4]) -> f32[4] {\n"
        "  %p = f32[<=4]{0} parameter(0)\n"
        "  %f = f32[4]{0} fusion(%p, %p), kind=kLoop, calls=%fused\n"
        '  %c = f32[4]{0} custom-call(%f), custom_call_target="__onednn$matmul"\n'
        "  %w = f32[4]{0} while(%c), condition=%cond, body=%body\n"
        "  ROOT %if = f32[4]{0} conditional(%w, %p), branch_computations={%a, %b}\n"
        "}\n"
    )
    assert found["f"].operands == ("p", "p")
    assert (found["f"].kind, found["f"].called) == ("Loop", ("fused",))
    assert found["c"].kind == "__onednn$matmul"
    assert found["w"].called == ("cond", "body")
    assert found["if"].called == ("a", "b")
    assert found["p"].shapes[0].sizes == (4,)


@pytest.mark.parametrize("text", ["", "not HLO", TEXT[:700], TEXT.replace("ENTRY ", "")])
def test_what_is_no_module_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no HLO"):
        parse_hlo(text)


def test_a_line_that_is_cut_off_is_refused() -> None:
    with pytest.raises(ValueError, match="cut off"):
        parse_hlo("ENTRY %e () -> f32[] {\n  %a = f32[] add(%b, \n}\n")
    with pytest.raises(ValueError, match="no opcode"):
        parse_hlo("ENTRY %e () -> f32[] {\n  %a = f32[]\n}\n")
