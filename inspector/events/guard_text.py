"""Reads the text of ``dynamo_cpp_guards_str``: the tree of guards of one cache entry.

Written by ``GuardManagerWrapper.__str__`` (torch/_dynamo/guards.py, 2.4 to 2.13): one line per
guard manager or guard, its depth as ``| `` in front, and a last line with the latency. Strict: a
line of any other form is kept as it is and counted. The tree is a flat list with the numbers of the
parents, so that its depth costs nothing.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable

from inspector.events.fields import MAX_GUARD_CHARACTERS, nanoseconds
from inspector.events.float_guards import floats_by_name

_NUMBER = re.compile(r"\[(?:'\d+'|\"\d+\"|\d+)\]")
_LINE = re.compile(r"(?P<depth>(?:\| )*)\+- (?P<rest>\S.*)")
_ROOT = "RootGuardManager"
_MANAGER = re.compile(
    r"(?P<role>KeyManager: |ValueManager: |)(?P<kind>[A-Z]\w*GuardManager|GuardManager): "
    r"source=(?P<source>.*?)(?:, accessed_by=(?P<accessor>.*?))?(?:, type=(?P<type>.*?))?"
    r"(?:, tag_safe=\((?P<safe>True|False), (?P<safe_root>True|False)\))?"
)
_PAIR = re.compile(r"KeyValueManager pair at index=(?P<index>\d{1,9})")
_GUARD = re.compile(r"(?P<kind>[A-Z][A-Z_0-9]*)(?:: (?P<text>.*))?", re.DOTALL)
_LATENCY = re.compile(r"Guard latency = (?P<us>\d{1,15}(?:\.\d{1,9})?) us\s*")
_CAUSE = re.compile(
    r"(?P<file>[^\s:][^:]*|<[^>]*>):(?P<line>\d{1,9}) in (?P<function>\S+?)(?P<note> \(.*)?",
    re.DOTALL,
)
_FIRST_LINES = ("", "TREE_GUARD_MANAGER:")
# Strings, a quote that is never closed, and the hash behind two spaces that begins a comment.
_TOKENS = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|['"]|(?<=\ \ )\#""", re.DOTALL | re.VERBOSE
)


@dataclasses.dataclass(frozen=True, slots=True)
class TextCause:
    """The line that made torch guard on something, as the comment behind a guard has it.

    Attributes:
        file: File name; of a file below the folder that holds torch, relative to that, and of
            others without what they share with it.
        code: The source line, or an empty string for a line of torch's own.
        note: What torch adds in parentheses (a hint), or an empty string.
    """

    file: str
    line: int
    function: str
    code: str
    note: str


@dataclasses.dataclass(frozen=True, slots=True)
class TextManager:
    """A guard manager: it fetches a value, and the guards below it check it.

    Attributes:
        parent: Its parent's number; -1 for the root, which is number 0.
        kind: Class of the manager (``GuardManager``, ``DictGuardManager``, …).
        source: Where the value comes from in torch's spelling (``L['self'].layers``), or an empty
            string for the root.
        accessor: How it is fetched, or an empty string (keys and values of a dict).
        value_type: ``<class 'dict'>``, or an empty string for the root and up to torch 2.8.
        pair: Which item of the dict above it is the key or the value of, or None.
        is_key: Whether it is the key.
        is_tag_safe: Whether torch may skip it by a dict's tag; None where torch does not say.
    """

    parent: int
    kind: str
    source: str = ""
    accessor: str = ""
    value_type: str = ""
    pair: int | None = None
    is_key: bool = False
    is_tag_safe: bool | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class TextGuard:
    """A guard.

    Attributes:
        manager: Number of the manager whose value it checks.
        kind: ``TENSOR_MATCH``, ``EQUALS_MATCH``, …
        code: What it checks; empty where torch has written a relation for another value before.
        cause: Which line caused it, or None.
        is_epilogue: Whether it is checked behind the tree (relations of sizes).
    """

    manager: int
    kind: str
    code: str
    cause: TextCause | None
    is_epilogue: bool = False


@dataclasses.dataclass(frozen=True, slots=True)
class GuardText:
    """The guards of one cache entry.

    Attributes:
        managers: The managers, parents before children; the first is the root.
        guards: The guards in the order in which they are printed, which is that of checking.
        latency_ns: Torch's own figure: one evaluation just after the processor's caches were
            emptied (``profile_guard_manager`` in torch/csrc/dynamo/guards.cpp). None where the text
            has none.
        unknown: Lines of no known form, as they are.
    """

    managers: tuple[TextManager, ...]
    guards: tuple[TextGuard, ...]
    latency_ns: int | None
    unknown: tuple[str, ...]


class _Reader:
    def __init__(self) -> None:
        self.managers: list[TextManager] = []
        self.guards: list[TextGuard] = []
        self.unknown: list[str] = []
        self.latency_ns: int | None = None
        # Numbers of the managers above the next line, by depth; a pair of a dict has its dict's.
        self._above: list[int] = []
        self._pair = 0

    def read(self, lines: Iterable[str]) -> None:
        for line in lines:
            if not self._read(line):
                self.unknown.append(line)

    def _read(self, line: str) -> bool:
        latency = _LATENCY.fullmatch(line)
        if latency:
            self.latency_ns = nanoseconds(float(latency["us"]), 1000)
            return True
        match = _LINE.fullmatch(line)
        if match is None:
            return line.strip() in _FIRST_LINES
        depth = len(match["depth"]) // 2
        rest = match["rest"]
        if rest == _ROOT:
            return self._add_root(depth)
        if not self._above or depth > len(self._above):
            return False
        if depth:
            del self._above[depth:]
        return self._take(depth, rest)

    def _add_root(self, depth: int) -> bool:
        if depth or self.managers:
            return False
        self.managers.append(TextManager(-1, _ROOT))
        self._above = [0]
        return True

    def _take(self, depth: int, rest: str) -> bool:
        parent = self._above[-1] if depth else 0
        pair = _PAIR.fullmatch(rest)
        if pair:
            self._pair = int(pair["index"])
            self._above.append(parent)
            return bool(depth)
        manager = _MANAGER.fullmatch(rest)
        if manager and depth:
            self._above.append(len(self.managers))
            self.managers.append(_manager(manager, parent, self._pair))
            return True
        guard = _GUARD.fullmatch(rest)
        if guard is None:
            return False
        code, cause = split_comment((guard["text"] or "")[:MAX_GUARD_CHARACTERS])
        self.guards.append(TextGuard(parent, guard["kind"], code, cause, is_epilogue=not depth))
        return True


def numbered_alike(source: str) -> str:
    """One spelling for what differs in numbers alone: ``L['self'].layers[3]`` → ``…layers[*]``."""
    return _NUMBER.sub("[*]", source)


def parse_guards(text: str) -> GuardText:
    """Reads the payload of ``dynamo_cpp_guards_str``.

    A text of any other kind, or one that was cut off, gives what could be read of it; `unknown`
    holds the rest.
    """
    reader = _Reader()
    # Not `splitlines`: a form feed or U+2028 can be in the user's source line.
    reader.read(floats_by_name(text).split("\n"))
    return GuardText(
        tuple(reader.managers), tuple(reader.guards), reader.latency_ns, tuple(reader.unknown)
    )


def _manager(match: re.Match[str], parent: int, pair: int) -> TextManager:
    return TextManager(
        parent=parent,
        kind=match["kind"],
        source=match["source"],
        accessor=match["accessor"] or "",
        value_type=match["type"] or "",
        pair=pair if match["role"] else None,
        is_key=match["role"].startswith("Key"),
        is_tag_safe=None if match["safe"] is None else match["safe"] == "True",
    )


def split_comment(text: str) -> tuple[str, TextCause | None]:
    """A guard's code without the comment behind it, and what the comment says.

    The code can hold strings with ``#`` in them, and so can the source line in the comment.
    """
    at = comment_at(text)
    if at < 0:
        return text.rstrip(), None
    return text[:at].rstrip(), _cause(text[at:].lstrip()[1:].strip())


def comment_at(text: str) -> int:
    """Where the comment begins: at the first ``  #`` outside of quotes; -1 without one."""
    for token in _TOKENS.finditer(text):
        if token[0] == "#":
            return token.start()
        if token[0] in {"'", '"'}:
            # A repr with a lone apostrophe: its code has no two spaces and a hash, most likely.
            return text.find("  # ") + 2 if "  # " in text else -1
    return -1


def _cause(comment: str) -> TextCause | None:
    """``source line  # file:12 in function (note)``; the source line may be missing."""
    at = len(comment)
    while at >= 0:
        at = comment.rfind("  # ", 0, at)
        match = _CAUSE.fullmatch(comment[at + 4 :] if at >= 0 else comment)
        if match:
            note = (match["note"] or "").strip()
            return TextCause(
                file=match["file"],
                line=int(match["line"]),
                function=match["function"],
                code=comment[:at].rstrip() if at >= 0 else "",
                note=note.removeprefix("(").removesuffix(")"),
            )
        if at < 0:
            break
    # Torch knows no line: "(unknown var s27, please file a bug)", "implicit guard for …".
    note = comment.removeprefix("(").removesuffix(")")
    return TextCause("", 0, "", "", note) if note else None
