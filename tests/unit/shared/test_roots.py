"""Whose code a file is."""

import pytest

from inspector.shared.roots import Owner, Roots


@pytest.mark.parametrize(
    ("file", "owner"),
    [
        ("/caches/me/xa/cxaakn4oomwq3su5u24hmac64ikn3cuayhui7i5a4jtnp7t2pzmb.py",
         Owner.TORCH),
        ("/caches/5z/c5zeftw6dzmyuqayqjciyc7yurpkbgnqtzeyhy3vdkkrcpckwnfl.py", Owner.TORCH),
        ("/work/ab/cabinet.py", Owner.PROJECT),
        ("/work/model.py", Owner.PROJECT),
    ],
)  # fmt: skip
def test_what_inductor_generates_is_torchs_in_any_cache_folder(file: str, owner: Owner) -> None:
    assert Roots(project="/work").owner(file) is owner
