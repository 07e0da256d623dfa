"""What is read out of torch's text about a graph break."""

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st

from inspector.trace.graph_break import GraphBreakReason
from inspector.trace.printed_stack import printed_frames

MESSAGE = """\
Failed to trace builtin operator
  Explanation: Dynamo does not know how to trace builtin operator `print`
    with argument types ['str']
  Hint: Avoid calling builtin `print`.
  Hint: Please report an issue to PyTorch.

  Developer debug context: builtin print

 For more details about this graph break, please visit: https://example.org/gb/gb0059.html"""
WRAPPED = f"""\
{MESSAGE}

*** While handling this graph break, another graph break occurred: ***

Graph break in loop
  Explanation: Cannot resume in a loop.
  Hint: Move it out.

  Developer debug context:

 For more details about this graph break, please visit: https://example.org/gb/gb7000.html"""
STACK = """\
  File "/home/user/model.py", line 9, in forward
    y = self.inner(x)
        ^^^^^^^^^^^^^
  File "/home/user/inner.py", line 3, in torch_dynamo_resume_in_inner_at_2
    print("a")
"""


def record(prefix: str, message: str) -> str:
    return (
        "Graph break in user code at /home/user/inner.py:3\n"
        f"Graph Break Reason: {prefix}{message}\n\n"
        f"User code traceback:\n{STACK}\n"
        "Traceback (most recent call last):\n"
        '  File "/site-packages/torch/_dynamo/x.py", line 1, in run\n    boom()\n'
    )


PREFIXES = {
    "Encountered graph break when attempting to trace CALL: a function call, e.g. f(x, y):\n\n": (
        "resumed"
    ),
    "Encountered graph break that we cannot resume from. Compiling up to the previous resumable "
    "state, then skipping the rest of the function. Graph break encountered:\n\n": "rest-skipped",
    "Failed to handle graph break gracefully. Skipping the function and falling back to eager. "
    "Graph break encountered:\n\n": "frame-skipped",
    "": "resumed",
}


@pytest.mark.parametrize(("prefix", "outcome"), PREFIXES.items(), ids=PREFIXES.values())
def test_a_record_is_read(prefix: str, outcome: str) -> None:
    reason = GraphBreakReason.parse(record(prefix, MESSAGE))

    assert (reason.file, reason.line, reason.outcome) == ("/home/user/inner.py", 3, outcome)
    (cause,) = reason.causes
    assert cause.gb_type == cause.title == "Failed to trace builtin operator"
    assert cause.gb_id == "GB0059"
    assert cause.explanation.endswith("`print`\nwith argument types ['str']")
    assert cause.hints == ("Avoid calling builtin `print`.", "Please report an issue to PyTorch.")
    assert cause.context == "builtin print"


def test_the_break_comes_before_what_wraps_it() -> None:
    reason = GraphBreakReason.parse(record(next(iter(PREFIXES)), WRAPPED))

    assert [cause.gb_id for cause in reason.causes] == ["GB0059", "GB7000"]


def test_carets_become_columns_of_the_stripped_line() -> None:
    outer, inner = printed_frames(STACK)

    assert (outer.code, outer.column, outer.end_column) == ("y = self.inner(x)", 4, 17)
    assert (inner.code, inner.column, inner.end_column) == ('print("a")', None, None)


def test_python_3_13_underlines_parts_and_several_lines() -> None:
    (frame,) = printed_frames(
        '  File "a.py", line 1, in f\n    g(\n    ~^\n        x,\n        ^^\n    )\n    ^\n'
    )

    assert (frame.code, frame.column, frame.end_column) == ("g(", 0, 2)


def test_a_backend_that_refuses_a_graph_writes_a_record_of_its_own() -> None:
    reason = GraphBreakReason.parse(
        "WON'T CONVERT f /home/user/my model.py line 4\n"
        "========== TorchDynamo Stack Trace ==========\nTraceback (most recent call last):\n"
        '  File "/home/user/backend.py", line 1, in f\n    raise\nRuntimeError: no\n'
    )

    assert (reason.file, reason.line) == ("/home/user/my model.py", 4)
    assert reason.causes[0].gb_id == "GB0219"
    assert reason.stack == ()


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        ("RuntimeError: no", "RuntimeError: no"),
        ("NotImplementedError", "NotImplementedError"),
        (
            "x.BackendCompilerFailed: backend='b' raised:\nRuntimeError: no formula.\n\nSet X=1.",
            "RuntimeError: no formula.",
        ),
    ],
)
def test_the_error_of_a_backend_stands_before_separators_and_the_users_stack(
    raised: str, said: str
) -> None:
    reason = GraphBreakReason.parse(
        "WON'T CONVERT f /home/user/model.py line 4\n"
        f"{'=' * 10} TorchDynamo Stack Trace {'=' * 10}\nTraceback (most recent call last):\n"
        f'  File "/home/user/backend.py", line 1, in f\n    raise\n{raised}\n\n'
        f"{'=' * 10} The above exception occurred while processing the following code "
        f'{"=" * 10}\n\n  File "/home/user/model.py", line 9, in f\n    g(x)\n\n{"=" * 10}\n'
    )
    assert reason.causes[0].explanation == f"The backend failed: {said}"


OPERATOR = """
While executing %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%x, %i))
Original traceback:
  File "/home/user/model.py", line 9, in forward
    return pick(x, i)
           ^^^^^^^^^^
  File "/home/user/model.py", line 3, in pick
    return x[i]

Use tlparse to see full graph. (https://github.com/pytorch/tlparse)
"""


def test_the_operator_that_the_backend_failed_at_is_the_place() -> None:
    message = "Backend compiler exception\n  Explanation: Backend compiler `b` failed with no.x\n"
    message += textwrap.indent(OPERATOR, "    ") + "  Hint: Report it.\n\n"
    message += " For more details about this graph break, please visit: https://x/gb/gb0219.html\n"
    plain = GraphBreakReason.parse(
        f"WON'T CONVERT f /home/user/model.py line 8\n{'=' * 10} TorchDynamo Stack Trace "
        f"{'=' * 10}\nTraceback (most recent call last):\n"
        f'  File "/home/user/backend.py", line 1, in f\n    raise\nRuntimeError: no.x\n{OPERATOR}\n'
    )
    for reason in (GraphBreakReason.parse(record("", message)), plain):
        assert (reason.file, reason.line) == ("/home/user/model.py", 3)
        assert [(frame.line, frame.name) for frame in reason.operator] == [
            (9, "forward"), (3, "pick"),
        ]  # fmt: skip
    framed = GraphBreakReason.parse(record("", message))
    assert framed.causes[0].explanation == (
        "Backend compiler `b` failed with no.x while executing operator.getitem"
    )


def test_a_message_without_the_usual_form_keeps_its_first_line() -> None:
    reason = GraphBreakReason.parse(record("", "Something that torch says\nin two lines"))

    assert reason.causes[0].gb_type is None
    assert reason.causes[0].title == "Something that torch says"


@given(st.text(), st.integers(0, 2000))
def test_any_text_and_any_cut_is_read(text: str, cut: int) -> None:
    GraphBreakReason.parse(text)
    GraphBreakReason.parse(record(next(iter(PREFIXES)), WRAPPED)[:cut])


def test_a_skipped_frame_has_its_cause_in_the_exception() -> None:
    found = GraphBreakReason.parse(
        "Graph break: torch.compile cannot properly resume from this graph break, which results in "
        "a skip.\ntorch.compile will skip tracing the frame f (m.py line 8).\n"
        "The graph break occurred in the following user code:\n"
        '  File "m.py", line 9, in f\n    y = torch.arange(n)\n\n'
        'Traceback (most recent call last):\n  File "torch/x.py", line 1, in x\n    raise\n'
        "torch._dynamo.exc.Unsupported: Data dependent operator\n  Explanation: no\n"
        "  Developer debug context: aten._local_scalar_dense.default\n\n"
        " For more details about this graph break, please visit: https://x.org/gb/gb0033.html\n\n"
        'from user code:\n   File "m.py", line 9, in f\n    y = torch.arange(n)\n'
    )
    (cause,) = found.causes
    assert (cause.gb_id, cause.context) == ("GB0033", "aten._local_scalar_dense.default")
    assert found.outcome == "frame-skipped"
    assert [(frame.line, frame.code) for frame in found.stack] == [(9, "y = torch.arange(n)")]
