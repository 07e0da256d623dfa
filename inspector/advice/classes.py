"""Classes and their attributes."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import SKIPPED

CLASS = Advice(
    id="class-statement",
    kinds=(
        Kind("GB8977", "Invalid call to __build_class__"),
        SKIPPED,
    ),
    says=r"build_class",
    title="a class defined in compiled code",
    fix="Define the class at the top of the module, and pass it what it takes from the function.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2

    class Scale:
        factor = 3

    return y * Scale.factor


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


class Scale:
    factor = 3


@torch.compile
def forward(x):
    y = x * 2
    return y * Scale.factor


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs.",
    instead_of=r"third-party|file an issue|^Avoid calling",
)

GETATTR = Advice(
    id="getattr-not-a-function",
    kinds=(Kind("GB0256", "User-defined object with non-function __getattr__"),),
    title="a __getattr__ that is no function",
    fix="Write `__getattr__` as a method (`def __getattr__(self, name)`), which is traced.",
    before="""\
import functools
import torch


class Config:
    __getattr__ = functools.partial(lambda default, name: default, 2)


config = Config()


@torch.compile
def forward(x):
    return x * config.scale


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    after="""\
import torch


class Config:
    def __getattr__(self, name):
        return 2


config = Config()


@torch.compile
def forward(x):
    return x * config.scale


outputs = [forward(x) for x in (torch.ones(3), torch.arange(3.0))]
""",
    keeps="The outputs.",
)

ADVICE = (CLASS, GETATTR)
