"""Branches on tensors, and conditions, as tensors in the user's words."""

from __future__ import annotations

import re
import textwrap

import pytest

from tests.unit.report.user_code.fixes import fix


@pytest.mark.parametrize(
    ("body", "condition", "code"),
    [
        (
            "if x.sum() > 0:\n    x = x * 2\n",
            "x.sum() > 0",
            "x = torch.where(x.sum() > 0, x * 2, x)",
        ),
        ("if flag > 0:\n    x = y\n", "flag > 0", "x = torch.where((flag > 0).reshape(()), y, x)"),
        (
            "if x.sum() > 0:\n    z = x\nelse:\n    z = y\n",
            "x.sum() > 0",
            "z = torch.where(x.sum() > 0, x, y)",
        ),
        ("z = x if x.any() else y\n", "x.any()", "z = torch.where(x.any(), x, y)"),
        ("return x if x.any() else y\n", "x.any()", "return torch.where(x.any(), x, y)"),
        ("if x.any():\n    return x\nreturn y\n", "x.any()", "return torch.where(x.any(), x, y)"),
        ("return x if x.sum() else y\n", "x.sum()", "return torch.where(x.sum() != 0, x, y)"),
        (
            "if x.any():\n    return x\nelse:\n    return y\n",
            "x.any()",
            "return torch.where(x.any(), x, y)",
        ),
    ],
)
def test_a_branch_that_chooses_becomes_where(body: str, condition: str, code: str) -> None:
    assert f"`{code}`" in fix("branch-where", body, condition)


@pytest.mark.parametrize(
    ("body", "condition"),
    [
        ("if x.sum() > 0:\n    z = x * 2\n", "x.sum() > 0"),
        ("if 0 < x.sum() < 1:\n    x = x * 2\n", "0 < x.sum() < 1"),
        ("if 3 in x:\n    x = x * 2\n", "3 in x"),
        ("if x is y:\n    x = x * 2\n", "x is y"),
        ("if flag and x.any():\n    x = x * 2\n", "x.any()"),
        ("if x.any() and x.add_(1).any():\n    x = y\n", "x.any()"),
        ("if x.any():\n    raise ValueError\n", "x.any()"),
        ("if x.any():\n    return None\nreturn x\n", "x.any()"),
        ("if x.any():\n    return x\nx = x * 2\nreturn x\n", "x.any()"),
        ("z = 'a' if x.any() else 'b'\n", "x.any()"),
        ("while x.any():\n    x = x - 1\n", "x.any()"),
        ("if x.any():\n    x = F.dropout(x)\n", "x.any()"),
        ("if x.any():\n    x = F.relu(x, inplace=True)\n", "x.any()"),
        ("if x.any():\n    x = y\nx.add_(1)\n", "x.any()"),
        ("if flag:\n    z = x\nif x.any():\n    z = y\n", "x.any()"),
        ("n = 2 if x.any() else 1\nreturn range(n)\n", "x.any()"),
    ],
)
def test_a_branch_that_does_more_is_left_alone(body: str, condition: str) -> None:
    assert fix("branch-where", body, condition) == ""


@pytest.mark.parametrize(
    ("body", "lines"),
    [
        (
            "if x.any():\n    x = x * 2\n    y = y * 2\n",
            ["condition = x.any()", "x = torch.where(condition, x * 2, x)",
             "y = torch.where(condition, y * 2, y)"],
        ),
        (
            "if x.any():\n    x = x * 2\nelse:\n    y = y * 2\n",
            ["condition = x.any()", "x = torch.where(condition, x * 2, x)",
             "y = torch.where(condition, y, y * 2)"],
        ),
        (
            "condition = 3\na, b = (x, y) if x.any() else (y, x)\n",
            ["is_chosen = x.any()", "a = torch.where(is_chosen, x, y)",
             "b = torch.where(is_chosen, y, x)"],
        ),
        (
            "if x.any():\n    return x, y, flag\nreturn y, x, flag\n",
            ["return torch.where(x.any(), x, y), torch.where(x.any(), y, x), flag"],
        ),
        ("z = 1 + (x if x.any() else y)\n", ["z = torch.where(x.any(), 1 + x, 1 + y)"]),
        (
            "return F.softmax(x, dim=1 if x.any() else 0)\n",
            ["return torch.where(x.any(), F.softmax(x, dim=1), F.softmax(x, dim=0))"],
        ),
        (
            "if x.any():\n    s = x * 2\n    w = s + 1\nelse:\n    w = y\nreturn w\n",
            ["w = torch.where(x.any(), x * 2 + 1, y)"],
        ),
        ("z = x * 2\nif x.any():\n    z *= 3\nreturn z\n",
         ["z = torch.where(x.any(), z * 3, z)"]),
        ("i = 0\ni += 1\nif x.any():\n    x = y\n", ["x = torch.where(x.any(), y, x)"]),
        ("lo, hi = x.min(), x.max()\nif lo > hi:\n    x = y\n",
         ["x = torch.where(lo > hi, y, x)"]),
        ("if x.max().item() > 1:\n    z = x.max().item()\nelse:\n    z = y\nreturn z\n",
         ["z = torch.where(x.max() > 1, x.max().detach(), y)"]),
    ],
)  # fmt: skip
def test_a_branch_that_decides_more_than_one_value(body: str, lines: list[str]) -> None:
    name = "item-branch" if ".item()" in body else "branch-where"
    condition = next(text for text in ("x.max().item()", "lo > hi", "x.any()")
                     if text in body)  # fmt: skip

    said = fix(name, body, condition)

    assert re.findall(r"`([^`]+)`", said)[: len(lines)] == lines


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("x = self.norm(x)", "`self.norm(x)` always runs, and must not write to anything"),
        ("x = f(x) + self.g(x)", "`f(x)` and `self.g(x)` always run"),
        ("x = x.log()", "of the same shape and dtype, with finite values and gradients"),
    ],
)
def test_what_else_has_to_hold_is_said(body: str, said: str) -> None:
    text = "if x.any():\n" + textwrap.indent(body, "    ").replace("    else", "else")

    assert said in fix("branch-where", text.replace("        x", "    x"), "x.any()")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x.mean() > 0 and y.any()", "(x.mean() > 0) & (y.any())"),
        ("m > 0 or m < -1", "(m > 0) | (m < -1)"),
        ("m > 0 and not y.any()", "(m > 0) & (y.any().logical_not())"),
    ],
)
def test_and_and_or_stay_tensors(old: str, new: str) -> None:
    above = "m = x.mean()\n"
    said = fix("and-or-of-tensors", f"{above}ok = {old}\nreturn x if ok else y\n", old)
    alone = fix("and-or-of-tensors", f"{above}return {old}\n", old)

    assert said.startswith(f"Keep it as a tensor: `{new}` instead of `{old}`, and select with it")
    assert alone == f"Keep it as a tensor: `{new}` instead of `{old}`."
    assert fix("and-or-of-tensors", f"{above}return flag and x.any()\n", "flag") == ""


def test_what_a_loop_reads_again_is_chosen_too() -> None:
    body = (
        "n = x * 0\nw = y\nfor z in y:\n    if z.any():\n        n = n + 1\n        w = n * z\n"
        "return w\n"
    )

    assert fix("branch-where", body, "z.any()") == ""  # one is made of the other

    said = fix("branch-where", body.replace("n * z", "z").replace("w = y", "w = y * 2"), "z.any()")
    assert "`n = torch.where(condition, n + 1, n)`" in said


def test_a_value_that_is_stored_into_a_tensor_is_no_new_tensor() -> None:
    said = fix("branch-where", "z = x.clone()\nif x.any():\n    z[0] = 0\nreturn z\n", "x.any()")

    assert "`z[0] = torch.where(x.any(), 0, z[0])`" in said
    assert "new tensor" not in said


@pytest.mark.parametrize(
    "side",
    [
        "x += 1",  # the caller's
        "self.n += 1",
        "x, y = y, x",  # one is made of the other
        "x = x[:2]",  # of another shape
        "x = None",
        "x = torch.rand(3)",
        "x = y.tolist()",
        "del y",
        "z = x\n    x = z.relu_()",
    ],
)
def test_a_side_that_does_more_than_give_tensors_is_left_alone(side: str) -> None:
    assert fix("branch-where", f"if x.any():\n    {side}\nreturn x, y\n", "x.any()") == ""


@pytest.mark.parametrize(
    ("condition", "tensor"),
    [
        ("not x.any()", "x.any().logical_not()"),
        ("not x.sum() > 1", "(x.sum() > 1).logical_not()"),
        ("flag.any() or x.any()", "(flag.any()) | (x.any())"),
        ("x.max() > 1 and not y.any()", "(x.max() > 1) & (y.any().logical_not())"),
    ],
)
def test_conditions_are_put_together_of_tensors(condition: str, tensor: str) -> None:
    said = fix("branch-where", f"if {condition}:\n    x = x * 2\n", "x.")

    assert f"`x = torch.where({tensor}, x * 2, x)`" in said


@pytest.mark.parametrize(
    ("condition", "number", "tensor"),
    [
        ("x.sum().item() > 0", "x.sum().item()", "x.sum() > 0"),
        ("0 < x.item()", "x.item()", "(0 < x).reshape(())"),
        ("float(x.std()) > self.most", "float(x.std())", "(x.std() > self.most).reshape(())"),
        ("int(x.sum()) > 2", "int(x.sum())", "(x.sum().long() > 2).reshape(())"),
        ("bool((x > 0).all())", "bool((x > 0).all())", "(x > 0).all()"),
        ("(x.sum() > 0).item()", "(x.sum() > 0).item()", "x.sum() > 0"),
        (
            "x.item() > 0 and not y.any().item()",
            "x.item()",
            "((x > 0).reshape(())) & (y.any().logical_not())",
        ),
    ],
)
def test_a_branch_by_a_number_becomes_where(condition: str, number: str, tensor: str) -> None:
    said = fix("item-branch", f"if {condition}:\n    x = x * 2\n", number)

    assert f"`x = torch.where({tensor}, x * 2, x)`" in said


def test_where_more_depends_on_a_number_its_condition_is_told() -> None:
    body = "if x.max().item() > 1 and y.sum().item() < 3:\n    x = None\n"
    said = fix("item-branch", body, "x.max().item()")

    assert said.startswith("Use the tensor `(x.max() > 1) & (y.sum() < 3)` itself as the")
    assert "torch.where(condition, a, b)" in said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("not x.any()", "x.any().logical_not()"),
        ("not x.sum() > 1", "(x.sum() > 1).logical_not()"),
        ("not x.any() and not y.any()", "(x.any().logical_not()) & (y.any().logical_not())"),
    ],
)
def test_what_is_negated_stays_a_tensor(old: str, new: str) -> None:
    said = fix("not-of-tensor", f"flag = {old}\nreturn x if flag else y\n", old)

    assert said.startswith(f"Keep it as a tensor: `{new}` instead of `{old}`, and select with it")
    alone = fix("not-of-tensor", f"return x * ({old})\n", old)
    assert alone == f"Keep it as a tensor: `{new}` instead of `{old}`."
