"""Applies advice as it is printed: puts its lines into a program's source, where it says so."""

from __future__ import annotations

import dataclasses
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable
from pathlib import Path

_AT = r"before the (?:first )?call at \S+?:(?P<line>\d+)"
_WRITE = re.compile(rf"^(?:Write|Call) (?P<code>.+?) {_AT}(?P<rest>.*)")
_NAMES = re.compile(
    r"^Assign the tensors? to (?:a variable|variables) first: (?P<names>.+?)\. "
    rf"Call (?P<code>.+?) {_AT}"
)
_PASS = re.compile(r"^Pass (?P<code>.+) in the call at \S+?:(?P<line>\d+)\.")
_TENSOR = re.compile(r"^Pass it as a tensor: (?P<code>.+) in the call at \S+?:(?P<line>\d+)\.")
_SORTED = re.compile(
    r"^Pass (?P<code>.+) in place of (?P<old>.+) in the call at \S+?:(?P<line>\d+):"
)
_IN_PLACE = re.compile(r"^Write (?P<code>.+?) in place of (?P<old>.+?) at \S+?:(?P<line>\d+):")
_CONFIG = re.compile(r"^Make every call under torch\._dynamo\.config\.patch\([^)]*\)")
_SETTING = re.compile(r"(?P<name>\w+)=(?P<value>True|False|\d+)")
_ENVIRONMENT = re.compile(r'TORCH_COMPILE_DYNAMIC_SOURCES="(?P<sources>[^"]+)" in the environment')
_DYNAMIC_MARKS = re.compile(r" and (?=torch\._dynamo\.)")
_AND_MORE = " as well, "
_WHERE = re.compile(r"(torch\.\S+\(.+?\d\]?\)) \(where (\S+ is not None|'\w+' in \S+)\)")
_FILE = re.compile(r"([\w.-]+\.py):\d+")
_METHOD = re.compile(r"\.[a-z_]+\([^()]*\)$")


@dataclasses.dataclass(slots=True)
class Mended:
    """A program with what was advised for it.

    Attributes:
        source: Its source.
        config: Settings of ``torch._dynamo.config``.
        sources: The value of ``TORCH_COMPILE_DYNAMIC_SOURCES``, or an empty string.
        applied: The advice that was applied, as it was printed.
    """

    source: str
    config: dict[str, object]
    sources: str
    applied: list[str]


def mended(run: Callable[[], None], advice: Iterable[str]) -> Mended:
    """A program with all advice that says what is to be written, and where."""
    lines, first = inspect.getsourcelines(run)
    begin = next(n for n, line in enumerate(lines) if line.lstrip().startswith("def "))
    found = Mended("", {}, "", [])
    for text in dict.fromkeys(advice):
        if _AND_MORE in text:
            continue  # several things to do, not all of them a line
        config, environment = _CONFIG.search(text), _ENVIRONMENT.search(text)
        if config:
            for setting in _SETTING.finditer(config[0]):
                value = setting["value"]
                number = int(value) if value.isdecimal() else value == "True"
                found.config[setting["name"]] = number
        elif environment:
            found.sources = ",".join(filter(None, (found.sources, environment["sources"])))
        elif not _is_here(text, run) or not any(edit(text, lines, first) for edit in _EDITS):
            continue
        found.applied.append(text)
    found.source = textwrap.dedent("".join(lines[begin:]))
    return found


def _is_here(text: str, run: Callable[[], None]) -> bool:
    """Whether a line that is named is in the program's file: another file has its number, too."""
    files = _FILE.findall(text)
    return not files or Path(inspect.getfile(run)).name in files


def _index(match: re.Match[str] | None, lines: list[str], first: int) -> int | None:
    """The line in the program's own source; None where it is another function's."""
    index = int(match["line"]) - first if match else -1
    return index if 0 <= index < len(lines) else None


def _put(lines: list[str], index: int, code: str) -> None:
    """Adds a line beside another one; the list keeps its length, for the numbers of the others."""
    line = lines[index]
    indentation = line[: len(line) - len(line.lstrip())].splitlines()[-1]
    added = f"{indentation}{code}\n"
    if code not in line:
        lines[index] = added + line


def _put_all(lines: list[str], index: int, code: str) -> None:
    for statement in reversed(_statements(code)):
        _put(lines, index, statement)


def _statements(code: str) -> list[str]:
    """``mark(a) and mark(b) (where b is not None)`` as statements."""
    found: list[str] = []
    for part in _DYNAMIC_MARKS.split(code):
        where = _WHERE.search(part)
        if where:
            found.append(f"if {where[2]}: {where[1]}")
        else:
            found.append(part)
    return [part for part in found if part]


def _replace(lines: list[str], index: int, old: str, new: str) -> None:
    before, _, last = lines[index].rpartition(old)
    assert before or last != lines[index], (old, lines[index])
    lines[index] = before + new + last


def _named(text: str, lines: list[str], first: int) -> bool:
    match = _NAMES.match(text)
    index = _index(match, lines, first)
    if match is None or index is None:
        return False
    for assignment in re.split(r", (?=\w+ = )", match["names"]):
        name, _, expression = assignment.partition(" = ")
        if expression in lines[index]:
            _replace(lines, index, expression, name)
        _put_all(lines, index, match["code"])
        _put(lines, index, assignment)
    return True


def _written(text: str, lines: list[str], first: int) -> bool:
    match = _WRITE.match(text)
    index = _index(match, lines, first)
    if match is None or index is None:
        return False
    code = match["code"].replace(", then ", "; ")
    passed = re.match(r", and pass (\w+):", match["rest"])
    if passed:
        _replace(lines, index, code.partition("; ")[0].partition(" = ")[2], passed[1])
    _put_all(lines, index, code)
    return True


def _passed(text: str, lines: list[str], first: int) -> bool:
    match = _SORTED.match(text) or _IN_PLACE.match(text) or _TENSOR.match(text) or _PASS.match(text)
    index = _index(match, lines, first)
    if match is None or index is None:
        return False
    code = match["code"]
    inner = re.fullmatch(r"torch\.tensor\((.+)\)", code)
    old = match.groupdict().get("old") or (inner[1] if inner else _METHOD.sub("", code))
    _replace(lines, index, old, code)
    return True


_EDITS = (_named, _passed, _written)
