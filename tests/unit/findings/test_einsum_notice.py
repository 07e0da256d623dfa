"""Which package picks the order of an einsum is said where code for another machine has one."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.findings import einsum_notice
from inspector.findings.einsum_notice import einsum_notices
from inspector.model.graph import Stage
from inspector.model.output_code import OutputCodes
from tests.unit.fusions import graph, node
from tests.unit.renderers.runs import process_of, run_of


@pytest.mark.parametrize(
    ("target", "operands", "gpu", "versions", "expected"),
    [
        ("torch.functional.einsum", "abc", "h200", {}, "not installed here"),
        ("torch.functional.einsum", "abc", "h200", {"opt_einsum": "3.4.0"}, "here it is 3.4.0"),
        ("torch.functional.einsum", "ab", "h200", {}, ""),
        ("torch.functional.einsum", "abc", "", {}, ""),
        ("torch.addcmul", "abc", "h200", {}, ""),
    ],
)
def test_an_einsum_of_three_operands(  # noqa: PLR0913, PLR0917 - one of each
    target: str,
    operands: str,
    gpu: str,
    versions: dict[str, str],
    expected: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inputs = [node(name, "") for name in operands]
    captured = graph(*inputs, node("einsum", target, *operands), stage=Stage.DYNAMO, direction="")
    monkeypatch.setattr(einsum_notice, "read_graphs", lambda *_: ([captured], []))
    codes = dataclasses.replace(OutputCodes(), gpu=gpu)

    found = list(einsum_notices(run_of(process_of(codes=codes, versions=versions))))

    assert len(found) == bool(expected)
    assert all(expected in text for text in found)
