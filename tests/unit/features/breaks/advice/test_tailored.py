"""The fix in the user's own words: right where it is said, and general where it could be wrong."""

from __future__ import annotations

import pytest

from tests.unit.report.user_code.fixes import fix


def test_what_is_printed_is_named() -> None:
    said = fix("print", 'print("mean", x.mean(), y)\n', 'print("mean", x.mean(), y)')

    assert said.startswith("Return `x.mean()` and `y` as well, and run `print(")


def test_what_is_formatted_is_named() -> None:
    assert "Return `x.sum()` as well" in fix(
        "print", 'print(f"{x.sum()}")\n', 'print(f"{x.sum()}")'
    )


def test_what_is_another_thing_later_is_kept() -> None:
    said = fix("print", "print(x)\nx = x * 2\nreturn x\n", "print(x)")

    assert said.startswith("Keep `x` in a variable here, return it as well")


@pytest.mark.parametrize(
    "body", ["print(*x)\n", "print(\n    f'{x}' * 90,\n    [x] * 40, [y] * 50)\n"]
)
def test_what_cannot_be_named_is_not(body: str) -> None:
    assert fix("print", body, "print") == ""


@pytest.mark.parametrize(
    "body",
    [
        "for i in range(3):\n    print(x)\n",
        "if flag:\n    return y\nprint(x)\n",
        "try:\n    print(x)\nfinally:\n    pass\n",
        "with torch.no_grad():\n    print(x)\n",
        "yield x\nprint(x)\n",
        "print(x)\nx.add_(1)\n",
        "print(x)\nx += 1\n",
        "print(x)\nx[0] = 1\n",
        "print(x)\ntorch.mul(y, 2, out=x)\n",
        "print(x)\nF.relu(x, inplace=True)\n",
        "z = print(x)\n",
    ],
)
def test_what_the_caller_could_not_print_alike_is_left_alone(body: str) -> None:
    assert fix("print", body, "print(x)") == ""


@pytest.mark.parametrize(
    ("line", "number", "returned"),
    [
        ('log.info("norm %.3f", x.norm().item())', "x.norm().item()", "`x.norm().detach()`"),
        ('print(f"{x.mean().item():.3f} {y}")', "x.mean().item()", "`x.mean().detach()` and `y`"),
        ("bar.set_postfix(loss=loss.item())", "loss.item()", "`loss.detach()`"),
        ('wandb.log({"loss": float(loss), "at": i})', "float(loss)", "`loss.detach()`"),
        ("meter.update(round(x.sum().item(), 3))", "x.sum().item()", "`x.sum().detach()`"),
    ],
)
def test_a_line_with_a_number_goes_to_the_caller(line: str, number: str, returned: str) -> None:
    for body, how in ((line, ""), (f"if flag:\n    {line}", ", under the same conditions")):
        assert fix("item-reported", f"{body}\nreturn x\n", number) == (
            f"Return {returned} as well, and run `{line}` in the caller, outside the compiled "
            f"function{how}, and call `item()` there."
        )


def test_what_breaks_when_it_is_returned_is_not_returned() -> None:
    assert fix("print", "print(x.tolist())\n", "print(x.tolist())") == ""
    assert fix("logging", "log = make()\nlog.info(x)\n", "log.info(x)") == ""


def test_a_constant_is_only_moved() -> None:
    assert fix("logging", 'log.info("done")\n', 'log.info("done")') == (
        'Move `log.info("done")` to the caller, outside the compiled function.'
    )


def test_a_call_is_named() -> None:
    said = fix("c-function", "z = crc(x)\n", "crc(x)")

    assert said.startswith("Call `crc(x)` in the caller")
    assert "where `x` is known" in said
    assert "Move `crc(x)` to the caller" in fix("c-function", "crc(x)\n", "crc(x)")


def test_what_is_made_inside_is_not_to_be_had_outside() -> None:
    said = fix("c-function", "z = x * 2\nw = crc(z.numpy())\n", "crc(z.numpy())")

    assert said.startswith("The call needs `z` from inside the function. End the compiled")


@pytest.mark.parametrize(
    "body",
    [
        "for i in y:\n    z = crc(x)\n",
        "if flag:\n    z = crc(x)\n",
        "if flag:\n    return x\nz = crc(x)\n",
        "x.add_(1)\nz = crc(x)\n",
    ],
)
def test_a_call_that_the_caller_could_not_make_is_left_alone(body: str) -> None:
    assert fix("c-function", body, "crc(x)") == ""


@pytest.mark.parametrize(
    ("body", "assertion"),
    [
        ("if x.max() > 9:\n    raise ValueError('large')\n", "assert ~(x.max() > 9), 'large'"),
        ("if x.isnan().any():\n    raise ValueError\n", "assert x.isnan().any().logical_not()"),
        ("if (x < 0).any():\n    raise E('`x` is')\n", "assert (x < 0).any().logical_not()"),
        ("if not (x > y).all():\n    raise E('no', x)\n", "assert (x > y).all(), 'no'"),
        ("if x.max() > 9:\n    raise E(f'{x}') from None\n", "assert ~(x.max() > 9)"),
    ],
)
def test_a_check_that_raises_is_an_assertion(body: str, assertion: str) -> None:
    said = fix("branch-raise-in-graph", body, body[3 : body.index(":")])
    assert f": `{assertion}`. torch checks it in the graph" in said


@pytest.mark.parametrize(
    "body",
    [
        "if x.max() > 9 and flag:\n    raise ValueError\n",
        "if flag(x):\n    raise ValueError\n",
        "if x.max() > 9:\n    raise ValueError\nelse:\n    y = x\n",
    ],
)
def test_a_check_that_may_be_another_thing_is_told_in_general(body: str) -> None:
    assert fix("branch-raise-in-graph", body, body[3 : body.index(":")]) == ""


@pytest.mark.parametrize("method", ["info", "debug", "log", "warning_once"])
def test_the_method_that_is_called_is_the_one_to_ignore(method: str) -> None:
    said = fix("logging-ignored", f"log.{method}('a')\n", f"log.{method}('a')")

    assert f"ignore_logging_functions={{logging.Logger.{method}}}): model(x)`" in said


@pytest.mark.parametrize(
    ("number", "tensor"),
    [
        ("x.max().item()", "x.max().detach()"),
        ("x[0].item()", "x[0].detach().clone().reshape(())"),
        ("(x + y).item()", "(x + y).detach().clone().reshape(())"),
        ("int(x.sum())", "x.sum().detach().long()"),
        ("int(x.sum().item())", "x.sum().detach().long()"),
        ("float(flag)", "flag.detach().clone().reshape(())"),
    ],
)
def test_a_number_of_which_anything_is_made_may_be_a_tensor(number: str, tensor: str) -> None:
    said = fix("item", f"z = {{'a': {number}}}\nreturn self.f(z)\n", number)

    assert said.startswith(f"Keep it as a tensor: `{tensor}` instead of `{number}`, if nothing")


def test_masked_writes_become_where() -> None:
    assert "`x.copy_(torch.where(y < 0, z, x))`" in fix(
        "masked-update", "x[y < 0] = z[y < 0]\n", "z[y < 0]"
    )
    assert "`x.copy_(torch.where(y < 0, x.clone() * 2, x))`" in fix(
        "masked-update", "x[y < 0] *= 2\n", "x[y < 0]"
    )
    assert fix("masked-update", "x[y, 0] = z[y, 0]\n", "z[y, 0]") == ""
    assert fix("masked-update", "x[y.add_(1)] = z[y.add_(1)]\n", "z[y.add_(1)]") == ""


@pytest.mark.parametrize(
    ("body", "is_filled"),
    [
        ("return x[y > 0].sum()\n", True),
        ("z = x[y > 0]\nreturn z.max()\n", True),
        ("return x[y > 0].mean()\n", False),
        ("z = x[y > 0]\nreturn z.sum() / len(z)\n", False),
        ("return loss(x[y > 0])\n", False),
    ],
)
def test_a_selection_is_filled_where_that_changes_nothing(body: str, *, is_filled: bool) -> None:
    said = fix("boolean-mask", body, "x[y > 0]")

    assert (said == "") is is_filled
    assert is_filled or "capture_dynamic_output_shape_ops=True" in said
