"""Objects of types that are not written in Python: ``Decimal``, ``SimpleNamespace``."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import METHOD

_CALL = Kind("GB0147", "Unsupported function call")


OBJECT = Advice(
    id="foreign-object",
    kinds=(METHOD, _CALL),
    says=r"of class `(?!\w*Tensor)|trace the function `<class '",
    title="an object of a type that Dynamo does not trace",
    fix="Make it in the caller, outside of the compiled function, and pass what is needed of it: a "
    "number, a text, a tensor. An object of a class of your own, in Python, is traced. Where it "
    "takes what is made inside, end the compiled function above it, and compile the rest as a "
    "second one.",
    keeps="The outputs. As a tensor a number is no part of the graph; as a Python number every new "
    "one can compile it again.",
    instead_of=r"^Avoid calling|report an issue",
)

ADVICE = (OBJECT,)
