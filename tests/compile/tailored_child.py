"""Does what the fixes say in the user's own words: ``python -m tests.compile.tailored_child``.

Each program is compiled, its fix is looked up as a user would get it, the code of the fix is put
into the program, and the mended program is held to the first one as `advice_child` does. Programs
that are mended wrongly are held to it too, to see that it is noticed. One line of JSON per program
goes to standard output.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from inspector.features.breaks.advice.advice import Break
from inspector.features.breaks.advice.table import best, other_ways
from inspector.report.user_code.code import Code
from inspector.report.user_code.reading import read_text
from inspector.shared.edit import edited
from inspector.trace.graph_break import GraphBreakReason
from tests.compile import advice_child

_PROGRAM = """\
import math
import torch


@torch.compile
def forward(x, y):
{body}

outputs = [forward({first}, {second}), forward({second}, {first})]
"""
_VECTORS = "torch.arange(3.0) - 1", "torch.ones(3)"
_MATRICES = "torch.arange(4.0).reshape(2, 2) - 1", "torch.ones(2, 2)"
_DOUBLES = "torch.arange(3.0).double() - 1", "torch.ones(3).double()"
_HALVES = "torch.arange(3.0).half() - 1", "torch.ones(3).half()"
_NAN = "torch.tensor([torch.nan, 1.0])", "torch.ones(2)"

PROGRAMS = (
    ("scale = x.std().item()\nreturn y + x / max(scale, 1e-3)", _VECTORS),
    ("scale = x.std().item()\nreturn x / max(scale, 1e-3)", _NAN),
    ("scale = 2 * x.abs().max().item()\nx.mul_(3)\nreturn x * scale", _VECTORS),
    ("for _ in range(2):\n    scale = x.mean().item()\n    x = x * scale\nreturn x", _VECTORS),
    ("return x + float((x * x).mean())", _DOUBLES),
    ("if x.sum() > 1:\n    x = x.clamp(0, 1)\nreturn x * y", _VECTORS),
    ("if x.sum() > y.sum():\n    return x * 2\nreturn x - y", _MATRICES),
    ("z = y * 2 if (x > 0).all() else y.abs()\nreturn z + x", _MATRICES),
    (
        "if x.sum() > 1:\n    a = x * 2\n    b = y\nelse:\n    a = y\n    b = x\nreturn a, b",
        _VECTORS,
    ),
    ("a, b = (x, y * 2) if x.sum() > 1 else (y, x)\nreturn a - 2 * b", _MATRICES),
    ("if x.sum() > 1:\n    return x, y * 2\nreturn x * 3, y", _HALVES),
    ("z = x * y\nif z.abs().max() > 1:\n    z *= 0.5\nreturn z + 1", _VECTORS),
    ("z = x * y\nif z[0].sum() > 0:\n    z[0] = 0\nreturn z + x", _MATRICES),
    (
        "lo, hi = x.min(), x.max()\nif lo == hi:\n    return x * 0\nreturn (x - lo) / (hi - lo)",
        _VECTORS,
    ),
    ("n = x.sum()\nif n != 0:\n    x = x / n\nreturn x * y", _VECTORS),
    ("return x.softmax(1 if x.sum() > 2.5 else 0) * y", _MATRICES),
    ("z = y + (x * 2 if x.sum() > 1 else x - y)\nreturn z", _VECTORS),
    ("def f(z):\n    return z.tanh()\nif x.sum() > 1:\n    x = f(x) * 2\nreturn x * y", _VECTORS),
    ("z = x.sum()\nif y.max().item() > 1.5:\n    z = x.mean().item()\nreturn z * y", _VECTORS),
    ("z = x * 2\nw = z\nz[y > 0] = y[y > 0]\nreturn w, z", _VECTORS),
    ("if x.max() > 9:\n    raise ValueError('large')\nreturn x * y", _VECTORS),
    ("if not (x < 9).all():\n    raise ValueError(f'{y.shape}')\nreturn x * y", _VECTORS),
    ("if x.isinf().any(0):\n    raise ValueError\nreturn x * y", _VECTORS),
    ("assert not x.isnan().any(), 'NaN'\nreturn x * y", _VECTORS),
    ("assert not (x > 9).any() and y.max() > 0, f'{x.shape}'\nreturn x * y", _MATRICES),
    ("if x.max() > 1 and not (y < 0).any():\n    x = x.clamp(0, 1)\nreturn x * y", _VECTORS),
    ("if not x.sum() > 1:\n    x = x.clamp(0, 1)\nreturn x * y", _MATRICES),
    ("if x.abs().mean().item() > 0.9:\n    x = x.clamp(0, 1)\nreturn x * y", _VECTORS),
    ("if y.min().item() > 2 or float(x.sum()) > 9:\n    return x * 2\nreturn x - y", _VECTORS),
    ("if float(x.sum()) > 9 or x.min().item() < 0:\n    return x * 2\nreturn x - y", _VECTORS),
    ("z = y * 2 if bool((x > 0).all()) else y.abs()\nreturn z + x", _MATRICES),
    ("if int(x.sum()) > 0:\n    x = x.clamp(0, 1)\nreturn x * y", _DOUBLES),
    ("if x.isnan().any().item():\n    raise ValueError('NaN')\nreturn x * y", _VECTORS),
    ("if (x.sum() > 9).item():\n    raise ValueError('large')\nreturn x * y", _VECTORS),
    ("i = x.argmax()\nreturn y[i] * x", _VECTORS),
    ("return y[x.sum(1).argmax()] * x", _MATRICES),
    ("i = x.sum(0).argmax()\nreturn y[:, i] * x", _MATRICES),
    ("z, m = y * 1, x > 0\nz[m] = z[m].exp() + 1\nreturn z", _VECTORS),
    ("z = y * 1\nz[x > 0] *= 2\nreturn z", _MATRICES),
    ("z = y * 1\nm = x > 0\nz[m] += x[m].clamp(max=0.5) * 3\nreturn z * 2", _VECTORS),
    ("z = y * 1\nw, m = z.view(-1), x > 0\nz[m] = z[m].sin() * x[m]\nreturn w, z", _VECTORS),
    ("y[y < 2] = y[y < 2] * 0.5\nreturn y.sum() + x", _VECTORS),
    ("t = x.std().item()\nreturn y * x.clamp(max=t)", _VECTORS),
    ("t = x.mean().item()\nreturn x.clamp(t) * y.mul(t)", _MATRICES),
    ("t = x.abs().max().item()\nreturn x.div(t)", _HALVES),
    ("t = x.max().item()\nreturn y.clamp(-t, t) * x", _DOUBLES),
)

# What each changes: the gradient, what an in-place write reaches, the shape, what is NaN, the
# dtype, an argument, the precision, and what holds the result.
WRONG = (
    ("return x / x.std().item()", "return x / x.std()", _VECTORS),
    ("s = x[0].item()\nx.mul_(2)\nreturn y * s", "s = x[0]\nx.mul_(2)\nreturn y * s", _VECTORS),
    ("return x.sum() * y[:1].item()", "return x.sum() * y[:1].detach()", _VECTORS),
    ("return x / max(1e-3, x.std().item())", "return x / x.std().detach().clamp(min=1e-3)", _NAN),
    ("s = x.std().item()\nreturn y * s", "return y * x.std().detach().double()[None]", _VECTORS),
    (
        "if x.sum() > 1:\n    x = x.add_(1)\nreturn x * 2",
        "return torch.where(x.sum() > 1, x.add_(1), x) * 2",
        _VECTORS,
    ),
    (
        "rate = 0.1 if x.sum() > 1 else 0.01\nreturn x * rate",
        "return x * torch.where(x.sum() > 1, 0.1, 0.01)",
        _DOUBLES,
    ),
    (
        "n = x.sum()\nif n != 0:\n    x = x / n\nreturn x * y",
        "n = x.sum()\nreturn torch.where(n != 0, x / n, x) * y",
        _VECTORS,
    ),
    (
        "z = x * 2\nw = z\nz[y > 0] = y[y > 0]\nreturn w",
        "z = x * 2\nw = z\nz = torch.where(y > 0, y, z)\nreturn w",
        _VECTORS,
    ),
)


def _program(body: str, inputs: tuple[str, str]) -> str:
    indented = "".join(f"    {line}\n" for line in body.split("\n"))
    return _PROGRAM.format(body=indented, first=inputs[0], second=inputs[1])


def _mended(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """The fixes of the first graph break, and the programs that they give, or empty ones."""
    reasons = advice_child.reasons(path, text)
    if not reasons:
        yield "no graph break", ""
        return
    reason = GraphBreakReason.parse(reasons[0])
    cause = reason.causes[0]
    frame = [frame for frame in reason.stack if frame.file == str(path)][-1]
    code = read_text(text, advice_child.span(path, frame))
    said = f"{cause.context}\n{cause.explanation}"
    found = Break(cause.gb_id, cause.gb_type, said, code)
    advice = best(found)
    if advice is None:
        yield "no advice", ""
        return
    ways = (advice, *other_ways(advice, found))
    tailored = [way for way in ways if way.fix_for(code) != way.fix]
    for way in tailored:
        fix = way.fix_for(code)
        mended = _applied(text, code, fix)
        yield fix, mended
        # What `--verify` tries.
        tried = edited(text, way.edits_for(code)) if way.edits_for(code) else ""
        if ast.dump(ast.parse(tried)) != ast.dump(ast.parse(mended)):
            yield f"as changes of the file: {fix}", tried
    if not tailored:
        yield advice.fix, ""


def _applied(text: str, code: Code, fix: str) -> str:
    lines = text.split("\n")
    changes = re.findall(r"`([^`]+)` instead of `([^`]+)`", fix)
    for new, old in changes:
        assert old in text
        text = text.replace(old, new)
    if changes or code.statement is None:
        return text
    found = re.search(r": ((?:`[^`]+`(?:, | and )?)+)", fix)
    assert found
    made = re.findall(r"`([^`]+)`", found[1])
    _replace(lines, code, made)
    return "\n".join(lines)


def _replace(lines: list[str], code: Code, new: list[str]) -> None:
    """Puts something in the place of the statement."""
    assert code.statement is not None
    first, last = code.statement.lineno, code.statement.end_lineno
    lines[first - 1 : last] = [" " * code.statement.col_offset + line for line in new]


def main() -> int:
    """Tries all programs; returns 1 where a fix does not hold."""
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        for body, wrong, inputs in WRONG:
            pair = _program(body, inputs), _program(wrong, inputs)
            noticed = list(advice_child.unlike(pair, Path(folder)))
            failed = failed or not noticed
            print(json.dumps({"body": body, "wrong": wrong, "problems": noticed}))
        for body, inputs in PROGRAMS:
            text = _program(body, inputs)
            path = Path(folder, "user.py")
            for fix, mended in _mended(path, text):
                said = ["not in the user's words"]
                if mended:
                    said = list(advice_child.unlike((text, mended), Path(folder)))
                failed = failed or bool(said)
                print(json.dumps({"body": body, "fix": fix, "problems": said}))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
