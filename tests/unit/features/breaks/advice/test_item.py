"""Of a tensor that becomes a number, advice is on what the number is for."""

from __future__ import annotations

import textwrap

import pytest

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best, other_ways
from inspector.report.user_code.reading import Span, read_text

_SAID = "call_method TensorVariable() item () {}\nUnsupported Tensor.item() call"


def chosen(body: str) -> list[str]:
    """The ids of the advice on the first ``.item()``, or ``int()``, of a function."""
    text = "def forward(self, x, y):\n" + textwrap.indent(body, "    ")
    begin = text.index("x.sum()") if "int(x" not in text else text.index("int(")
    end = text.index(")", text.index("item(" if "item(" in text else "sum(") + 5) + 1
    line, column = text.count("\n", 0, begin) + 1, begin - text.rfind("\n", 0, begin) - 1
    found = Break(
        "GB0124", None, _SAID, read_text(text, Span(line, line, column, column + end - begin))
    )
    advice = best(found)
    return [item.id for item in (advice, *other_ways(advice, found))] if advice else []


@pytest.mark.parametrize(
    "body",
    [
        "if x.sum().item() > 0:\n    x = y\nreturn x\n",
        "n = x.sum().item()\nif n > 0:\n    x = y\nreturn x\n",
        "n = x.sum().item()\nreturn x if n > 0 else y\n",
        "return self.head(x if x.sum().item() > 0 else y)\n",
        "n = x.sum().item()\nif self.training and n > 0:\n    x = self.norm(x)\nreturn x\n",
    ],
)
def test_what_a_branch_decides_by_needs_no_number(body: str) -> None:
    assert chosen(body) == ["item-branch", "branch-cond"]


@pytest.mark.parametrize(
    "body",
    [
        "n = x.sum().item()\nreturn x[:n]\n",
        "n = x.sum().item()\nreturn x[..., -n:], torch.zeros(2, n + 1, device=x.device)\n",
        "return x[x.sum().item() :]\n",
        "n = x.sum().item()\nreturn x[n : n + 2]\n",
        "n = x.sum().item()\na, b = y.split([n, 8 - n])\nreturn a, b\n",
        "n = x.sum().item()\nreturn x[:n] * n\n",
        "n = x.sum().item()\nreturn torch.zeros(n).sum() + torch.tensor([n, 3]).sum(), n\n",
        "n = int(x.sum())\nreturn torch.arange(n)\n",
        "n = int(x.sum()) + 1\nm = n * 2\nreturn torch.zeros(m, y.shape[0])\n",
        "return torch.split(torch.arange(int(x.sum())).float(), y.tolist())\n",
        "return F.pad(y, (0, x.sum().item() - y.shape[-1]))\n",
        "n = x.sum().item()\nreturn y.new_zeros((n, 2)), n\n",
    ],
)
def test_a_size_stays_in_the_graph(body: str) -> None:
    assert chosen(body) == ["item-size"]


@pytest.mark.parametrize(
    "body",
    [
        "n = x.sum().item()\nreturn self.zeros(n)\n",
        "n = x.sum().item()\nreturn self.layers[:n]\n",
        "n = x.sum().item()\nreturn torch.full((3,), n)\n",
        "n = x.sum().item()\nreturn torch.arange(0, 3, n)\n",
        "n = x.sum().item()\nreturn y.split(n)\n",
        "h = x * x.sum().item()\nif h.dim() == 3:\n    h = h.flatten(1)\nreturn h\n",
        "h = x * x.sum().item()\nif h is None:\n    raise ValueError\nreturn h\n",
        "n = x.sum().item()\nreturn x[::n]\n",  # torch has to know its sign
        "n = x.sum().item()\nreturn torch.zeros(n), f'{n}'\n",
        "n = x.sum().item()\nn = n + 1\nreturn x[:n]\n",
        "return x * x.sum().item()\n",
    ],
)
def test_other_numbers_stay_tensors(body: str) -> None:
    assert chosen(body)[0] == "item"


@pytest.mark.parametrize("written", ["x[:n]", "x[:, y.shape[0] + n :]"])
def test_a_slice_that_is_written_needs_a_mask(written: str) -> None:
    """Inductor takes no such size there."""
    assert chosen(f"n = x.sum().item()\n{written} = 0\nreturn x\n") == ["slice-write"]


@pytest.mark.parametrize(
    ("branch", "advice"),
    [
        ("if n > 9:\n    raise ValueError(n)", "branch-report"),
        ("if n > 9:\n    print('large', n)", "branch-report"),
        ("for z in y:\n    if n > 9:\n        break\n    x = x + z", "branch-break"),
        ("for z in y:\n    if n > 9:\n        continue\n    x = x + z", "branch-break"),
        ("while n > 9:\n    n = n - 1\n    x = x * 2", "loop-by-value"),
    ],
)
def test_a_number_with_a_name_is_for_the_branch_below(branch: str, advice: str) -> None:
    assert chosen(f"n = x.sum().item()\n{branch}\nreturn x\n")[0] == advice


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ("best = max(y, key=lambda z: x.sum().item() * z)\nreturn best\n", "sorted-by-tensor"),
        ("y.sort(key=lambda z: x.sum().item())\nreturn y\n", "sorted-by-tensor"),
        ("kinds = {x.sum().item() for z in y}\nreturn len(kinds)\n", "item"),
        ("seen = {z: x.sum().item() for z in y}\nreturn seen\n", "item"),
        ("return {int(z) for z in self.kinds}, x.sum().item()\n", "item-reported"),
        ("best = max(x.sum().item(), 3)\nreturn best\n", "item"),
    ],
)
def test_what_python_needs_values_for_is_told(body: str, advice: str) -> None:
    assert chosen(body)[0] == advice


@pytest.mark.parametrize(
    "test",
    [
        "math.log(x.sum().item()) > 1",
        "round(x.sum().item()) > 1",
        "self.table[x.sum().item()] > 3",
        "(n := x.sum().item()) > 0.5",
    ],
)
def test_a_number_in_anything_else_stays_one(test: str) -> None:
    text = f"def forward(self, x, y):\n    if {test}:\n        x = y\n    return x\n"
    begin = text.splitlines()[1].index("x.sum()")
    code = read_text(text, Span(2, 2, begin, begin + len("x.sum().item()")))
    advice = best(Break("GB0124", None, _SAID, code))
    assert advice is not None
    assert advice.fix_for(code) == advice.fix


@pytest.mark.parametrize(
    ("test", "is_choice"),
    [
        ("x.max().item() > 9", True),
        ("x.max().item() > 0.5", True),
        ("x.max().item() > 300", True),
        ("x.max().item() - 128 > 0", False),
        ("x.mean().item() - 1 > -1", False),
        ("x.argmax().item() > 300", True),
    ],
)
def test_any_dtype_must_hold_what_is_compared(test: str, is_choice: bool) -> None:  # noqa: FBT001
    text = f"def forward(self, x, y):\n    if {test}:\n        x = y\n    return x\n"
    end = text.splitlines()[1].index(".item()") + len(".item()")
    code = read_text(text, Span(2, 2, 7, end))
    advice = best(Break("GB0124", None, _SAID, code))
    assert advice is not None
    assert advice.fix_for(code).startswith("Compute both and select") is is_choice


@pytest.mark.parametrize(
    "body",
    [
        "log.info('loss %.3f', x.sum().item())\nreturn x\n",
        "print(f'{x.sum().item():.2f}')\nreturn x\n",
        "n = x.sum().item()\nreturn x * 2, f'{n:.1f}'\n",
        "n = x.sum().item()\nself.last = n\nself.seen['n'] = round(n, 2)\nreturn x\n",
        "history.append(x.sum().item())\nreturn x\n",
        "told = {'sum': x.sum().item(), 'n': 1}\nreturn x, told\n",
        "return x, {'sum': 100 * x.sum().item()}\n",
        "told = {}\ntold['n'] = x.sum().item()\nreturn x, told\n",
        "y['n'] = x.sum().item()\nreturn x\n",
        "text = 'n=%.1f' % x.sum().item()\nwriter.add_text(text)\nreturn x\n",
        "writer.add_scalar('sum', x.sum().item(), 3)\nreturn x\n",
        "n = x.sum().item()\nreturn n\n",
    ],
)
def test_what_is_told_or_kept_is_a_number_in_the_caller(body: str) -> None:
    assert chosen(body)[0] == "item-reported"


@pytest.mark.parametrize(
    "body",
    [
        "n = x.sum().item()\nprint(n)\nreturn x * n\n",
        "n = x.sum().item()\nself.last = n\nreturn x / (1 + n)\n",
        "told = {'sum': x.sum().item()}\nreturn x * told['sum']\n",
        "return self.scaled(x, x.sum().item())\n",
        "return x.add(x.sum().item())\n",
        "told = {}\ntold['n'] = x.sum().item()\nreturn x * told['n']\n",
        "return x * math.log(x.sum().item())\n",
        "global n\nn = x.sum().item()\nreturn x\n",
    ],
)
def test_what_is_computed_with_is_not_only_told(body: str) -> None:
    assert "item-reported" not in chosen(body)
