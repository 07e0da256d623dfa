"""The entry whose other guards pass, and all that it wants otherwise, out of printed trees."""

import json
from pathlib import Path
from typing import Any

from inspector.run.recompile import Recompile
from tests.unit.logs import graph, metrics, record, run_of, start

TREE = """\
TREE_GUARD_MANAGER:
+- RootGuardManager
{managers}
"""
MANAGER = """\
| +- GuardManager: source=L['{name}'], accessed_by=FrameLocalsGuardAccessor(key='{name}'), \
type=<class '{kind}'>, tag_safe=(True, False)
| | +- {leaf}"""
TENSOR = (
    "TENSOR_MATCH: check_tensor(L['{name}'], Tensor, DispatchKeySet(CPU), torch.{dtype}, "
    "device=None, requires_grad=False, size=[{rows}, 3], stride=[3, 1])"
)


def tensor(name: str, rows: object, dtype: str = "float32") -> str:
    leaf = TENSOR.format(name=name, rows=rows, dtype=dtype)
    return MANAGER.format(name=name, kind="torch.Tensor", leaf=leaf)


def text(name: str, value: str) -> str:
    leaf = f"EQUALS_MATCH: L['{name}'] == '{value}'  # if {name} == 'b':  # model.py:3 in f"
    return MANAGER.format(name=name, kind="str", leaf=leaf)


def compiled(number: int, *managers: str, **reasons: str) -> list[bytes]:
    """One compilation with its tree; reasons by the number of the entry, the newest first."""
    compile_id = f"0/{number}"
    tree = TREE.format(managers="\n".join(managers))
    guards = record("dynamo_cpp_guards_str", {}, compile_id, tree)
    found = [start(compile_id), graph(compile_id), guards, metrics(compile_id)]
    if reasons:
        said: Any = [f"0/{entry[1:]}: {reason}" for entry, reason in reasons.items()]
        found.insert(0, record("artifact", {"name": "recompile_reasons"}, compile_id,
                               said[0] if len(said) == 1 else json.dumps(said)))  # fmt: skip
    return found


def size(name: str, before: int, now: int) -> str:
    return f"tensor '{name}' size mismatch at index 0. expected {before}, actual {now}"


def last(tmp_path: Path, *records: list[bytes]) -> Recompile:
    run = run_of(tmp_path, *(one for group in records for one in group))
    found = run.processes[0].frames[0].compilations[-1].recompile
    assert found is not None
    return found


def told(item: Recompile) -> list[tuple[object, ...]]:
    return [(c.kind.value, c.name, c.index, c.before, c.now) for c in item.changes]


def test_the_entry_whose_other_guards_pass_is_the_cause(tmp_path: Path) -> None:
    found = last(
        tmp_path,
        compiled(0, tensor("x", 4), text("mode", "a")),
        compiled(1, tensor("x", 4), text("mode", "b"), e0="mode == 'a'"),
        compiled(2, tensor("x", 6), text("mode", "a"), e1="mode == 'b'", e0=size("x", 4, 6)),
    )

    assert (str(found.entry), found.kind.value) == ("0/0", "tensor-size")
    assert told(found) == [("tensor-size", "x", 0, "4", "6")]


def test_what_would_have_failed_behind_the_guard_is_told(tmp_path: Path) -> None:
    found = last(
        tmp_path,
        compiled(0, tensor("x", 4), tensor("y", 4), text("mode", "a")),
        compiled(1, tensor("x", 5), tensor("y", 5), text("mode", "b"), e0=size("x", 4, 5)),
    )

    assert told(found) == [
        ("tensor-size", "x", 0, "4", "5"),
        ("tensor-size", "y", 0, "4", "5"),
        ("str", "mode", None, "'a'", "'b'"),
    ]


def test_of_hundreds_of_entries_the_newest_are_enough(tmp_path: Path) -> None:
    many = [
        compiled(n, text("mode", str(n)), **{f"e{m}": f"mode == '{m}'" for m in reversed(range(n))})
        for n in range(40)
    ]
    found = last(tmp_path, *many)

    assert str(found.entry) == "0/38"
