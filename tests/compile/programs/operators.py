"""More programs for the advice of inspector/advice/compiler.py."""

from __future__ import annotations

from tests.compile.advised import BY_ID

_JVP = BY_ID["autograd-functional-products"].before


PAIRS = {
    "autograd-functional-products": (
        (
            _JVP.replace(".jvp(", ".vjp("),
            _JVP.replace(
                "    value, product = torch.autograd.functional.jvp(lambda y: y.sin(), x, v)\n",
                "    value, pull = torch.func.vjp(lambda y: y.sin(), x.detach())\n"
                "    product = pull(v.detach())[0]\n",
            ),
        ),
        (
            _JVP.replace(".jvp(", ".hvp(").replace("y.sin()", "y.sin().sum()"),
            _JVP.replace(
                "    value, product = torch.autograd.functional.jvp(lambda y: y.sin(), x, v)\n",
                "    value = x.detach().sin().sum()\n"
                "    derivative = torch.func.grad(lambda y: y.sin().sum())\n"
                "    product = torch.func.jvp(derivative, (x.detach(),), (v.detach(),))[1]\n",
            ),
        ),
    ),
}
