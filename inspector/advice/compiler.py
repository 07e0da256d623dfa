"""Operators of the program's own, and what asks for a break."""

from __future__ import annotations

import ast

from inspector.advice.advice import case
from inspector.advice.code import dotted_name

_PRODUCTS = ("functional.hvp", "functional.jvp", "functional.vhp", "functional.vjp")


ADVICE = (
    case("operator-without-fake"),
    case(
        "value-in-fake",
        where=lambda code: (
            code.function is not None
            and any(
                dotted_name(node).endswith(("register_fake", "impl_abstract"))
                for decorator in code.function.decorator_list
                for node in ast.walk(decorator)
                if isinstance(node, ast.expr)
            )
        ),
    ),
    case(
        "autograd-functional",
        where=lambda code: code.has(
            lambda node: dotted_name(node).endswith(("functional.jacobian", "functional.hessian"))
        ),
    ),
    case(
        "autograd-functional-products",
        where=lambda code: code.has(lambda node: dotted_name(node).endswith(_PRODUCTS)),
    ),
    case("disabled-function"),
    case("graph-break-call"),
    case("asynchronous-collective"),
)
