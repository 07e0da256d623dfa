"""Findings as a JUnit file: one failed test for each, in the form that most CI servers read."""

import re
from typing import TextIO
from xml.etree import ElementTree as ET

from inspector.report.page import Page
from inspector.report.severity import Severity
from inspector.report.wording import kind, location

_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def render(page: Page, stream: TextIO) -> None:
    """Writes a suite; what is only for information passes."""
    failed = sum(item.severity is not Severity.INFO for item in page.findings)
    suite = ET.Element(
        "testsuite",
        name=f"torch-inspector {page.kind}",
        tests=str(max(len(page.findings), 1)),
        failures=str(failed),
    )
    if not page.findings:
        ET.SubElement(suite, "testcase", classname=page.kind, name=_text(page.headline))
    for finding in page.findings:
        name = f"{kind(finding)} at {location(finding.place)}"
        case = ET.SubElement(
            suite, "testcase", classname=finding.rule, name=_text(name),
            file=_text(finding.place.file), line=str(finding.place.line),
        )  # fmt: skip
        if finding.severity is not Severity.INFO:
            failure = ET.SubElement(
                case, "failure", type=finding.severity.value, message=_text(finding.message)
            )
            failure.text = _text("\n".join(filter(None, (finding.why, finding.fix))))
    ET.indent(suite)
    stream.write(ET.tostring(suite, encoding="unicode", xml_declaration=False) + "\n")


def _text(text: str) -> str:
    """Control characters and lone surrogates are no XML."""
    return _NO_XML.sub("\ufffd", text)
