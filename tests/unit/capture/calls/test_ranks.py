"""What the processes of a job say to each other before their calls; the store is a dict here."""

from __future__ import annotations

import datetime as dt
import itertools

import pytest

from inspector.capture import versions
from inspector.capture.calls import ranks
from inspector.errors import UsageError


class Store(dict[str, str]):
    timeout = dt.timedelta(seconds=0.2)

    def set(self, key: str, value: str) -> None:
        self[key] = value

    def get(self, key: str) -> str:  # type: ignore[override] - as torch's, which takes no default
        if key not in self:
            raise RuntimeError(f"wait timeout after 200ms, keys: {key}\nand more")
        return self[key]

    def check(self, keys: list[str]) -> bool:
        return all(key in self for key in keys)


def be(monkeypatch: pytest.MonkeyPatch, store: Store, rank: int, size: int = 2) -> None:
    monkeypatch.setattr(versions, "job", lambda: versions.Job(store, rank, size))


def test_outside_of_a_job_nobody_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "job", lambda: None)
    ranks.meet()
    assert ranks.agreed(7) == 7
    assert not ranks.is_of_others(RuntimeError("Connection closed by peer [::1]:1"))


@pytest.mark.parametrize(
    ("there", "said"),
    [
        ([0, 1, 3], "Rank 2 of this job did not reach the first call in 0.2 s."),
        ([0], "Ranks 1, 2, 3 of this job did not reach the first call in 0.2 s."),
    ],
)
def test_those_that_do_not_come_are_named(
    monkeypatch: pytest.MonkeyPatch, there: list[int], said: str
) -> None:
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")  # two hosts
    store = Store()
    for rank in there:
        store.set(f"torch-inspector/here/{rank}", "")
    be(monkeypatch, store, there[0], 4)
    with pytest.raises(UsageError) as raised:
        ranks.meet()
    assert raised.value.message.startswith(said)
    assert "torchrun --nproc-per-node 2 --no-python inspect" in raised.value.next_step


def test_all_take_what_the_first_rank_says(monkeypatch: pytest.MonkeyPatch) -> None:
    store = Store()
    for rank, own in ((0, 6), (1, 5)):
        monkeypatch.setattr(ranks, "_numbers", itertools.count())
        be(monkeypatch, store, rank)
        assert ranks.agreed(own) == 6


@pytest.mark.parametrize(
    ("error", "is_of_others"),
    [
        (RuntimeError("[…/tcp/pair.cc:553] Connection closed by peer [::1]:1"), True),
        (RuntimeError("[…/buffer.cc:78] Timed out waiting 6000ms for recv operation"), True),
        (RuntimeError("wait timeout after 6000ms, keys: /default_pg/0//cuda//0/0"), True),
        (RuntimeError("mat1 and mat2 shapes cannot be multiplied"), False),
        (ConnectionResetError("Connection reset by peer"), False),  # the program's own connection
    ],
)
def test_errors_that_are_other_ranks_are_known(
    monkeypatch: pytest.MonkeyPatch, error: Exception, *, is_of_others: bool
) -> None:
    be(monkeypatch, Store(), 0)
    assert ranks.is_of_others(error) is is_of_others
