"""Clocks, files, and torch functions that return no tensor."""

from __future__ import annotations

from inspector.advice.advice import Advice, Kind
from inspector.advice.kinds import BUILTIN, METHOD, SKIPPED

OPEN = Advice(
    id="open",
    kinds=(BUILTIN,),
    says=r"builtin(?: operator)? `?open\b",
    title="a file opened in compiled code",
    fix="Return what is written (a `clone()` of a tensor that is written to in place later), and "
    "write it in the caller; read before the compiled call.",
    keeps="Outputs and file.",
    instead_of=r"^Avoid calling builtin|logging function",
)

NO_TENSOR = Advice(
    id="returns-no-tensor",
    kinds=(Kind("GB0208", "torch.* op returned non-Tensor"),),
    title="a torch function that returns no tensor",
    fix="Call it in the caller, and pass what it returns; where it takes what is made inside, end "
    "the compiled function above it.",
    keeps="The outputs.",
)

# Not `sleep`: only what tells the time.
_CLOCKS = (
    "(?:clock_gettime|monotonic|perf_counter|process_time|thread_time|time)(?:_ns)?"
    "|ctime|gmtime|localtime"
)

TIME = Advice(
    id="clock",
    kinds=(SKIPPED, METHOD),
    says=rf"module: time, qualname: (?:{_CLOCKS})\b"
    r"|qualname: (?:datetime|date)\.(?:now|today|utcnow)\b|`(?:now|today|utcnow)` of class",
    title="the clock read in compiled code",
    fix="Read the clock in the caller, around the compiled call (a kernel on a GPU may still be "
    "running then: `torch.cuda.synchronize()` first).",
    keeps="The outputs, and what is timed.",
    instead_of=r"third-party|file an issue|^Avoid calling",
)

ADVICE = (OPEN, NO_TENSOR, TIME)
