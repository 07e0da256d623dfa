"""What to do about failed compilations whose cause is known."""

from __future__ import annotations

import re

__all__ = ["error_fix"]

# torch/_library/custom_ops.py and torch/_subclasses/fake_tensor.py, 2.11 to 2.13.
_NO_FAKE = re.compile(
    r"no fake impl registered for <CustomOpDef\((?P<operator>[^)]+)\)>.*?"
    r"`(?P<function>\w+)\.register_fake`",
    re.DOTALL,
)
_DEVICES = re.compile(
    r"Expected all tensors to be on the same device|found two different devices [\w:]+, [\w:]+"
)


def error_fix(said: str) -> str:
    """What to write, or an empty string where nobody knows.

    Args:
        said: What torch says about the error.
    """
    missing = _NO_FAKE.search(said)
    if missing:
        function = missing["function"]
        return (
            f"Say what {missing['operator']} returns, without computing it: `@{function}."
            "register_fake` on a function of the same arguments that returns an empty tensor of "
            "the right shape, dtype and device (`torch.empty_like(x)` where these are x's); for "
            f"gradients, `{function}.register_autograd`."
        )
    if _DEVICES.search(said):
        return (
            "Make what is made in the function where its inputs are: `torch.zeros(…, "
            "device=x.device)` or `x.new_zeros(…)`. What a module keeps is to be a parameter or a "
            "buffer (`register_buffer`), which `.to(device)` moves. On these devices plain PyTorch "
            "fails there, too."
        )
    return ""
