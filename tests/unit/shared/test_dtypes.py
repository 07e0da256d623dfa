"""The one spelling of dtypes."""

import pytest

from inspector.errors import UsageError
from inspector.shared.dtypes import DTYPES, DType, parse_dtype


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("f32", "f32"),
        ("float32", "f32"),
        ("torch.float32", "f32"),
        ("float", "f32"),
        (" Half ", "f16"),
        ("fp16", "f16"),
        ("bfloat16", "bf16"),
        ("torch.bfloat16", "bf16"),
        ("double", "f64"),
        ("long", "i64"),
        ("int", "i32"),
        ("short", "i16"),
        ("bool", "b8"),
        ("torch.bool", "b8"),
        ("b1", "b8"),
        ("uint8", "u8"),
        ("float8_e4m3fn", "f8e4m3fn"),
        ("cfloat", "c64"),
        ("complex64", "c64"),
        ("float4_e2m1fn_x2", "f4e2m1fnx2"),
    ],
)
def test_every_spelling_is_understood(text: str, name: str) -> None:
    assert parse_dtype(text).name == name


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: dtype.name)
def test_names_round_trip(dtype: DType) -> None:
    assert parse_dtype(dtype.name) is dtype
    assert parse_dtype(dtype.torch_name) is dtype
    assert parse_dtype(f"torch.{dtype.torch_name}") is dtype


def test_a_wrong_name_gets_near_matches() -> None:
    with pytest.raises(UsageError) as caught:
        parse_dtype("flaot32")
    assert caught.value.message == "`flaot32` is not a dtype."
    assert "`float32`" in caught.value.next_step
