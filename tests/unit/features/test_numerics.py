"""The report of `inspect numerics`, of what its process wrote."""

from __future__ import annotations

import io
import json
from pathlib import Path

import jsonschema

from inspector import plugins
from inspector.cli.schema import schema_of
from inspector.features.numerics.report import NumericsReport
from inspector.records.bench import Divergence
from inspector.records.numerics import NotFinite, NumericError, Numerics
from tests.unit.logs import metrics, run_of, start

FILE = "/home/user/model.py"
OK = NumericError("output of input 1", "", 4e-7, 2e-7, 2e-7)
OFF = NumericError("output of input 1", "", 0.5, 0.25, 2e-7, is_off=True)
WRONG = Numerics(
    results=(OFF,),
    layers=(
        NumericError("norm", "LayerNorm", 1e-7, 1e-7, 1e-7),
        NumericError("head", "Linear", 0.5, 0.25, 1e-7, is_off=True),
    ),
    divergence=Divergence(
        operator="torch.tanh", file=FILE, line=9, code="y = x.tanh()", at=4, operators=7
    ),
    not_finite=(NotFinite("NaN", operator="torch.log", file=FILE, line=7, code="x.log()"),),
)


def shown(tmp_path: Path, found: Numerics, format_: str = "terminal") -> str:
    run = run_of(tmp_path, start(), metrics())
    stream = io.StringIO()
    plugins.render(NumericsReport(run, (found,)), format_, stream)
    return stream.getvalue()


def test_the_verdict_comes_first(tmp_path: Path) -> None:
    text = shown(tmp_path, WRONG)
    assert "compiled results differ: max error 5.0e-01 in output of input 1" in text
    assert "torch.tanh (model.py:9: y = x.tanh()), 4 of 7" in text
    assert "NaN first appears in torch.log (model.py:7: x.log()), also in eager" in text


def test_the_layer_that_differs_first_comes_first(tmp_path: Path) -> None:
    lines = shown(tmp_path, WRONG).splitlines()
    head, norm = (
        next(at for at, line in enumerate(lines) if line.startswith(f"  {name} "))
        for name in ("head", "norm")
    )
    assert head < norm
    assert lines[head].endswith("differs")
    assert lines[norm].endswith("ok")


def test_what_agrees(tmp_path: Path) -> None:
    assert "compiled agrees: max error 4.0e-07" in shown(tmp_path, Numerics(results=(OK,)))
    assert "nothing to compare" in shown(tmp_path, Numerics())


def test_json_fits_its_schema(tmp_path: Path) -> None:
    data = json.loads(shown(tmp_path, WRONG, "json"))
    jsonschema.validate(data, schema_of("numerics"))
    assert data["differs"]
    assert data["inputs"][0]["layers"][1]["is_off"]
