"""SARIF, annotations of GitHub and JUnit files."""

import io
import json
from types import ModuleType
from typing import Any
from xml.etree import ElementTree as ET

from inspector.render import github, junit, sarif
from inspector.report.finding import Finding, Place
from inspector.report.page import Page
from inspector.report.severity import Severity

PLACE = Place("a,b/model:1.py", 12, 12, 4, 9)
FINDINGS = [
    Finding("graph-break", Severity.WARNING, "100% <broken>\n", PLACE, why="\x01", fix="Fix it.",
            gb_id="GB0007", fingerprint="abc"),
    Finding("recompile", Severity.ERROR, "again", Place(), fingerprint="def", is_new=True),
    Finding("cache-bypass", Severity.INFO, "bypassed", Place("m.py", 3)),
]  # fmt: skip


def rendered(renderer: ModuleType) -> str:
    stream = io.StringIO()
    renderer.render(Page("torch.compile", "3 findings", findings=FINDINGS), stream)
    return stream.getvalue()


def test_sarif_has_rules_regions_and_fingerprints() -> None:
    (run,) = json.loads(rendered(sarif))["runs"]
    results: list[dict[str, Any]] = run["results"]
    rules = run["tool"]["driver"]["rules"]
    assert [rules[item["ruleIndex"]]["id"] for item in results] == [f.rule for f in FINDINGS]
    assert [item["level"] for item in results] == ["warning", "error", "note"]
    (location,) = results[0]["locations"]
    region = {"startLine": 12, "endLine": 12, "startColumn": 5, "endColumn": 10}
    assert location["physicalLocation"]["region"] == region
    assert results[0]["partialFingerprints"] == {"torchInspector/v1": "abc"}
    assert results[1]["baselineState"] == "new"
    assert "locations" not in results[1]


def test_annotations_are_escaped() -> None:
    first, second, third, headline = rendered(github).splitlines()
    assert first == (
        "::warning file=a%2Cb/model%3A1.py,line=12,endLine=12,col=5,title=graph break GB0007"
        "::100%25 <broken>%0A%0A\x01%0AFix: Fix it."
    )
    assert second == "::error title=recompile::again"
    assert third.startswith("::notice file=m.py,line=3")
    assert headline == "3 findings"


def test_junit_counts_what_fails_and_is_xml() -> None:
    suite = ET.fromstring(rendered(junit))  # noqa: S314 - it is our own
    assert (suite.get("tests"), suite.get("failures")) == ("3", "2")
    assert suite[0].get("classname") == "graph-break"
    failure = suite[0].find("failure")
    assert failure is not None
    assert failure.get("message") == "100% <broken>\n"
    assert suite[2].find("failure") is None
