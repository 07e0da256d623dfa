"""Settings of Dynamo for the calls of one compiled function or module alone.

``torch._dynamo.config.X = True`` holds for all that is compiled from then on; in torch 2.12 and
2.13 in the thread alone that sets it. ``torch._dynamo.config.patch(X=True)`` holds for what is
compiled while it is entered, by the thread that entered it, so it belongs around every call: any of
them can compile anew. Within the compiled function ``patch_dynamo_config`` comes too late for sizes
(2.11 to 2.13; tried).
"""

from __future__ import annotations

from inspector.findings.around_calls import patch

# Best of 5 times 5000 calls of a function that does nothing (CPU, 2.11 to 2.13): 5 to 8 us with the
# decorator, 17 to 27 us with `with`, which makes the patch anew. On 2.11 a patch that two threads
# enter at once stops with an AssertionError, or stays behind.
CALLS_ALONE = (
    "The setting holds for these calls alone, not for all that the program compiles, and costs "
    "each about 5 µs as a decorator, 20 µs as `with`; within the compiled function it is of no "
    "use. On torch 2.11 two threads must not call at once."
)
"""What all advice with `under` has to say of what stays the same."""

BY_ITSELF = "With `fullgraph=True` torch does so without a setting (2.11 to 2.13)."
"""Of `capture_scalar_outputs` and `capture_dynamic_output_shape_ops`, and of no other."""

SETS = "The set stands in the place of one that is set elsewhere, and holds all that is meant."
"""Of settings that are sets of functions."""


def under(setting: str) -> str:
    """How to make the calls with a setting, as the beginning of a sentence.

    Args:
        setting: As an argument: ``allow_rnn=True``.
    """
    return (
        f"`with {patch(setting)}: model(x)` around every call of what is compiled (or as a "
        "decorator above `torch.compile`)"
    )
