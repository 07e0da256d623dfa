"""What a list of numbers of a tensor is used for decides what is advised on it."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best, other_ways
from inspector.report.user_code.code import Code
from inspector.report.user_code.reading import Span, read_text

CAPTURE = "`with torch._dynamo.config.patch(capture_scalar_outputs=True): model(x)`"


def found(body: str) -> Break:
    text = "def forward(x, lengths):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    line = next(n for n, line in enumerate(text.split("\n"), 1) if "tolist" in line)
    code: Code = read_text(text, Span(line, line))
    return Break("GB0033", "Data dependent operator", "aten._local_scalar_dense.default", code)


@pytest.mark.parametrize(
    "body",
    [
        "return x.split(lengths.tolist())",
        "return torch.split(x * 2, lengths.tolist(), dim=1)",
        "return x.split(split_size_or_sections=lengths.tolist(), dim=0)",
        "sizes = lengths.tolist()\nparts = x.split(sizes)\nreturn parts[: len(sizes)]",
        "return x.reshape(lengths.tolist())",
        "return torch.zeros(*lengths.tolist())",
        "n, m = lengths.tolist()\nreturn x[:n, :m], torch.arange(m)",
        "n = lengths.tolist()[0]\nreturn torch.zeros(n)",
        "return [x[i, :n] for i, n in enumerate(lengths.tolist())]",
        "return [row.repeat(n) for row, n in zip(x, lengths.tolist())]",
        "for n in lengths.tolist():\n    x = x + torch.ones(n).sum()\nreturn x",
    ],
)
def test_sizes_stay_in_the_graph(body: str) -> None:
    record = found(body)
    advice = best(record)
    assert advice is not None
    assert advice.id == "tolist-sizes"
    assert advice.fix_for(record.code).startswith(CAPTURE)
    assert [other.id for other in other_ways(advice, record)] == ["tolist-in-caller"]
    assert advice.replaces("Enable tracing with `torch._dynamo.config.capture_scalar_outputs`")


@pytest.mark.parametrize(
    ("body", "checks"),
    [
        (
            'n = lengths.tolist()[0]\nif not n < 5:\n    raise ValueError("long")\nreturn x[:n]',
            '`torch._check(n < 5, lambda: "long")` in place of the check in line 3',
        ),
        (
            "n = lengths.tolist()[0]\nif n >= 5:\n    raise ValueError\nreturn x[:n]",
            "`torch._check(n < 5)` in place of the check in line 3",
        ),
        (
            "n = lengths.tolist()[0]\nif not (0 < n < 5):\n    raise ValueError\nreturn x[:n]",
            "`torch._check(0 < n); torch._check(n < 5)` in place of the check in line 3",
        ),
        (
            'sizes = lengths.tolist()\nn = sizes[0]\nassert n < 5, f"long: {n}"\nreturn x[:n]',
            "`torch._check(n < 5)` in place of the check in line 4",
        ),
        (
            "n, m = lengths.tolist()\nif n > 3 or m > 4:\n    raise ValueError\nreturn x[:n, :m]",
            "`torch._check(n <= 3); torch._check(m <= 4)` in place of the check in line 3",
        ),
    ],
)
def test_a_check_of_a_number_is_torch_s(body: str, checks: str) -> None:
    record = found(body)
    advice = best(record)
    assert advice is not None
    assert advice.id == "tolist-checked-sizes"
    assert f"Write {checks}, and call with the number captured" in advice.fix_for(record.code)
    assert [other.id for other in other_ways(advice, record)] == ["tolist-in-caller"]


@pytest.mark.parametrize(
    "body",
    [
        "parts = x.split(lengths.tolist())\nreturn pad_sequence(parts)",
        "sizes = lengths.tolist()\nprint(sizes)\nreturn x.split(sizes)",
        "n, m = lengths.tolist()\nif n > 3:\n    x = x * 2\nreturn x[:m]",
        "for n in lengths.tolist():\n    x = x + sum(x[:n]) + sum(range(n))\nreturn x",
        "sizes = lengths.tolist()\nif sizes == [1, 2]:\n    return x\nreturn x.split(sizes)",
    ],
)
def test_what_needs_the_values_has_them_from_the_caller(body: str) -> None:
    record = found(body)
    advice = best(record)
    assert advice is not None
    assert advice.id == "tolist-sizes"
    assert advice.fix_for(record.code).startswith("Make the list `lengths.tolist()` in the caller")
    assert other_ways(advice, record) == ()


@pytest.mark.parametrize(
    "body",
    [
        "a, b = lengths.tolist()\nreturn x * a + b",
        "for v in lengths.tolist():\n    x = x * v\nreturn x",
        "return x, lengths.tolist()",
        "return x.split(4), lengths.tolist()",
        "return text.split(lengths.tolist)",
    ],
)
def test_other_numbers_stay_tensors_and_the_setting_has_its_limits(body: str) -> None:
    record = found(body)
    advice = best(record)
    assert advice is not None
    assert advice.id == "tolist"
    (other,) = other_ways(advice, record)
    assert CAPTURE in other.fix
    assert "as long as no Python branch, range or key depends on one of them" in other.fix
