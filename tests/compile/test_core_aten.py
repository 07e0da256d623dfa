"""The list of Core ATen is the installed torch's: the parent cannot ask torch for it."""

from __future__ import annotations

import torch

from inspector.graphs.operators import CORE_ATEN


def test_no_operator_is_missing() -> None:
    assert _tagged() - CORE_ATEN == set()


def test_no_operator_was_made_up() -> None:
    # One that a release drops stays in the list, which is then that of several releases.
    assert len(CORE_ATEN - _tagged()) <= 10


def _tagged() -> set[str]:
    found = set()
    for name in torch._C._dispatch_get_all_op_names():
        space, _, rest = name.partition("::")
        packet, _, overload = rest.partition(".")
        if space != "aten":
            continue
        operator = getattr(getattr(torch.ops.aten, packet), overload or "default", None)
        if operator is not None and torch.Tag.core in operator.tags:
            found.add(str(operator))
    return found
