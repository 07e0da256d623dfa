from __future__ import annotations

import re
from pathlib import Path

import pytest

from inspector.renderers.markdown.markup import cell, code, fenced, prose
from tests.unit.renderers import hostile, runs
from tests.unit.renderers.rendering import all_reports, rendered

SNAPSHOTS = Path(__file__).parent / "snapshots"
OWN_HTML = {"details", "/details", "summary", "/summary"}


@pytest.mark.parametrize("name", ["broken", "failed", "unbroken", "nothing"])
def test_snapshot(name: str) -> None:
    text = rendered(runs.report_of(getattr(runs, name)()), "markdown")
    assert text == (SNAPSHOTS / f"{name}.md").read_text(encoding="utf-8")


def without_code(text: str) -> str:
    """What is not code, by the rules of CommonMark: a fence ends with as many backticks or more."""
    text = re.sub(r"^(`{3,})[a-z]*\n.*?^\1`*$", "", text, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", text)


def test_recorded_text_cannot_become_markup() -> None:
    text = rendered(runs.report_of(hostile.run()), "md")
    outside = without_code(text)
    tags = re.findall(r"(?<!\\)<(?!!-- -->)([^>]*)>", outside)
    assert set(tags) <= OWN_HTML
    assert tags.count("details") == tags.count("/details")
    assert "not a heading" in outside
    assert not re.search(r"^(?:## not|- no list|\| no)", outside, re.MULTILINE)
    assert not re.search(r"[@#]\w|(?<!\\)\[[^\]]*\]\((?!https://)|(?<!\\)[*]{2}v", outside)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_the_code_blocks_of_all_reports_are_closed() -> None:
    for report in [*all_reports(), runs.report_of(hostile.run())]:
        assert "```" not in without_code(rendered(report, "markdown"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("calls `print` with ['str']", "calls `print` with \\['str']"),
        ("has_kwargs and _this_ *b*", "has_kwargs and \\_this\\_ \\*b\\*"),
        ("__init__ of a__b", "\\_\\_init\\_\\_ of a\\_\\_b"),
        ("# no heading", "\\# no heading"),
        ("1. no list", "1\\. no list"),
        ("- no list", "\\- no list"),
        ("> no quotation", "\\> no quotation"),
        ("a < b & c", "a \\< b &amp; c"),
        ("`a` # `b`", "`a` # `b`"),
        ("@user #1", "@<!-- -->user #<!-- -->1"),
        ("an odd ` backtick", "an odd \\` backtick"),
        ("two\nlines", "two lines"),
    ],
)
def test_prose(text: str, expected: str) -> None:
    assert prose(text) == expected


def test_code_and_fences_are_longer_than_what_is_in_them() -> None:
    assert code("a`b") == "``a`b``"
    assert code("`a") == "`` `a ``"
    assert list(fenced("a\n````\nb")) == ["`````text", "a", "````", "b", "`````", ""]


def test_bars_in_a_table_are_escaped() -> None:
    assert cell("a | `b|c`") == "a \\| `b\\|c`"
