from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from markdown_it import MarkdownIt

from inspector.render.markdown.markup import cell, code, fenced, prose
from tests.unit.render import hostile, runs
from tests.unit.render.rendering import all_reports, rendered

if TYPE_CHECKING:
    from markdown_it.token import Token

OWN_HTML = {"<details>", "</details>", "<summary>", "</summary>", "<!-- -->"}


def tokens(text: str) -> list[Token]:
    """All block and inline tokens, by CommonMark with GitHub's tables and strike-through."""
    parsed = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(text)
    return [part for token in parsed for part in (token, *(token.children or ()))]


def test_recorded_text_cannot_become_markup() -> None:
    text = rendered(runs.report_of(hostile.run()), "md")
    found = tokens(text)
    kinds = {token.type for token in found}
    assert not kinds & {"em_open", "s_open", "image", "hr", "code_block", "ordered_list_open"}
    html = "".join(token.content for token in found if token.type.startswith("html"))
    assert set(re.findall(r"<.*?>", html)) <= OWN_HTML
    assert html.count("<details>") == html.count("</details>")
    headings = [token for token in found if token.type == "heading_open"]
    assert len(headings) == 5 + sum("**Fix" in line for line in text.split("\n"))
    links = [token.attrs["href"] for token in found if "href" in token.attrs]
    assert all(str(link).startswith("https://meta-pytorch.github.io/") for link in links)
    assert sum(token.type == "table_open" for token in found) == 2
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", text)


def test_nobody_is_mentioned() -> None:
    found = tokens(rendered(runs.report_of(hostile.run()), "md"))
    # Where something else stands between the sign and the name, GitHub sees no mention.
    assert "@" in "".join(token.content for token in found if token.type == "text")
    texts = [token.content for token in found if token.type == "text"]
    assert not [text for text in texts if re.search(r"[@#]\w", text)]


def test_the_code_blocks_of_all_reports_are_closed() -> None:
    for report in all_reports():
        assert rendered(report, "markdown").count("```") % 2 == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("calls `print` with ['str']", "calls `print` with `['str']`"),
        ("has_kwargs and this_ *b* [c", "`has_kwargs` and this\\_ \\*b\\* \\[c"),
        ("__init__ of a__b", "`__init__` of `a__b`"),
        ("torch.compile's own", "`torch.compile`'s own"),
        ("see https://a.org/b_c(d)", "see https://a.org/b_c(d)"),
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
