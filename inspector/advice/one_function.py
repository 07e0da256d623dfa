"""Settings of Dynamo for the calls of one compiled function or module alone.

``torch._dynamo.config.X = True`` holds for all that is compiled from then on; in torch 2.12 and
2.13 in the thread alone that sets it. ``torch._dynamo.config.patch(X=True)`` holds for what is
compiled while it is entered, by the thread that entered it, so it belongs around every call: any of
them can compile anew. Within the compiled function ``patch_dynamo_config`` comes too late for sizes
(2.11 to 2.13; tried).
"""

from __future__ import annotations

from inspector.findings.around_calls import patch


def under(setting: str) -> str:
    """How to make the calls with a setting (``allow_rnn=True``): the beginning of a sentence."""
    return (
        f"`with {patch(setting)}: model(x)` around every call of what is compiled (or as a "
        "decorator above `torch.compile`)"
    )
