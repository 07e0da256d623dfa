"""Files that torch writes, and its profiler."""

from __future__ import annotations

from inspector.advice.advice import Advice
from inspector.advice.kinds import INLINED, SKIPPED

PROFILER = Advice(
    id="profiler-step",
    kinds=(INLINED,),
    says=r"profile\.step|torch/profiler/",
    title="a profiler's step in compiled code",
    fix="Call the profiler in the caller, around the compiled call.",
    before="""\
import torch

profiler = torch.profiler.profile()


@torch.compile
def forward(x):
    y = x * 2
    profiler.step()
    return y


with profiler:
    outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch

profiler = torch.profiler.profile()


@torch.compile
def compute(x):
    return x * 2


def forward(x):
    y = compute(x)
    profiler.step()
    return y


with profiler:
    outputs = [forward(x) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="Outputs and profile.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

SAVE = Advice(
    id="save-or-load",
    kinds=(SKIPPED,),
    says=r"module: torch\.serialization",
    title="torch.save or torch.load in compiled code",
    fix="Return what is to be saved (a `clone()` of what is written to in place later), and save "
    "it in the caller; load before the compiled call.",
    before="""\
import torch


@torch.compile
def forward(x):
    y = x * 2
    torch.save(y, "y.pt")
    return y + 1


outputs = [(forward(x), torch.load("y.pt")) for x in (torch.ones(3), torch.zeros(3))]
""",
    after="""\
import torch


@torch.compile
def compute(x):
    y = x * 2
    return y + 1, y


def forward(x):
    result, y = compute(x)
    torch.save(y, "y.pt")
    return result


outputs = [(forward(x), torch.load("y.pt")) for x in (torch.ones(3), torch.zeros(3))]
""",
    keeps="Outputs and file.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

ADVICE = (PROFILER, SAVE)
