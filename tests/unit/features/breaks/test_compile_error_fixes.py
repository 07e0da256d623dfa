"""What to do about errors whose cause is known, told by torch's own words."""

from __future__ import annotations

from inspector.features.breaks.compile_error_fixes import error_fix

# torch 2.13.0+cpu, a call of an operator of torch.library.custom_op without register_fake.
NO_FAKE = (
    "Dynamo failed to run FX node with fake tensors: call_function zoo.nofake.default("
    "*(FakeTensor(..., size=(3,)),), **{}): got RuntimeError('There was no fake impl registered "
    "for <CustomOpDef(zoo::nofake)>. This is necessary for torch.compile/export/fx tracing to "
    "work. Please use `nofake.register_fake` to add an fake impl.')"
)


def test_an_operator_without_a_fake_is_named() -> None:
    fix = error_fix(NO_FAKE)
    assert fix.startswith("Register a fake kernel for zoo::nofake")
    assert "`@nofake.register_fake`" in fix


def test_what_is_on_another_device_is_to_be_made_where_the_inputs_are() -> None:
    said = "Expected all tensors to be on the same device, but found at least two devices, cpu and"
    assert "device=x.device" in error_fix(f"{said} cuda:0!")
    # torch 2.11.0
    said = (
        "Unhandled FakeTensor Device Propagation for aten.add.Tensor, found two different devices"
    )
    assert "device=x.device" in error_fix(f"{said} cpu, cuda:0')")


def test_nothing_is_said_about_what_is_not_known() -> None:
    assert error_fix("IndexError: list index out of range") == ""
