"""Torch's hints, exceptions and known errors, as torch 2.11 to 2.13 word them."""

from __future__ import annotations

import pytest

from inspector.features.breaks.hints import raised, useful_hints
from inspector.features.breaks.rules.compile_error import error_fix
from inspector.trace.graph_break import Cause

# A call of an operator of torch.library.custom_op without register_fake.
NO_FAKE = (
    "Dynamo failed to run FX node with fake tensors: got RuntimeError('There was no fake impl "
    "registered for <CustomOpDef(zoo::nofake)>. Please use `nofake.register_fake` to add an fake "
    "impl.')"
)


@pytest.mark.parametrize(
    ("error", "fix"),
    [
        (NO_FAKE, "Register a fake kernel for zoo::nofake: put `@nofake.register_fake`"),
        (
            "Expected all tensors to be on the same device, but found",
            "Create tensors on the device",
        ),
        ("for aten.add.Tensor, found two different devices cpu, cuda:0", "Create tensors on the"),
        ("IndexError: list index out of range", ""),
    ],
)
def test_an_error_whose_cause_is_known(error: str, fix: str) -> None:
    found = error_fix(error)
    assert found.startswith(fix) if fix else found == ""


def test_a_setting_without_its_module_gets_it() -> None:
    right = "Set torch._dynamo.config.trace_autograd_ops=True.", "Apply `@torch._dynamo.f`."
    hints = right[0].replace("config.", ""), right[1]
    assert useful_hints(hints) == useful_hints(right) == right


@pytest.mark.parametrize(
    ("context", "shown"),
    [
        (
            "raised exception TypeError(\"'NoneType' object is not subscriptable\")",
            "TypeError(\"'NoneType' object is not subscriptable\")",
        ),
        ("raised exception KeyError('missing')", "KeyError('missing')"),
        ("raised exception K(1, 'b')", "K(1, 'b')"),
        ("raised exception StopIteration()", "StopIteration()"),
        ("raised exception a.b.Lost('x\ny')\n", "a.b.Lost('x\ny')"),
        # Torch 2.11.
        (
            "raised exception AssertionError([ConstantVariable(str: 'need 1')])",
            "AssertionError('need 1')",
        ),
        ("raised exception StopIteration([])", "StopIteration()"),
        ("raised exception K(())", "K()"),
        ("raised exception ValueError([TensorVariable()])", "ValueError()"),
        ("raised exception K([ConstantVariable(int: 1), TensorVariable()])", "K()"),
        ("raised exception of another form", ""),
        ("", ""),
    ],
)
def test_the_exception(context: str, shown: str) -> None:
    assert raised(cause(context)) == shown


def test_of_other_breaks_nothing_is_said() -> None:
    assert raised(cause("raised exception KeyError('missing')", "GB0059")) == ""


def cause(context: str, gb_id: str = "GB0088") -> Cause:
    return Cause("Observed exception", "Observed exception", context=context, gb_id=gb_id)
