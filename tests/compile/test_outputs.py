"""What `--verify` compares, and the settings it applies, with torch's own values."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch._dynamo import config

from inspector.capture.calls.outputs import compare, keep, load, saved_results
from inspector.capture.settings import apply_settings
from inspector.capture.versions import dynamo_settings
from inspector.errors import UsageError


def differing(mine: Any, theirs: Any) -> int:
    return compare(saved_results({"output": mine}), saved_results({"output": theirs})).differing


def test_kept_values_are_read_back(tmp_path: Path) -> None:
    given = {"output": (torch.ones(3, dtype=torch.bfloat16), {"n": 1, "name": "x"}, None, object())}
    kept = saved_results(given)
    keep(kept, tmp_path)
    found = load(tmp_path)

    assert list(found.tensors) == ["output[0]"]
    assert list(found.others.values())[:2] == ["1", "'x'"]
    assert found.uncompared == ("output[3]",)
    assert compare(kept, found).differing == 0


def test_a_copy_is_kept() -> None:
    tensor = torch.ones(3)
    kept = saved_results({"output": tensor})
    tensor.zero_()
    assert compare(kept, saved_results({"output": tensor})).differing == 1


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (torch.tensor([1.0, math.nan, math.inf]), torch.tensor([1.0, math.nan, math.inf])),
        (torch.ones(3), torch.ones(3) + 1e-7),
        (torch.ones(3, dtype=torch.float16), torch.ones(3, dtype=torch.float16) + 1e-3),
        (torch.tensor([1 + 1j]), torch.tensor([1 + 1j]).conj().conj()),
        (torch.ones(2, 2).to_sparse(), torch.ones(2, 2).to_sparse()),
        (torch.empty(0), torch.empty(0)),
        ([1, True, "x", None], [1, True, "x", None]),
    ],
)
def test_equal(mine: Any, theirs: Any) -> None:
    assert differing(mine, theirs) == 0


@pytest.mark.parametrize(
    ("mine", "theirs"),
    [
        (torch.ones(3), torch.ones(3) + 1e-3),
        (torch.ones(3), torch.ones(4)),
        (torch.ones(3), torch.ones(3, dtype=torch.float64)),
        (torch.tensor([math.nan]), torch.tensor([1.0])),
        (torch.tensor([True]), torch.tensor([False])),
        (torch.ones(3), 1.0),
        (1, 2),
    ],
)
def test_different(mine: Any, theirs: Any) -> None:
    assert differing(mine, theirs) == 1


def test_errors_are_the_largest_ones() -> None:
    mine, theirs = torch.tensor([1.0, 4.5]), torch.tensor([1.0, 4.0])
    found = compare(saved_results({"output": mine}), saved_results({"output": theirs}))

    assert found.max_abs_error == 0.5
    assert found.first.startswith("output: Tensor-likes are not close!")


def test_settings_are_applied() -> None:
    settings = (
        ("capture_scalar_outputs", True),
        ("reorderable_logging_functions", ("builtins.print",)),
    )
    with config.patch(capture_scalar_outputs=False, reorderable_logging_functions={len}):
        apply_settings(settings)

        assert config.capture_scalar_outputs is True
        assert config.reorderable_logging_functions == {len, print}
    assert "nested_graph_breaks" in dynamo_settings()


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        (("capture_scalar_output", True), "Did you mean `capture_scalar_outputs`"),
        (("capture_scalar_outputs", ("builtins.print",)), "takes a bool"),
        (("reorderable_logging_functions", True), "takes a set"),
        (("reorderable_logging_functions", ("builtins.prnt",)), "There is no function"),
        (("reorderable_logging_functions", ("no_such_module.x",)), "There is no function"),
        (("reorderable_logging_functions", ("math.pi",)), "is not a function"),
    ],
)
def test_wrong_settings_are_refused(setting: Any, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        apply_settings((setting,))
