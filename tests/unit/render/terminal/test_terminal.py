import dataclasses
import io
import re

import pytest
from rich.cells import cell_len

from inspector import plugins
from inspector.render.terminal.finding import source_lines
from inspector.report.finding import Place
from inspector.run.source import SourceLine
from tests.unit.render import hostile, runs
from tests.unit.render.rendering import Terminal, all_reports, rendered

ESCAPE = "\x1b"
# What is to be copied stays in one piece.
UNBROKEN = re.compile(r" *(?:see:|next:|inspect )|\S+$")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


@pytest.mark.parametrize("width", [40, 80, 120])
def test_no_line_is_longer_than_the_width(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    reports = [*all_reports(), runs.report_of(hostile.run())]
    lines = [line for report in reports for line in rendered(report, "txt").split("\n")]
    too_long = [line for line in lines if cell_len(line) > width and not UNBROKEN.match(line)]
    # A location is never broken; only what follows it is moved to the next line.
    assert [line for line in too_long if not re.search(r":\d+  \w", line)] == []


def test_a_terminal_gets_colours_unless_no_color_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    report = runs.report_of(runs.broken())
    assert f"{ESCAPE}[1;33mgraph break GB0170{ESCAPE}[0m" in rendered(
        report, "terminal", Terminal()
    )
    monkeypatch.setenv("NO_COLOR", "1")
    without = rendered(report, "terminal", Terminal())
    assert not re.search(r"\x1b\[[\d;]*3\dm", without)
    monkeypatch.delenv("NO_COLOR")
    monkeypatch.setenv("FORCE_COLOR", "1")  # which is not for files
    assert ESCAPE not in rendered(report, "terminal", io.StringIO())


def test_the_first_finding_is_whole_and_the_others_are_titles() -> None:
    report = runs.report_of(runs.broken())
    first = report.findings[0]  # at 300 lines: those of one line are one finding
    places = (dataclasses.replace(first.place, line=number) for number in range(1, 301))
    found = tuple(dataclasses.replace(first, place=place) for place in places)
    many = dataclasses.replace(report, findings=found)
    text = rendered(many, "terminal")
    whole = text.count("  why:")
    assert 1 <= whole < 4
    assert f"{300 - whole} more findings; -v shows all" in text
    assert text.count("graph break GB") == 12 + whole

    stream = io.StringIO()
    plugins.render(many, "terminal", stream, is_whole=True)
    assert stream.getvalue().count("  why:") == 300
    assert "Compile time by stage\n  Dynamo" in stream.getvalue()


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_recorded_text_is_never_obeyed(
    stream: type[io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    text = rendered(runs.report_of(hostile.run()), "terminal", stream())
    shown = re.sub(r"\x1b\[[\d;]*m", "", text)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", shown)
    assert "[bold red]x[/] :smile: \\x1b[31mred\\x1b]0;title\\x07" in shown
    assert f"{ESCAPE}[31mred" not in text
    assert "\\u202eevil\\u2069" in shown


def test_what_the_stream_cannot_encode_is_spelled_out() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", newline="\n")
    report = runs.report_of(runs.broken())
    plain = dataclasses.replace(report, next_steps=("inspect explain modèle.py \udc80",))
    assert "\\xe8le.py \\udc80" in rendered_bytes(plain, stream, raw)


def rendered_bytes(report: runs.Report, stream: io.TextIOWrapper, raw: io.BytesIO) -> str:
    plugins.render(report, "terminal", stream)
    stream.flush()
    text = raw.getvalue().decode("ascii")
    assert "  10 |         print" in text
    return text


def place(text: str, column: int | None = None, end_column: int | None = None) -> Place:
    return Place("a.py", 1, 1, column, end_column, excerpt=(SourceLine(1, text),))


@pytest.mark.parametrize(
    ("text", "columns", "expected"),
    [
        ("    x = f(y)", (8, 12), ["  1 │     x = f(y)", "    │         ^^^^"]),
        ("    x = f(y)  ", (None, None), ["  1 │     x = f(y)", "    │     ^^^^^^^^"]),
        ("\tx = f(y)", (5, 9), ["  1 │     x = f(y)", "    │         ^^^^"]),
        ("数 = 関数(y)", (4, 9), ["  1 │ 数 = 関数(y)", "    │      ^^^^^^^"]),
        ("x = f(y)", (4, None), ["  1 │ x = f(y)", "    │     ^"]),
        ("x = f(y)", (90, 95), ["  1 │ x = f(y)", "    │ ^^^^^^^^"]),
        ("x='\x1b'+f(y)", (6, 10), ["  1 │ x='\\x1b'+f(y)", "    │          ^^^^"]),
    ],
)
def test_carets(text: str, columns: tuple[int | None, int | None], expected: list[str]) -> None:
    lines = [line.plain.rstrip() for line in source_lines(place(text, *columns), 80, "red")]
    assert lines == expected


@pytest.mark.parametrize("before", ["x" * 300, "数" * 150, "数" * 149 + "xy", "\t" * 75])
@pytest.mark.parametrize("width", [40, 79, 80])
def test_a_long_line_is_cut_around_its_carets(before: str, width: int) -> None:
    text = f"{before}TARGET{'y' * 300}"
    at = len(before)
    source, carets = source_lines(place(text, at, at + 6), width, "red")
    assert cell_len(source.plain) <= width
    begin, end = carets.plain.index("^"), len(carets.plain)
    cells = [character for character in source.plain for _ in range(cell_len(character))]
    assert "".join(cells[begin:end]) == "TARGET"


def test_a_long_expression_loses_its_middle() -> None:
    excerpt = tuple(SourceLine(number, f"    line{number},") for number in range(1, 41))
    whole = Place("a.py", 3, 38, 4, 8, excerpt=excerpt[:40])
    lines = [line.plain for line in source_lines(whole, 80, "red")]
    assert len(lines) < 20
    assert "   … │ " in lines
    assert "  38 ┃     line38," in lines
