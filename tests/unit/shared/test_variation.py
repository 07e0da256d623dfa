"""``--vary``: sizes, values and dtypes, alone, together, and as products."""

import pytest

from inspector.errors import UsageError
from inspector.shared.variation import Assignment, parse_varied, variations


def labels(*texts: str) -> list[str]:
    return [", ".join(map(str, items)) for items in variations(list(map(parse_varied, texts)))]


def test_sizes_values_and_dtypes() -> None:
    assert labels("x[0]=1,2") == ["x[0]=1", "x[0]=2"]
    assert labels("n=1, 2.5,true") == ["n=1", "n=2.5", "n=True"]
    assert labels("x=f32,bfloat16") == ["x=f32", "x=bf16"]
    assert labels("0[-1]=8") == ["0[-1]=8"]


def test_places_before_the_sign_change_together() -> None:
    (first, _) = variations([parse_varied("ids[1],mask[1]=16,32")])
    assert first == (Assignment("ids", 1, 16), Assignment("mask", 1, 16))


def test_several_are_products_the_last_changing_fastest() -> None:
    assert labels("x[0]=1,4", "x[2]=224,256") == [
        "x[0]=1, x[2]=224", "x[0]=1, x[2]=256", "x[0]=4, x[2]=224", "x[0]=4, x[2]=256"
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["x", "x=", "=1", "x[0]=a", "x[0]=-1", "x[0]=1.5", "x[0]=true", "x[a]=1", "x-y=1", "n=f99",
     'n="text"', "x[0]=f32", "n=NaN", "n=Infinity"],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError) as raised:
        parse_varied(text)
    assert "x[0]=1,2,4" in str(raised.value)


def test_too_many_are_refused() -> None:
    many = parse_varied("x[0]=" + ",".join(map(str, range(1, 12))))
    with pytest.raises(UsageError, match="121 inputs"):
        variations([many, many])


def test_what_is_named_twice_is_there_once() -> None:
    assert labels("x[0]=4,8,4", "n=1,true,1") == [
        "x[0]=4, n=1", "x[0]=4, n=True", "x[0]=8, n=1", "x[0]=8, n=True"
    ]  # fmt: skip
