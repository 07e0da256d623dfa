"""Cache misses are findings where a gate names them, and only there."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from inspector.cli.explain import command as explain

SAMPLES = Path(__file__).parents[4] / "samples"


@pytest.mark.parametrize(
    ("recording", "asked", "code"),
    [
        ("small_cnn/h200-inference.zip", "cache-miss", 1),
        ("small_cnn/h200-inference.zip", "error", 0),
        ("small_cnn/recording.zip", "cache-miss", 0),  # without Inductor nothing is looked for
    ],
)
def test_a_gate_fails_on_what_no_cache_had(recording: str, asked: str, code: int) -> None:
    options = [str(SAMPLES / recording), "--fail-on", asked]
    result = CliRunner().invoke(explain, options, standalone_mode=False)
    assert result.return_value == code, result.output
    assert ("not in the FX graph cache" in result.output) == bool(code)
