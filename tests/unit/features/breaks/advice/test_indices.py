"""Tensors, and numbers made of them, that are an index."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Advice, Break
from inspector.features.breaks.advice.table import best, other_ways
from inspector.report.user_code.code import Code
from inspector.report.user_code.reading import Span, read_text

_ITEM = "call_method TensorVariable() item () {}\nUnsupported Tensor.item() call"
_SCALAR = "aten._local_scalar_dense.default\n"


def code(body: str, pointed: str = "") -> Code:
    """The code at a text in a function, or at a line without columns that is all of a body."""
    text = "def forward(self, x, i):\n" + textwrap.indent(body, "    ")
    if not pointed:
        return read_text(text, Span(2, 2))
    begin = text.index(pointed)
    line, column = text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin) - 1
    return read_text(text, Span(line, line, column, column + len(pointed)))


def chosen(gb_id: str, said: str, found: Code) -> Advice | None:
    return best(Break(gb_id, None, said, found))


@pytest.mark.parametrize(
    ("body", "pointed", "new"),
    [
        ("return x[i] * 2\n", "x[i]", "x[i.reshape(1)].squeeze(0)"),
        ("return x[i] * 2\n", "x[i] * 2", "x[i.reshape(1)].squeeze(0)"),  # as torch points
        ("return x[i] * 2\n", "", "x[i.reshape(1)].squeeze(0)"),
        ("return x[:, i]\n", "x[:, i]", "x[:, i.reshape(1)].squeeze(1)"),
        (
            "return x[x.sum(1).argmax(), 1:]\n",
            "x[x.sum(1).argmax(), 1:]",
            "x[x.sum(1).argmax().reshape(1), 1:].squeeze(0)",
        ),
    ],
)
def test_an_element_at_a_tensor_is_said_in_the_users_words(
    body: str, pointed: str, new: str
) -> None:
    found = code(body, pointed)
    advice = chosen("GB0033", _SCALAR, found)

    assert advice is not None
    assert advice.id == "tensor-as-element"
    assert f"`{new}` instead of `x[" in advice.fix_for(found)
    assert advice.replaces("Enable tracing … `capture_scalar_outputs = True`")


@pytest.mark.parametrize("body", ["return x[i, j]\n", "x[i] = 0\n", "return x[i + 1]\n"])
def test_any_other_element_is_said_in_general(body: str) -> None:
    found = code(body)
    advice = chosen("GB0033", _SCALAR, found)

    assert advice is not None
    assert advice.id == "tensor-as-element"
    assert advice.fix_for(found) == advice.fix


@pytest.mark.parametrize(
    ("body", "pointed"),
    [
        ("k = [torch.sin, torch.cos][int(i) % 2]\nreturn k(x)\n", "int(i)"),
        ("return self.layers[i.item()](x)\n", "i.item()"),
        ("return x * self.weights[x[0].item()]\n", "x[0].item()"),
        ("n = int(i) % 2\nks = [torch.sin, torch.cos]\nreturn ks[n](x)\n", "int(i)"),
        ("n = i.item()\nreturn self.first[n](x) + self.second[n](x)\n", "i.item()"),
        ("k = [torch.sin, torch.cos][int(i) % 2]\nreturn k(x)\n", ""),
    ],
)
def test_what_a_number_chooses_is_chosen_without_it(body: str, pointed: str) -> None:
    found = code(body, pointed)
    advice = chosen("GB0124", _ITEM, found)

    assert advice is not None
    assert advice.id == "tensor-as-index"
    assert other_ways(advice, Break("GB0124", None, _ITEM, found)) == ()
    assert advice.replaces("Set `torch._dynamo.config.capture_scalar_outputs = True`")


@pytest.mark.parametrize(
    ("body", "pointed"),
    [
        ("n = int(i)\nreturn self.layers[n](x) * n\n", "int(i)"),
        ("x[int(i)] = 0\nreturn x\n", "int(i)"),
        ("n = int(i)\nn += 1\nreturn self.layers[n](x)\n", "int(i)"),
        ("return self.layers[2](x) * i.item()\n", "i.item()"),
        ("return self.seen[max(i.item(), 3)]\n", "i.item()"),
    ],
)
def test_a_number_for_more_than_an_index_is_any_number(body: str, pointed: str) -> None:
    advice = chosen("GB0124", _ITEM, code(body, pointed))

    assert advice is not None
    assert advice.id == "item"
