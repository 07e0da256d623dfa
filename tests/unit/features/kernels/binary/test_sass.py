"""Reading of nvdisasm's listings."""

from __future__ import annotations

import pytest

from inspector.features.kernels.binary.accesses import own_line
from inspector.features.kernels.binary.opcodes import kind_of, tensor_core_dtype
from inspector.features.kernels.binary.sass import (
    Instruction,
    parse_sass,
    read_ptx_lines,
    sass_lines,
)
from inspector.run.kernel_analysis import InstructionKind

LISTING = """
.text.kernel:
	//## File "kernel.py", line 18
        /*0000*/                   LDC R1, c[0x0][0x28] ;
	//## File "/lib/standard.py", line 293 inlined at "kernel.py", line 39
	//## File "kernel.py", line 39
        /*0010*/              @!P0 LDG.E.EF.128 R12, desc[UR8][R12.64] ;
.L_x_0:
	//## File "/lib/helpers.py", line 118
        /*0020*/                   FADD R1, R2, R3 ;
        /*0030*/                   @P1 BRA `(.L_x_0) ;
        /*0040*/                   EXIT ;
"""
PTX = """
	.loc	1 30 4                          // kernel.py:30:4
	add.s32 	%r1, %r2, %r3;
	.loc	2 118 21                // helpers.py:118:21 @[ helpers.py:9:3 @[ kernel.py:42:40 ] ]
	add.f32 	%f1, %f2, %f3;
	.loc	2 7 1, function_name $L__info_string0, inlined_at 1 50 12 // helpers.py:7:1
	ret;
	.file	1 "kernel.py"
	.file	2 "/lib/helpers.py"
"""


def _one(text: str) -> Instruction:
    return parse_sass(f"        /*0000*/                   {text} ;").instructions[0]


def test_instructions_have_names_predicates_and_places() -> None:
    listing = parse_sass(LISTING)
    opcodes = [instruction.opcode for instruction in listing.instructions]
    assert opcodes == ["LDC", "LDG", "FADD", "BRA", "EXIT"]
    load = listing.instructions[1]
    assert (load.predicate, load.modifiers, own_line(load)) == ("@!P0", ("E", "EF", "128"), 39)
    assert load.places[0].file == "/lib/standard.py"
    assert listing.labels == {".L_x_0": 2}


def test_ptx_says_where_a_line_is_inlined_that_the_binary_does_not() -> None:
    lines = read_ptx_lines(PTX)
    assert [line for _, line in lines.instructions] == [30, 42, 50]
    assert lines.callers["/lib/helpers.py", 118] == (42,)
    assert own_line(parse_sass(LISTING).instructions[2]) == 0
    assert own_line(parse_sass(LISTING, lines.callers).instructions[2]) == 42
    assert sass_lines(LISTING) == ((4, 18), (7, 39))
    assert sass_lines(LISTING, lines.callers) == ((4, 18), (7, 39), (10, 42), (11, 42), (12, 42))


@pytest.mark.parametrize(
    ("text", "dtype"),
    [
        ("HMMA.16816.F32.BF16 R4, R8, R16, R4", "bf16"),
        ("HMMA.16816.F32 R4, R8, R16, R4", "fp16"),
        ("HMMA.1688.F32.TF32 R4, R8, R16, R4", "tf32"),
        ("IMMA.16832.S8.S8 R4, R8, R16, R4", "int8"),
        ("HGMMA.64x128x16.F32.BF16 R24, gdesc[UR4], R24", "bf16"),
        ("QGMMA.64x128x32.F32.E4M3.E4M3 R24, gdesc[UR4], R24", "fp8"),
        ("DMMA.884 R4, R8, R16, R4", "fp64"),
    ],
)
def test_dtypes_of_matrix_instructions(text: str, dtype: str) -> None:
    instruction = _one(text)
    assert kind_of(instruction) is InstructionKind.TENSOR
    assert tensor_core_dtype(instruction) == dtype
