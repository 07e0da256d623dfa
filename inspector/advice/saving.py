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
    keeps="Outputs and file.",
    instead_of=r"dont_skip_tracing|^Avoid calling|file an issue",
)

ADVICE = (PROFILER, SAVE)
