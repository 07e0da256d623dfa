"""What a later attempt of a compilation says of its earlier graph breaks."""

from inspector.features.breaks.rules.graph_break import RULE
from inspector.run.compilation import Frame
from inspector.run.graph_break import GraphBreak, Outcome, with_consequences
from inspector.trace.graph_break import Cause
from tests.unit.render.runs import (
    IN_FORWARD,
    MODEL,
    PRINT,
    break_at,
    compilation,
    process_of,
    run_of,
)

FAILED = Cause("Reconstruction failure", "It has no bytecode.", context="x", gb_id="GB0092")
PRINTED = break_at(IN_FORWARD, PRINT, attempt=0)
GAVE_UP = break_at(IN_FORWARD, FAILED, attempt=1, outcome=Outcome.FRAME_SKIPPED)


def told(*records: GraphBreak) -> list[tuple[Outcome, tuple[str, int, str] | None]]:
    return [(record.outcome, record.caused_by) for record in with_consequences(records)]


def test_a_function_that_is_given_up_goes_on_nowhere() -> None:
    assert told(PRINTED, GAVE_UP) == [
        (Outcome.FRAME_SKIPPED, None),
        (Outcome.FRAME_SKIPPED, PRINTED.key),
    ]


def test_the_finding_names_what_is_to_be_mended() -> None:
    records = tuple(with_consequences((PRINTED, GAVE_UP)))
    frame = Frame(0, "forward", MODEL, 13, (compilation(0, *records, graphs=0),))
    cause, consequence = RULE.check(run_of(process_of(frame)))

    assert not any("tracing resumes" in note for note in (*cause.notes, *consequence.notes))
    assert consequence.fix.startswith("Fix the other graph break on this line")
    assert consequence.alternatives == ()
    assert "caused by another graph break" in " ".join(consequence.notes)
