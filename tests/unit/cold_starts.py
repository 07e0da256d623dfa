"""Recorded cold starts, and reports on them."""

from pathlib import Path

from inspector import plugins
from inspector.features.compile_time.cache_keys import key_changes, unmatched
from inspector.features.compile_time.cold_start import cold_start
from inspector.features.compile_time.report import Against, ColdStartReport
from inspector.report.report import make_report
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run

DATA = Path(__file__).parent / "data" / "cold_start"


def read(name: str) -> Run:
    (path,) = DATA.glob(f"{name}.*")
    with opened(path) as recording:
        return read_run(recording, keep_spans=True)


def report_of(run: Run, other: Run | None = None) -> ColdStartReport:
    rules = plugins.load_rules("cold-start")
    against = None
    if other is not None:
        time_ns = sum(process.compile_time_ns for process in other.processes)
        against = Against(other.meta.name, time_ns, key_changes(run, other), *unmatched(run, other))
    return ColdStartReport(make_report(run, rules), cold_start(run), against)
