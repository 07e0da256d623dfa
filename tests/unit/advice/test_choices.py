"""Branches on tensors, and conditions, as tensors in the user's words."""

from __future__ import annotations

import pytest

from tests.unit.advice.fixes import fix


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
        (
            "z = 2.0 if x.any() else -0.5\nreturn x * z\n",
            "x.any()",
            "z = torch.where(x.any(), x.new_tensor(2.0), x.new_tensor(-0.5))",
        ),
        ("return x if x.any() else y\n", "x.any()", "return torch.where(x.any(), x, y)"),
        ("if x.any():\n    return x\nreturn y\n", "x.any()", "return torch.where(x.any(), x, y)"),
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
        ("if x.sum():\n    x = x * 2\n", "x.sum()"),
        ("if 0 < x.sum() < 1:\n    x = x * 2\n", "0 < x.sum() < 1"),
        ("if 3 in x:\n    x = x * 2\n", "3 in x"),
        ("if x is y:\n    x = x * 2\n", "x is y"),
        ("if flag and x.any():\n    x = x * 2\n", "x.any()"),
        ("if self.flag == 3 or x.any():\n    x = x * 2\n", "x.any()"),
        ("if x.any() and x.add_(1).any():\n    x = y\n", "x.any()"),
        ("if x.any():\n    x = x * 2\n    y = y * 2\n", "x.any()"),
        ("if x.any():\n    x = x * 2\nelse:\n    y = y * 2\n", "x.any()"),
        ("if x.any():\n    x += 1\n", "x.any()"),
        ("if x.any():\n    x, y = y, x\n", "x.any()"),
        ("if x.any():\n    self.x = x\n", "x.any()"),
        ("if x.any():\n    raise ValueError\n", "x.any()"),
        ("if x.any():\n    return None\nreturn x\n", "x.any()"),
        ("if x.any():\n    return x, y\nreturn y, x\n", "x.any()"),
        ("if x.any():\n    return x\nx = x * 2\nreturn x\n", "x.any()"),
        ("z = 'a' if x.any() else 'b'\n", "x.any()"),
        ("z = 1 + (x if x.any() else y)\n", "x.any()"),
        ("while x.any():\n    x = x - 1\n", "x.any()"),
        ("if x.any():\n    x = x.add_(1)\n", "x.any()"),
        ("if x.any():\n    x = self.norm(x)\n", "x.any()"),
        ("if x.any():\n    x = F.dropout(x)\n", "x.any()"),
        ("if x.any():\n    x = F.relu(x, inplace=True)\n", "x.any()"),
        ("if x.any():\n    x = x / y\n", "x.any()"),
        ("if x.any():\n    x = x.log()\n", "x.any()"),
        ("if x.any():\n    x = x ** 0.5\n", "x.any()"),
        ("if x.any():\n    x = y\nx.add_(1)\n", "x.any()"),
        ("z = x if x.any() else 0.0\n", "x.any()"),
        ("if flag:\n    z = x\nif x.any():\n    z = y\n", "x.any()"),
        ("n = 2 if x.any() else 1\nreturn range(n)\n", "x.any()"),
        ("n = 2 if x.any() else 1\nreturn y * n\n", "x.any()"),
        ("return 2 if x.any() else 1\n", "x.any()"),
    ],
)
def test_a_branch_that_does_more_is_left_alone(body: str, condition: str) -> None:
    assert fix("branch-where", body, condition) == ""


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


def test_a_branch_by_a_number_with_a_name_becomes_where() -> None:
    body = "n = x.norm().item()\nif n > 1:\n    x = y\nreturn x\n"
    said = fix("item-branch", body, "x.norm().item()")

    assert "`n = x.norm().detach()` instead of `n = x.norm().item()`" in said
    assert "`x = torch.where(n > 1, y, x)` in the place of the branch in line 3" in said


@pytest.mark.parametrize(
    "body",
    [
        "n = x.sum().item()\nif n > 1:\n    x = x * n\nreturn x\n",
        "n = x.sum().item()\nif n > 1:\n    x = y\nprint(n)\n",
        "n = x.sum().item()\nif n > 1:\n    x = y\nif n > 2:\n    x = y\n",
        "n = 0\nfor i in y:\n    n = x.sum().item()\n    if n > 1:\n        x = y\n",
        "n = x.sum().item()\nif n > 1:\n    self.log(x)\n",
        "n = x.sum(0).item()\nif n > 1:\n    x = y\n",
    ],
)
def test_a_number_that_is_needed_besides_keeps_the_general_advice(body: str) -> None:
    number = "x.sum(0).item()" if "sum(0)" in body else "x.sum().item()"
    assert fix("item-branch", body, number) == ""


def test_where_more_depends_on_a_number_its_condition_is_told() -> None:
    body = "if x.max().item() > 1 and y.sum().item() < 3:\n    x = self.norm(x)\n"
    said = fix("item-branch", body, "x.max().item()")

    assert said.startswith("`(x.max() > 1) & (y.sum() < 3)` is the condition as a tensor")
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

    assert said.startswith(f"Keep it a tensor: `{new}` instead of `{old}`, and choose by it")
    alone = fix("not-of-tensor", f"return x * ({old})\n", old)
    assert alone == f"Keep it a tensor: `{new}` instead of `{old}`."
