"""The grammar of ``--input``."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from inspector.errors import UsageError
from inspector.shared.dtypes import DTYPES, parse_dtype
from inspector.shared.input_parser import parse_input, parse_inputs
from inspector.shared.input_spec import (
    InputSpec,
    MappingSpec,
    SequenceSpec,
    Spec,
    TensorSpec,
    ValueSpec,
    describe,
)

F32 = parse_dtype("f32")
I64 = parse_dtype("i64")


@pytest.mark.parametrize(
    ("text", "spec"),
    [
        ("f32[8,3,224,224]", InputSpec(None, TensorSpec(F32, (8, 3, 224, 224)))),
        ("torch.float32[8, 3]", InputSpec(None, TensorSpec(F32, (8, 3)))),
        ("f32[]", InputSpec(None, TensorSpec(F32, ()))),
        ("f32[0]", InputSpec(None, TensorSpec(F32, (0,)))),
        ("i64[1,128]<30522", InputSpec(None, TensorSpec(I64, (1, 128), 30522))),
        ("ids = i64[1,128] < 30522", InputSpec("ids", TensorSpec(I64, (1, 128), 30522))),
        ("flag=true", InputSpec("flag", ValueSpec(value=True))),
        ("flag=False", InputSpec("flag", ValueSpec(value=False))),
        ("past=none", InputSpec("past", ValueSpec(None))),
        ("n=3", InputSpec("n", ValueSpec(3))),
        ("n=-3", InputSpec("n", ValueSpec(-3))),
        ("scale=0.5", InputSpec("scale", ValueSpec(0.5))),
        ("eps=1e-5", InputSpec("eps", ValueSpec(1e-5))),
        ("s='te\\'xt, [1]'", InputSpec("s", ValueSpec("te'xt, [1]"))),
        ('"text"', InputSpec(None, ValueSpec("text"))),
        ("größe=1", InputSpec("größe", ValueSpec(1))),
        ("[]", InputSpec(None, SequenceSpec(()))),
        ("()", InputSpec(None, SequenceSpec((), is_tuple=True))),
        ("{}", InputSpec(None, MappingSpec(()))),
        (
            "[f32[2,3], f32[2,3],]",
            InputSpec(None, SequenceSpec((TensorSpec(F32, (2, 3)), TensorSpec(F32, (2, 3))))),
        ),
        (
            "(1, (none,))",
            InputSpec(
                None,
                SequenceSpec(
                    (ValueSpec(1), SequenceSpec((ValueSpec(None),), is_tuple=True)), is_tuple=True
                ),
            ),
        ),
        (
            "batch={x: f32[2], 'a b': 1, 3: none}",
            InputSpec(
                "batch",
                MappingSpec(
                    (("x", TensorSpec(F32, (2,))), ("a b", ValueSpec(1)), (3, ValueSpec(None)))
                ),
            ),
        ),
    ],
)
def test_reads(text: str, spec: InputSpec) -> None:
    assert repr(parse_input(text)) == repr(spec)


@pytest.mark.parametrize(
    ("text", "says", "column"),
    [
        ("", "the value is missing", 1),
        ("f32", "`f32` has no sizes", 1),
        ("f32[8,3", "'[' was never closed", 4),
        ("f32[8,x]", "a size must be an integer", 7),
        ("f32[8,-1]", "a size must be an integer", 7),
        ("f32[8,1.5]", "a size must be an integer", 7),
        ("f33[8]", "`f33` is not a dtype", 1),
        ("x=f32[2]<5", "`<5` applies only to integer tensors", 10),
        ("u8[2]<300", "the limit of u8 must be between 1 and 256", 7),
        ("i64[2]<0", "the limit of i64 must be", 8),
        ("f32[2] f32[3]", "invalid syntax", 8),
        ("f32[2], f32[3]", "this is more than one value", 1),
        ("mode=bilinear", "`bilinear` is not a valid value (quote strings: `'bilinear'`)", 6),
        ("a.b=3", "`a.b` is not an argument name", 1),
        ("x=f32[2]; y", "invalid syntax", 9),
        ("x='open", "unterminated string literal", 3),
        ("x=['é', 1j]", "this is not a valid value", 9),
        ("x={1.5: 1}", "a key must be a name, string or integer", 4),
    ],
)
def test_points_at_what_it_cannot_read(text: str, says: str, column: int) -> None:
    with pytest.raises(UsageError) as caught:
        parse_input(text)
    assert says in caught.value.message
    assert f"at character {column}." in caught.value.message
    assert caught.value.detail == f"{text}\n{' ' * (column - 1)}^"
    assert "f32[8,3,224,224]" in caught.value.next_step


def test_two_inputs_for_one_argument() -> None:
    assert len(parse_inputs(("f32[1]", "f32[1]", "x=1"))) == 3
    with pytest.raises(UsageError, match=r"`--input x=…` is given 2 times"):
        parse_inputs(("x=1", "x=2"))


def _tensors() -> st.SearchStrategy[Spec]:
    shapes = st.lists(st.integers(0, 10**6), max_size=5).map(tuple)
    plain = st.builds(TensorSpec, st.sampled_from(DTYPES), shapes)
    whole = [dtype for dtype in DTYPES if dtype.is_integer]
    limited = st.builds(TensorSpec, st.sampled_from(whole), shapes, st.integers(1, 128))
    return st.one_of(plain, limited)


def _specs() -> st.SearchStrategy[Spec]:
    values = st.one_of(
        st.none(),
        st.booleans(),
        st.integers(-(10**20), 10**20),
        st.floats(allow_nan=False, allow_infinity=False),
        st.text(),
    )
    keys = st.one_of(st.text(), st.integers())
    return st.recursive(
        st.one_of(_tensors(), st.builds(ValueSpec, values)),
        lambda inner: st.one_of(
            st.builds(SequenceSpec, st.lists(inner, max_size=4).map(tuple), st.booleans()),
            st.builds(MappingSpec, st.lists(st.tuples(keys, inner), max_size=4).map(tuple)),
        ),
        max_leaves=8,
    )


NAMES = st.one_of(st.none(), st.sampled_from(["x", "input_ids", "größe", "f32", "none", "_1"]))


@given(st.builds(InputSpec, NAMES, _specs()))
@example(InputSpec(None, MappingSpec((("A·", ValueSpec(None)),))))
def test_what_describe_writes_is_read_back(spec: InputSpec) -> None:
    assert repr(parse_input(describe(spec))) == repr(spec)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        spec = parse_input(text)
    except UsageError:
        return
    assert repr(parse_input(describe(spec))) == repr(spec)


@given(st.text(alphabet="f32i64[](){}<,:='\"x1. -e"))
def test_any_text_that_looks_like_the_grammar_is_read_or_refused(text: str) -> None:
    test_any_text_is_read_or_refused.hypothesis.inner_test(text)  # type: ignore[attr-defined]
