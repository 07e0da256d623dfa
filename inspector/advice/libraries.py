"""Functions that are not written in Python, and modules of the standard library."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.code import dotted_name
from inspector.advice.kinds import METHOD, SKIPPED
from inspector.advice.moving import call_before

_HINTS = r"third-party|file an issue|dont_skip_tracing|^Avoid calling"


FUNCTION = Advice(
    id="c-function",
    kinds=(SKIPPED,),
    title="a function that Dynamo does not trace",
    tailored=call_before,
    fix="Call it in the caller, outside of the compiled function, as often as it is called here, "
    "and pass its result; where it takes what is made inside, end the compiled function above it, "
    "and compile the rest as a second one.",
    keeps="The outputs, where the call gives the same before the function as in it. As a tensor "
    "the number is no part of the graph; as a Python int every new one can compile it again.",
)

CUSTOM_OP = Advice(
    id="custom-operator",
    kinds=(SKIPPED,),
    title="a function on tensors that Dynamo does not trace",
    fix="If it takes and returns tensors: make it an operator with `torch.library.custom_op`, "
    "give it a `register_fake` (and a `register_autograd` where gradients go through it), and the "
    "graph holds it.",
    keeps="The outputs and gradients. What is inside of the operator runs eagerly, in the middle "
    "of the graph.",
    other_way_of=("c-function",),
)

_WRITES = ("json.dump", "json.dumps")

JSON_WRITTEN = Advice(
    id="json-written",
    kinds=(METHOD, SKIPPED),
    where=lambda code: code.has(lambda node: dotted_name(node) in _WRITES),
    title="JSON written in compiled code",
    fix="Return what is written (a `clone()` of a tensor that is written to in place later), and "
    "write the JSON in the caller.",
    keeps="The outputs and the text.",
    instead_of=_HINTS,
)

JSON = Advice(
    id="json",
    kinds=(METHOD, SKIPPED),
    where=lambda code: code.has(lambda node: dotted_name(node).startswith("json.")),
    title="json in compiled code",
    fix="Parse in the caller, and pass what was parsed.",
    keeps="The outputs.",
    instead_of=_HINTS,
)

IMPORT = Advice(
    id="import",
    kinds=(SKIPPED,),
    says=r"importlib",
    title="an import in compiled code",
    fix="Import at the top of the module.",
    keeps="The outputs.",
    instead_of=_HINTS,
)


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

ADVICE = (FUNCTION, CUSTOM_OP, JSON_WRITTEN, JSON, IMPORT, OBJECT)
