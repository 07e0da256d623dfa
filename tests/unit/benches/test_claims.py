"""Published figures against measured ones, and the files that have them."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import jsonschema
import pytest

from inspector.benches.claims import Verdict, checked
from inspector.benches.ratio import Ratio
from inspector.benches.rows import INTERRUPTED, BenchRow, Latency
from inspector.commands.bench_claims import claims_of, is_claims
from inspector.commands.bench_measure import BenchProcess, plan_of
from inspector.errors import UsageError
from inspector.findings.claims_report import CheckedModel, claim_cells, make_claims_report
from inspector.model.bench import Setting
from inspector.model.claims import Claim, ClaimedModel
from inspector.plugins import load_renderer
from inspector.sources.claims_file import read_claims
from tests.unit.benches.test_collection import DEFAULT, EAGER, row

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = json.loads((ROOT / "docs" / "schema" / "bench-claims-1.schema.json").read_text("utf-8"))
PADDED = Setting("inductor", dynamic=False, pads=True)


def milliseconds(time_ms: float) -> Latency:
    return Latency(time_ms * 1e6, 1, 2, 10, None)


def both(eager_ms: float, compiled_ms: float, reach: float = 0.01) -> list[BenchRow]:
    ratio = eager_ms / compiled_ms
    return [
        row(EAGER, latency=milliseconds(eager_ms), items_per_s=1000 / eager_ms,
            memory={"peak_allocated": 400_000_000}),
        row(DEFAULT, latency=milliseconds(compiled_ms), items_per_s=1000 / compiled_ms,
            memory={"peak_allocated": 100_000_000}, first_ns=17_000_000,
            faster=Ratio(ratio - reach, ratio, ratio + reach)),
    ]  # fmt: skip


def verdict(claim: Claim, rows: list[BenchRow]) -> Verdict:
    return checked(claim, rows).verdict


def test_the_gain_is_compared_and_not_the_machine() -> None:
    claim = Claim("default", "time_ms", 4.2, 1.8)
    assert verdict(claim, both(42, 18)) is Verdict.AS
    assert verdict(claim, both(42, 18.5)) is Verdict.AS
    assert verdict(claim, both(42, 10)) is Verdict.MORE
    assert verdict(claim, both(4.2, 3.9)) is Verdict.LESS
    assert verdict(claim, both(4.2, 2.1, reach=0.5)) is Verdict.NOISE


def test_rates_have_the_noise_of_the_times_that_they_come_from() -> None:
    claim = Claim("default", "throughput_per_s", 100, 200)
    rows = both(4.2, 2.4, reach=0.4)
    assert verdict(claim, rows) is Verdict.NOISE
    # On a GPU these are other calls than those that are timed one by one.
    steady = {(session, round_): 1.0 for session in range(3) for round_ in range(4)}
    rows = [dataclasses.replace(rows[0], bursts=dict.fromkeys(steady, 1.75)),
            dataclasses.replace(rows[1], bursts=steady)]  # fmt: skip
    assert verdict(claim, rows) is Verdict.LESS


def test_of_rates_more_is_better_and_of_memory_less() -> None:
    assert verdict(Claim("default", "throughput_per_s", 100, 200), both(4, 2)) is Verdict.AS
    assert verdict(Claim("default", "throughput_per_s", 100, 300), both(4, 2)) is Verdict.LESS
    found = checked(Claim("default", "peak_mb", 42, 38), both(4, 2))
    assert (found.verdict, found.first, found.second) == (Verdict.MORE, 400, 100)


def test_ranges_are_compared_as_they_are() -> None:
    rows = both(4, 2)
    assert verdict(Claim("default", "first_call_ms", 15, 20), rows) is Verdict.AS
    assert verdict(Claim("default", "first_call_ms", 1, 2), rows) is Verdict.LONGER
    assert verdict(Claim("default", "cached_call_ms", 3, 4), rows) is Verdict.SHORTER
    assert verdict(Claim("default", "speedup", 1.0, 1.4), rows) is Verdict.MORE
    two = [*rows, row(DEFAULT, latency=milliseconds(30), input=1)]
    assert verdict(Claim("default", "cached_call_ms", 1, 4), two) is Verdict.PARTLY


def test_a_gain_that_can_be_the_claimed_one_is_within_noise_and_shows_how_far_it_reaches() -> None:
    claim = Claim("default", "speedup", 1.38, 1.76)
    check = checked(claim, both(13, 10, reach=0.1))
    assert check.verdict is Verdict.NOISE
    model = ClaimedModel("a model", "model.py", {}, (claim,))
    _, _, _, here, _ = next(claim_cells(CheckedModel(model, "", (check,), 1.0)))
    assert here.startswith("1.3")
    assert here.endswith(" (1.20 to 1.40)")
    assert verdict(claim, both(13, 10)) is Verdict.LESS
    # A second input that cannot be so.
    two = [*both(13, 10, reach=0.1), row(DEFAULT, latency=milliseconds(10), input=1,
                                         faster=Ratio(1.01, 1.02, 1.03))]  # fmt: skip
    assert verdict(claim, two) is Verdict.LESS


def test_what_is_wrong_or_fails_later_meets_no_claim() -> None:
    claim = Claim("default", "time_ms", 4.2, 1.8)
    eager, compiled = both(42, 18)
    wrong = checked(claim, [eager, dataclasses.replace(compiled, wrong=("output of input 1",))])
    assert (wrong.verdict, wrong.reason) == (Verdict.NONE, "its results are wrong")
    died = dataclasses.replace(compiled, failure="It was ended by SIGSEGV.")
    assert checked(claim, [eager, died]).reason == "It was ended by SIGSEGV."
    cut = dataclasses.replace(compiled, failure=INTERRUPTED)
    assert verdict(claim, [eager, cut]) is Verdict.AS


def test_what_was_not_measured_says_why() -> None:
    unknown = checked(Claim("max-autotune", "time_ms", 2, 1), both(4, 2))
    assert (unknown.verdict, unknown.first) == (Verdict.NONE, None)
    assert "max-autotune" in unknown.reason
    failed = [both(4, 2)[0], row(DEFAULT, failure="out of memory")]
    assert checked(Claim("default", "time_ms", 2, 1), failed).reason == "out of memory"
    several = [*both(4, 2), row(DEFAULT, input=1)]
    assert "2 inputs" in checked(Claim("default", "time_ms", 2, 1), several).reason


def test_the_kept_file_has_settings_that_its_plans_have() -> None:
    claims = read_claims(ROOT / "samples" / "claims.toml")
    assert len(claims.models) > 1
    for model in claims.models:
        assert Path(model.target).is_file()
        labels = {item.setting.label for item in plan_of("", dict(model.options)).combinations}
        assert {claim.setting for claim in model.claims} <= labels


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("model = 3", "[[model]]"),
        ("[[model]]\nname = 'x'", "no target"),
        ("[[model]]\ntarget = 'm.py'", "[[model.claim]]"),
        ("[[model]]\ntarget = 'm.py'\nmods = 'default'\nclaim = []", "'mods'"),
        ("[[model]]\ntarget = 'm.py'\ntrain = 'yes'\nclaim = []", "true or false"),
        ("[[model]]\ntarget = 'm.py'\nclaim = [{ setting = 'default' }]", "no figures"),
        ("[[model]]\ntarget = 'm.py'\nclaim = [{ setting = 'a', time_ms = [1] }]", "two figures"),
        ("[[model]]\ntarget = 'm.py'\nclaim = [{ setting = 'a', speedup = [2, 1] }]", "down to"),
        ("[[model]]\ntarget = 'm.py'\nclaim = [{ setting = 'a', watts = [2, 1] }]", "'watts'"),
        ("[[model", "no TOML"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "claims.toml"
    file.write_text(text)
    with pytest.raises(UsageError, match=said.replace("[", r"\[").replace("]", r"\]")):
        read_claims(file)


def test_a_flag_that_is_off_is_not_given(tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    claim = "claim = [{ setting = 'default', speedup = [1, 2] }]"
    file.write_text(f"[[model]]\ntarget = 'm.py'\ngrad = false\ntrain = true\n{claim}")
    (found,) = read_claims(file).models
    assert dict(found.options) == {"train": True}
    assert not plan_of("", dict(found.options)).is_grad


def test_a_setting_that_is_not_measured_is_refused_before_anything_is(tmp_path: Path) -> None:
    file = tmp_path / "claims.toml"
    claim = "claim = [{ setting = 'reduce-overheat', speedup = [1, 2] }]"
    file.write_text(f"[[model]]\nname = 'm'\ntarget = 'm.py'\nmodes = 'default'\n{claim}")
    with pytest.raises(UsageError, match="'reduce-overheat' for m, which is not measured"):
        claims_of(str(file), {}, BenchProcess(None, None, None, progress=False))


def test_a_part_is_named_behind_the_file_and_options_stay_the_claims_own() -> None:
    assert is_claims(("a/claims.toml",))
    assert is_claims(("a/claims.toml:bert",))
    assert not is_claims(("a/model.py",))
    how = BenchProcess(None, None, None, progress=False)
    file = f"{ROOT / 'samples' / 'claims.toml'}"
    with pytest.raises(UsageError, match="no model called nothing"):
        claims_of(f"{file}:nothing", {}, how)
    with pytest.raises(UsageError, match="--modes is a part of what is claimed"):
        claims_of(file, {"modes": "default"}, how)


@pytest.mark.parametrize("format_", ["terminal", "markdown", "json"])
def test_every_report_has_both_figures(format_: str) -> None:
    claims = read_claims(ROOT / "samples" / "claims.toml")
    rows = both(3.3, 1.1)
    models = [
        CheckedModel(model, "f32[1]", tuple(checked(claim, rows) for claim in model.claims), 1.0)
        for model in claims.models
    ]
    stream = io.StringIO()
    load_renderer(format_).render(make_claims_report(claims, models, []), stream)
    text = stream.getvalue()
    if format_ == "json":
        jsonschema.validate(json.loads(text), SCHEMA)
        return
    for part in (
        "4.2 → 1.9 ms (2.21",
        "3.3 → 1.1 ms (3.00",
        "more than claimed",
        "not measured",
    ):
        assert part in text
