"""What is stored through a mask, and behind a position that a tensor holds."""

from __future__ import annotations

import dataclasses

import pytest

from inspector.report.user_code.reading import Span, read_text
from tests.unit.report.user_code.fixes import BY_ID, fix


@pytest.mark.parametrize(
    ("body", "statement", "said"),
    [
        (
            "z = x * 2\nm = x > 0\nz[m] = z[m].exp() + 1\nreturn z\n",
            "z[m] = z[m].exp() + 1",
            "`z = torch.where(m, z.exp() + 1, z)` instead of `z[m] = z[m].exp() + 1`, if the mask",
        ),
        (
            "z = x.clone()\nz[z < 0] *= 0.1\nreturn z\n",
            "z[z < 0] *= 0.1",
            "`z = torch.where(z < 0, z * 0.1, z)` instead of `z[z < 0] *= 0.1`.",
        ),
        (  # an argument is the caller's
            "x[y > 0] -= y[y > 0]\nreturn x\n",
            "x[y > 0] -= y[y > 0]",
            "`x.copy_(torch.where(y > 0, x.clone() - y, x))`",
        ),
        (  # it has two names
            "z = x * 2\nw = z\nz[y > 0] = -z[y > 0]\nreturn w\n",
            "z[y > 0] = -z[y > 0]",
            "`z.copy_(torch.where(y > 0, -z.clone(), z))`",
        ),
        (  # others see a part of it
            "z = x * 2\nw = z.view(-1)\nz[y > 0] = -z[y > 0]\nreturn w\n",
            "z[y > 0] = -z[y > 0]",
            "`z.copy_(torch.where(y > 0, -z.clone(), z))`",
        ),
        (
            "self.seen[y.isnan()] = self.seen[y.isnan()] + 1\nreturn x\n",
            "self.seen[y.isnan()] = self.seen[y.isnan()] + 1",
            "`self.seen.copy_(torch.where(y.isnan(), self.seen.clone() + 1, self.seen))`",
        ),
    ],
)
def test_an_update_of_what_a_mask_selects_is_a_choice(body: str, statement: str, said: str) -> None:
    assert said in fix("masked-update", body, statement)


@pytest.mark.parametrize(
    ("name", "statement", "missing", "said"),
    [
        ("masked-update", "z[m] += x[m]", 0, "`z = torch.where(m, z + x, z)` instead of"),
        ("masked-update", "z[m] += x[m]", 1, "`z = torch.where(m.unsqueeze(-1), z + x, z)`"),
        ("masked-update", "z[m] += x[m]", 2, "`z = torch.where(m[..., None, None], z + x, z)`"),
        (
            "masked-update",
            "z[x.sum(1) > 0] *= 2",
            1,
            "`z = torch.where((x.sum(1) > 0).unsqueeze(-1), z * 2, z)`",
        ),
        ("masked-store", "z[m] = x[m]", 1, "`z.copy_(torch.where(m.unsqueeze(-1), x, z))`"),
        ("masked-write", "z[m] = y", 1, "`z.masked_scatter_(m.unsqueeze(-1), y)` instead of"),
        ("masked-write", "z[m] = y", 0, "`z.masked_scatter_(m, y)` instead of"),
    ],
)
def test_a_mask_of_rows_selects_all_of_each(
    name: str, statement: str, missing: int, said: str
) -> None:
    code = read_text(f"def f(x, m, y):\n    z = x * 2\n    {statement}\n", Span(3, 3))
    found = BY_ID[name].fix_for(dataclasses.replace(code, missing_dims=missing))
    assert said in found
    assert "the mask" not in found


@pytest.mark.parametrize(
    "statement",
    [
        "x[y > 0] = x[y > 0] - x[y > 0].mean()",  # an element depends on others
        "x[y > 0] = x[y > 1] * 2",  # another mask
        "x[y > 0] = y",
        "x[3] = x[3] * 2",
        "x[y > 0] = x[y > 0] @ y",
        "x[y > 0] = x[y > 0].sort().values",
        "x[y > 0], z = x[y > 0] * 2, 1",
    ],
)
def test_another_store_through_a_mask_is_no_update(statement: str) -> None:
    code = read_text(f"def f(x, y):\n    {statement}\n", Span(2, 2, 4, None))
    assert BY_ID["masked-update"].where is not None
    assert not BY_ID["masked-update"].where(code)


def test_a_position_in_a_buffer_stays_a_tensor() -> None:
    body = (
        "at = int(self.at)\nn = len(x)\n"
        "self.bank[:, at : at + n] = x.T\nself.at[0] = (at + n) % 6\n"
    )
    said = fix("position-in-buffer", body, "int(self.at)")

    assert "`places = self.at + torch.arange(n, device=self.bank.device)`" in said
    assert "`self.bank.index_copy_(1, places, x.T)` instead of `self.bank[:, at:at + n] =" in said


@pytest.mark.parametrize(
    "store",
    [
        "self.bank[:at] = x",
        "y = self.bank[at : at + 2]",
        "self.bank[at] = x",
        "self.bank[0, at:] = x",
    ],
)
def test_another_use_of_a_number_is_no_position(store: str) -> None:
    text = f"def f(self, x):\n    at = int(self.at)\n    {store}\n    return x\n"
    where = BY_ID["position-in-buffer"].where
    assert where is not None
    assert not where(read_text(text, Span(2, 2, 9, 21)))
