"""Functions that are not written in Python, and modules of the standard library."""

from __future__ import annotations

from inspector.advice.advice import Advice
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
    before="""\
import torch
import zlib


@torch.compile
def forward(x, text):
    y = x * 2
    return y + zlib.crc32(text) % 7


outputs = [forward(torch.ones(3), text) for text in (b"one", b"two")]
""",
    after="""\
import torch
import zlib


@torch.compile
def compute(x, offset):
    y = x * 2
    return y + offset


def forward(x, text):
    return compute(x, torch.tensor(zlib.crc32(text) % 7))


outputs = [forward(torch.ones(3), text) for text in (b"one", b"two")]
""",
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
    before="""\
import torch
import zlib


@torch.compile
def forward(x):
    y = x * 2
    return (y + zlib.crc32(b"one") % 7).relu()


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
""",
    after="""\
import torch
import zlib


@torch.library.custom_op("mine::checked", mutates_args=())
def checked(x: torch.Tensor) -> torch.Tensor:
    return x + zlib.crc32(b"one") % 7


@checked.register_fake
def _(x):
    return torch.empty_like(x)


checked.register_autograd(lambda context, gradient: gradient)


@torch.compile
def forward(x):
    y = x * 2
    return checked(y).relu()


outputs = [forward(x) for x in (torch.ones(3), -torch.ones(3))]
""",
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
    before="""\
import json
import torch


@torch.compile
def forward(x, name):
    y = x * 2
    return y, json.dumps({"name": name, "shape": list(y.shape)})


outputs = [forward(torch.ones(3), name) for name in ("first", "second")]
""",
    after="""\
import json
import torch


@torch.compile
def compute(x):
    return x * 2


def forward(x, name):
    y = compute(x)
    return y, json.dumps({"name": name, "shape": list(y.shape)})


outputs = [forward(torch.ones(3), name) for name in ("first", "second")]
""",
    keeps="The outputs and the text.",
    instead_of=_HINTS,
)

JSON = Advice(
    id="json",
    kinds=(METHOD, SKIPPED),
    where=lambda code: code.has(lambda node: dotted_name(node).startswith("json.")),
    title="json in compiled code",
    fix="Parse in the caller, and pass what was parsed.",
    before="""\
import json
import torch


@torch.compile
def forward(x, text):
    y = x * 2
    return y * json.loads(text)["scale"]


outputs = [forward(torch.ones(3), text) for text in ('{"scale": 2}', '{"scale": 3}')]
""",
    after="""\
import json
import torch


@torch.compile
def compute(x, settings):
    y = x * 2
    return y * settings["scale"]


def forward(x, text):
    return compute(x, json.loads(text))


outputs = [forward(torch.ones(3), text) for text in ('{"scale": 2}', '{"scale": 3}')]
""",
    keeps="The outputs.",
    instead_of=_HINTS,
)

IMPORT = Advice(
    id="import",
    kinds=(SKIPPED,),
    says=r"importlib",
    title="an import in compiled code",
    fix="Import at the top of the module.",
    before="""\
import importlib
import torch


@torch.compile
def forward(x):
    y = x * 2
    math = importlib.import_module("math")
    return y * math.pi


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import math
import torch


@torch.compile
def forward(x):
    y = x * 2
    return y * math.pi


outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="The outputs.",
    instead_of=_HINTS,
)

ADVICE = (FUNCTION, CUSTOM_OP, JSON_WRITTEN, JSON, IMPORT)
