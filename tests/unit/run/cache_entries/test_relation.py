import pytest

from inspector.run.cache_entries.relation import relation_holds, size_at

KNOWN = {"L['x'].size()[0]": 6, "L['x'].size()[1]": 4, "L['n']": 3, "L['f']": float("nan")}


@pytest.mark.parametrize(
    ("expression", "holds"),
    [
        ("2 <= L['x'].size()[0]", True),
        ("2 <= L['x'].size()[0] <= 5", False),
        ("L['x'].size()[0] == L['x'].size()[1] + 2", True),
        ("((L['x'].size()[0] % 4)) == 0", False),
        ("(L['x'].size()[0] // 4) != 1", False),
        ("not math.isnan(L['f'])", False),
        ("max(1, L['n']) == 3", True),
        ("L['n'] == 3 and L['x'].size()[1] != 4", False),
        ("L['y'].size()[0] == 3", None),
        ("L['y'].size()[0] == 3 or L['n'] == 3", True),
        ("L['n'] % 0 == 1", None),
        ("__import__('os').system('true')", None),
        ("L['n'](", None),
        ("(" * 500 + "1" + ")" * 500, None),
    ],
)
def test_relations(expression: str, *, holds: bool | None) -> None:
    assert relation_holds(expression, KNOWN.get) is holds


@pytest.mark.parametrize(
    ("size", "value"),
    [
        (7, 7),
        ("7", 7),
        ("s0", 8),
        ("2*s0 + 1", 17),
        ("s0*s1 - 4", 20),
        ("(s0//2)", 4),
        ("s0 % 3", 2),
        ("s7", None),
        ("2*s7", None),
        ("s0 // 0", None),
        ("Max(1, s0)", 8),
        ("s0 +", None),
        ("", None),
    ],
)
def test_sizes_with_symbols(size: int | str, value: int | None) -> None:
    assert size_at(size, {"s0": 8, "s1": 3}) == value
