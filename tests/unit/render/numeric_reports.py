"""Reports on numbers and on faults of the compiler, of records made by hand."""

import dataclasses

from inspector.features.numerics.report import BEFORE, NumericsReport, make_numerics_report
from inspector.features.repro.report import ReproReport
from inspector.records.codec import encode
from inspector.records.numerics import (
    INITIAL,
    ChangedOperator,
    Difference,
    Divergence,
    NotFinite,
    NumericError,
    Numerics,
)
from inspector.records.repro import Repro, SwitchedOff
from tests.unit.logs import FILE, metrics, start
from tests.unit.render.profile_reports import artifact, logged

AGREES = Numerics(results=(NumericError("output of input 1", "", 4e-7, 2e-7, 2e-7),))
WRONG = Numerics(
    results=(NumericError("output of input 1", "", 0.5, 0.25, 2e-7, is_off=True),),
    layers=(
        NumericError("norm", "LayerNorm", 1e-7, 1e-7, 1e-7),
        NumericError("head", "Linear", 0.5, 0.25, 1e-7, is_off=True),
    ),
    divergence=Divergence(
        operator="torch.tanh", file=FILE, line=9, code="y = x.tanh()", at=4, operators=7
    ),
    not_finite=(NotFinite("NaN", operator="aten.log", file=FILE, line=7, code="x.log()"),),
)
REVISED = Numerics(
    results=(NumericError("output of input 1", "", 3e-3, 1e-3, is_off=True),),
    layers=(
        NumericError("blocks.0.norm", "LayerNorm", 5e-6, 2e-6),
        NumericError("blocks.0.down", "Linear", 2e-3, 4e-3, is_off=True),
        NumericError("blocks.0", "Block", 2e-3, 1e-3, is_off=True),
    ),
    changes=(
        ChangedOperator(
            NumericError("aten.native_layer_norm", "", 5e-6, 2e-6),
            "blocks.0.norm", FILE, 14, "h = self.up(self.norm(x))",
            before="model.py:14: h = self.up(self.norm(x))",
        ),
        ChangedOperator(
            NumericError("aten.addmm", "", 2e-3, 4e-3, is_off=True),
            "blocks.0.down", FILE, 16, "return x + self.down(h.bfloat16().float())",
            before="model.py:16: return x + self.down(h)",
            after_added="aten._to_copy in blocks.0 (model.py:16: return x + "
            "self.down(h.bfloat16().float()))",
        ),
    ),
    differences=(
        Difference("module", "blocks.0.norm", "LayerNorm(eps=1e-05)", "LayerNorm(eps=1.1e-05)"),
        Difference("module", "blocks.1", "", "Block()"),
        Difference("weight", "head.bias", "float32[8]", ""),
        Difference(
            "operator", "aten._to_copy in blocks.0", "",
            "model.py:16: return x + self.down(h.bfloat16().float())",
        ),
        Difference(INITIAL, "blocks.0.up.weight", "float32[64, 32]", "float32[64, 32]"),
    ),
    not_finite=(
        NotFinite("Inf", False, "aten.exp", FILE, 17, "x.exp()"),  # noqa: FBT003
    ),
)  # fmt: skip
CRASH = Repro(
    kind="crash",
    exception="AssertionError",
    said="unexpected type",
    subsystem="code generation",
    inside="sinh",
    operators=("torch.sinh",),
    operators_before=12,
    file=FILE,
    line=3,
    code="return x.sinh()",
    rows=(
        SwitchedOff("everything after AOTAutograd", "", "python repro.py --backend aot_eager"),
        SwitchedOff("fusion", "AssertionError: unexpected type", "python repro.py fusion=1"),
        SwitchedOff("passes", "KeyError: 'val'"),
    ),
    text="import torch\n",
    is_checked=True,
)


def _report(*found: Numerics, before: str = "") -> NumericsReport:
    run = logged(start(), metrics(), *(artifact("numerics", encode(item)) for item in found))
    settings = {**run.meta.settings, **({BEFORE: before} if before else {})}
    meta = dataclasses.replace(run.meta, settings=settings)
    return make_numerics_report(dataclasses.replace(run, meta=meta))


def wrong() -> NumericsReport:
    return _report(WRONG)


def agrees() -> NumericsReport:
    return _report(AGREES)


def revised() -> NumericsReport:
    return _report(REVISED, before="main (0a1b2c3)")


def unchanged() -> NumericsReport:
    same = NumericError("output of input 1", "", 0.0, 0.0)
    return _report(Numerics(results=(same,)), before="old.py")


def repro_crash(found: Repro = CRASH) -> ReproReport:
    file = "repro.py" if found.text else ""
    return ReproReport(logged(start(), metrics()), found, file, (f"python {file}",) if file else ())


def repro_needs() -> ReproReport:
    """A file that shows the fault with a module of the project alone."""
    return repro_crash(dataclasses.replace(CRASH, needs=("plant",)))


def repro_none() -> ReproReport:
    return repro_crash(Repro())
