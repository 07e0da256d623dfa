"""A fault of the compiler as JSON."""

from inspector.features.repro.report import FORMAT_VERSION, ReproReport
from inspector.records.repro import Repro, SwitchedOff
from inspector.report.json.common import COMMON
from inspector.report.json.encode import View, Views, tool_version

VIEWS: Views = {
    **COMMON,
    ReproReport: View(
        "format_version kind tool_version recording=run.meta:recording file found next_steps",
        format_version=FORMAT_VERSION,
        kind="repro",
        tool_version=tool_version,
    ),
    Repro: View(
        """kind exception said subsystem inside operators operators_before
        file=~file line code switched_off=rows is_checked needs output is_cut_off
        text"""
    ),
    SwitchedOff: View("what fault replay"),
}
