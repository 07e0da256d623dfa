"""A run in which every recorded text tries to be something else."""

import dataclasses

from inspector.records.environment import Problem
from inspector.records.graph_breaks import SkippedFrame
from inspector.run.compilation import Frame
from inspector.run.run import LogWarning, Run
from inspector.shared.stack import StackFrame
from inspector.trace.graph_break import Cause
from tests.unit.render import runs

BIDI = "\u202e"
TEXT = (
    "[bold red]x[/] :smile: \x1b[31mred\x1b]0;title\x07 \r\x08 "
    f"{BIDI}evil\u2069 <script>alert(1)</script> ``` | `a|b` ``c`` @user #1 https://evil.example "
    "\x9b2J \udc80 [x](javascript:y) &lt; $z$ ~~w~~ **v** __u__"
)
HEADING = f"# {TEXT}\n## not a heading\n- no list\n| no | table |\n|--|--|\n</details>\n```\n{TEXT}"


def run() -> Run:
    """The run; each text is `TEXT` or `HEADING`."""
    cause = Cause(TEXT, HEADING, HEADING, (HEADING, TEXT), TEXT, f"https://x/){TEXT}", TEXT)
    source = "\n".join([f"x = '{TEXT}'".replace("\r", "\x0b"), "\tif x:\t# tab", "```", TEXT[:9]])
    frame = StackFrame(runs.MODEL, 1, TEXT, TEXT, 1, 4, 12)
    other = StackFrame(f"{runs.PROJECT}/{HEADING}", 3, HEADING, HEADING)
    record = runs.break_at(frame, cause, frame_name=TEXT, wrappers=(cause,), stack=(other, frame))
    process = runs.process_of(
        Frame(0, TEXT, runs.MODEL, 1, (runs.compilation(0, record),)),
        versions={"torch": TEXT},
        hardware={TEXT: float("nan"), "big": 2**70, "inf": float("inf")},
        unknown_events={TEXT: 1},
        skipped=(
            SkippedFrame(f"{runs.PROJECT}/{TEXT}", 9, TEXT, TEXT, HEADING, is_entry=True, stack=()),
        ),
    ).with_records(Problem("", HEADING))
    made = runs.run_of(
        process,
        source=source,
        target=TEXT,
        name=TEXT,
        settings={"mode": TEXT, "inputs": [TEXT], TEXT: {TEXT: object}},
        partial=HEADING,
        error=HEADING,
        error_detail=HEADING,
    )
    return dataclasses.replace(made, warnings=(LogWarning(TEXT, 3, HEADING),))
