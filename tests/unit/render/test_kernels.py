"""What a report on kernels shows of one kernel."""

import dataclasses

import pytest

from tests.unit.render.kernel_reports import kernels_choices
from tests.unit.render.rendering import rendered


@pytest.mark.parametrize(("name", "before"), [("terminal", 0), ("markdown", 1)])
def test_lines_of_a_source_that_is_shown_are_those_that_were_compiled(
    name: str, before: int
) -> None:
    """Inductor's sources begin with empty lines, which count where a line is named."""
    report = kernels_choices()
    kernel = report.rows[0].kernel
    assert kernel.source.startswith("\n")
    lines = rendered(dataclasses.replace(report, shown=kernel.name), name).splitlines()
    compiled = [text.rstrip() for text in kernel.source.rstrip("\n").split("\n")]
    assert [text.rstrip() for text in lines[before : before + len(compiled)]] == compiled
