import pytest

from inspector.render.markdown.markup import cell, code, fenced, prose


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("calls `print` with ['str']", "calls `print` with `['str']`"),
        ("has_kwargs and this_ *b* [c", "`has_kwargs` and this\\_ \\*b\\* \\[c"),
        ("__init__ of a__b", "`__init__` of `a__b`"),
        ("torch.compile's own", "`torch.compile`'s own"),
        ("see https://a.org/b_c(d)", "see https://a.org/b_c(d)"),
        ("# no heading", "\\# no heading"),
        ("1. no list", "1\\. no list"),
        ("- no list", "\\- no list"),
        ("> no quotation", "\\> no quotation"),
        ("a < b & c", "a \\< b &amp; c"),
        ("`a` # `b`", "`a` # `b`"),
        ("@user #1", "@<!-- -->user #<!-- -->1"),
        ("an odd ` backtick", "an odd \\` backtick"),
        ("two\nlines", "two lines"),
    ],
)
def test_prose(text: str, expected: str) -> None:
    assert prose(text) == expected


def test_code_and_fences_are_longer_than_what_is_in_them() -> None:
    assert code("a`b") == "``a`b``"
    assert code("`a") == "`` `a ``"
    assert list(fenced("a\n````\nb")) == ["`````text", "a", "````", "b", "`````", ""]


def test_bars_in_a_table_are_escaped() -> None:
    assert cell("a | `b|c`") == "a \\| `b\\|c`"
