from tests.unit.render import hostile, runs
from tests.unit.render.rendering import all_reports, as_json


def test_reports_of_traces_are_as_their_schema_says() -> None:
    for report in all_reports():
        as_json(report)


def test_what_json_cannot_hold_is_replaced() -> None:
    report = as_json(runs.report_of(hostile.run()))
    hardware = report["environment"][0]["hardware"]
    assert hardware["big"] == 2**63 - 1
    assert hardware["inf"] is None
    assert "\\udc80" in report["recording"]["name"]
