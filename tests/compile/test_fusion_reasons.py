"""Every reason against a fusion that the installed torch can give has a sentence of ours.

The reasons are read out of torch's sources: what is called on a ``WhyNoFuse`` (or a class derived
from it), be it the call that makes it, a variable that holds it, or a parameter.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib.metadata
import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from inspector.advice.advice import TESTED_ON
from inspector.graphs.reasons import KNOWN, explain
from inspector.graphs.refusals.cutlass import PATTERNS
from inspector.graphs.refusals.reason import Reason

VERSION = ".".join(importlib.metadata.version("torch").split(".")[:2])
CLASS = "WhyNoFuse"
PARAMETER = "why"
FILLED_IN = "[8, 4]"
"""Stands for what an f-string fills in."""
SETTING = re.compile(r"torch\._inductor\.config\.(\w+(?:\.\w+)*)")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


@dataclasses.dataclass(frozen=True)
class Given:
    """A reason in torch's sources."""

    place: str
    text: str | None
    """None where it is not written at the call."""


def _trees(folder: Path) -> dict[Path, ast.Module]:
    """Of the files that could give a reason; all of Inductor is hundreds."""
    sources = {path: path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))}
    return {
        path: ast.parse(source)
        for path, source in sources.items()
        if CLASS in source or f"{PARAMETER}(" in source
    }


def _name(node: ast.AST | None) -> str:
    """The last part of a dotted name, as text in annotations too."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value.rpartition(".")[2]
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def _classes(trees: dict[Path, ast.Module]) -> set[str]:
    """``WhyNoFuse`` and what derives from it, in any file."""
    bases = {
        node.name: {_name(base) for base in node.bases}
        for tree in trees.values()
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
    }
    found = {CLASS}
    while more := {name for name in bases if bases[name] & found} - found:
        found |= more
    return found


def reasons_in(folder: Path) -> list[Given]:
    """Every reason that the Python files of a folder give."""
    trees = _trees(folder)
    classes = _classes(trees)
    return [
        Given(f"{path.relative_to(folder)}:{call.lineno}", _text(call))
        for path, tree in trees.items()
        for call in _calls(tree, classes, frozenset())
    ]


def _calls(scope: ast.AST, classes: set[str], outer: frozenset[str]) -> Iterator[ast.Call]:
    """The calls that give a reason, in a function or module and in the functions within."""
    holders = set(outer)
    if isinstance(scope, FUNCTIONS):
        holders |= set(_parameters(scope.args, classes))
    inside = list(_inside(scope))
    for node in inside:
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and _makes(
            node.value, classes
        ):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            holders |= {ast.unparse(target) for target in targets}
    for node in inside:
        if isinstance(node, FUNCTIONS):
            yield from _calls(node, classes, frozenset(holders))
        elif isinstance(node, ast.Call) and (
            _makes(node.func, classes) or ast.unparse(node.func) in holders
        ):
            yield node


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """What a scope contains, functions included and what is in them left out."""
    for child in ast.iter_child_nodes(scope):
        yield child
        if not isinstance(child, FUNCTIONS):
            yield from _inside(child)


def _parameters(arguments: ast.arguments, classes: set[str]) -> Iterator[str]:
    """Those that take a reason: by their annotation, or by their name where there is none."""
    for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs):
        if argument.annotation is None:
            reports = argument.arg == PARAMETER
        else:
            reports = any(_name(node) in classes for node in ast.walk(argument.annotation))
        if reports:
            yield argument.arg


def _makes(node: ast.expr | None, classes: set[str]) -> bool:
    return isinstance(node, ast.Call) and _name(node.func) in classes


def _text(call: ast.Call) -> str | None:
    named = {keyword.arg: keyword.value for keyword in call.keywords}
    return _literal(call.args[0] if call.args else named.get("reason"))


def _literal(node: ast.expr | None) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.JoinedStr):
        parts = [_literal(part) for part in node.values]
        return "".join(FILLED_IN if part is None else part for part in parts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = (_literal(node.left), _literal(node.right))
        return "".join(FILLED_IN if side is None else side for side in sides)
    return None


@functools.cache
def installed() -> list[Given]:
    """The reasons of the installed torch, without importing it."""
    spec = importlib.util.find_spec("torch")
    assert spec is not None
    assert spec.origin is not None
    return reasons_in(Path(spec.origin).parent / "_inductor")


def without_a_sentence(given: list[Given]) -> list[Given]:
    return [reason for reason in given if reason.text is None or explain(reason.text, ()) is None]


def matches(text: str) -> list[str]:
    """The entries of the table for a reason."""
    exact = [text] if text in KNOWN else []
    return exact + [pattern.pattern for pattern, _ in PATTERNS if pattern.fullmatch(text)]


def test_the_sources_give_reasons() -> None:
    files = {reason.place.partition(":")[0] for reason in installed()}
    assert files >= {"scheduler.py", "choices.py", "codegen/simd.py"}
    assert len(installed()) >= 50


def test_every_reason_of_the_installed_torch_has_a_sentence() -> None:
    assert without_a_sentence(installed()) == []


def test_a_reason_has_one_entry() -> None:
    texts = {reason.text for reason in installed() if reason.text is not None}
    assert [text for text in texts if len(matches(text)) > 1] == []


@pytest.mark.skipif(VERSION not in TESTED_ON, reason="the table is for these versions")
def test_every_entry_for_the_installed_torch_is_in_its_sources() -> None:
    entries = {**KNOWN, **{pattern.pattern: known for pattern, known in PATTERNS}}
    given = {entry for reason in installed() for entry in matches(reason.text or "")}
    assert given == {text for text, known in entries.items() if VERSION in known.versions}


def test_every_setting_that_is_named_is_there() -> None:
    config = importlib.import_module("torch._inductor.config")
    for reason in installed():
        known = explain(reason.text or "", ())
        assert known is not None
        for name in _settings(known):
            functools.reduce(getattr, name.split("."), config)


def _settings(reason: Reason) -> list[str]:
    return SETTING.findall(f"{reason.sentence} {reason.change}")


NEW = """
class Derived(scheduler.WhyNoFuse): ...

def can_fuse(node1, node2, log: logging.Logger):
    why = WhyNoFuse(node1, node2)
    log("not a reason")
    def when_ready():
        why("new in a closure")
    WhyNoFuse(node1, node2)("new at once")
    if reason := Derived(node1, node2):
        reason("new from a derived class")
    why("new " + str(node1))
    why(reason="new by keyword")
    why(node1.reason)

def heuristics(node, why: "WhyNoFuse", other: WhyNoOverlap):
    why(f"new {node} here")
    other("not a reason")

class Backend:
    def can_fuse(self, node1, node2, report: Derived | None = None):
        self.why = WhyNoFuse(node1, node2)
        self.why("new of an attribute")
        report("new of a parameter")

def unannotated(node, why):
    why("new of a parameter without an annotation")

def overlap(why: WhyNoOverlap):
    why("not a reason")
"""


def test_a_new_reason_is_found(tmp_path: Path) -> None:
    (tmp_path / "codegen").mkdir()
    (tmp_path / "codegen" / "new.py").write_text(NEW)
    assert {reason.text for reason in without_a_sentence(reasons_in(tmp_path))} == {
        "new in a closure",
        "new at once",
        "new from a derived class",
        f"new {FILLED_IN}",
        "new by keyword",
        None,
        f"new {FILLED_IN} here",
        "new of an attribute",
        "new of a parameter",
        "new of a parameter without an annotation",
    }
