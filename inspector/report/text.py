"""Every sentence that the product can print: ``python -m inspector.report.text`` lists them.

One line each, with its place, so that an editor reads the whole product on one page. A sentence is
a string of at least three words in the code, or the documentation of a rule or a command.
"""

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]
_LEAST_WORDS = 3
_WORD = re.compile(r"(?:^|(?<=\s))[(\"'`]?[A-Za-z][a-z'-]+[,.;:?!)\"'`]*(?=\s|$)")
# What looks like code, a pattern or a format is no sentence.
_NO_TEXT = frozenset(["View", "compile", "partition", "removesuffix", "startswith"])
_NO_SENTENCE = re.compile(
    r"[\\^$]|\(\?|%\(|^\s*(?:def|class|import|from|return) |_\w+\s*=|^\s*<"
    r"|torch\._[\w.]+: "  # names out of torch's modules
)


def sentences(package: Path = _PACKAGE) -> Iterator[tuple[str, int, str]]:
    """The file relative to the package, the line, and the text with `{…}` for what is filled in."""
    for file in sorted(package.rglob("*.py")):
        tree = ast.parse(file.read_text("utf-8"))
        hidden = {*_docstrings(tree), *_unprinted(tree)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant | ast.JoinedStr) and id(node) not in hidden:
                hidden.update(id(child) for child in ast.walk(node))
                text = " ".join(_text(node).split())
                if len(_WORD.findall(text)) >= _LEAST_WORDS and not _NO_SENTENCE.search(text):
                    yield file.relative_to(package).as_posix(), node.lineno, text


def _text(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    parts = node.values if isinstance(node, ast.JoinedStr) else []
    return "".join(_text(part) if isinstance(part, ast.Constant) else "{…}" for part in parts)


def _docstrings(tree: ast.Module) -> Iterator[int]:
    """Docstrings that nobody is shown: of all but rules and commands."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and not _is_shown(node):
                yield id(first.value)
            # Below a constant, or an enum's member.
            yield from (id(item.value) for item in node.body[1:] if isinstance(item, ast.Expr))


def _unprinted(tree: ast.Module) -> Iterator[int]:
    """Strings that nobody is shown: fields of JSON, and what torch's own texts are matched with."""
    tables = [item.value for item in tree.body if isinstance(item, ast.Assign | ast.AnnAssign)]
    found = [key for table in tables if isinstance(table, ast.Dict) for key in table.keys]
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            found += [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in _NO_TEXT:
            found += node.args
    yield from (id(part) for key in found if key is not None for part in ast.walk(key))


def _is_shown(node: ast.AST) -> bool:
    if isinstance(node, ast.ClassDef):
        return any(ast.unparse(base).startswith("Rule[") for base in node.bases)
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else ()
    return any("click.command" in ast.unparse(item) for item in decorators)


if __name__ == "__main__":
    for name, number, sentence in sentences():
        sys.stdout.write(f"{name}:{number}: {sentence}\n")
