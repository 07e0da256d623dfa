"""Model files in many styles: each loads, or leads with one sentence to what does."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from inspector.capture.target.call import fresh  # noqa: E402
from inspector.capture.target.target import Target, load_target  # noqa: E402
from inspector.errors import EnvironmentLacksError, InspectorError, ModelFailedError, UsageError  # noqa: E402
from inspector.shared.request import Request  # noqa: E402

pytestmark = [pytest.mark.compile]

TARGETS = Path(__file__).parent / "targets"


@pytest.fixture(autouse=True)
def _process_as_it_was(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Loading changes the process, as it should in a child; here the tests share one."""
    monkeypatch.chdir(TARGETS)
    before = set(sys.modules)
    state = (sys.path, sys.meta_path, sys.argv)
    saved = [list(part) for part in state]
    grad = torch.is_grad_enabled()
    yield
    torch.set_grad_enabled(grad)
    for part, was in zip((sys.path, sys.meta_path, sys.argv), saved, strict=True):
        part[:] = was
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None)).startswith(str(TARGETS)):
            del sys.modules[name]


def load(target: str, *inputs: str, device: str | None = None, dtype: str | None = None) -> Target:
    return load_target(Request(target, inputs, device=device, dtype=dtype))


def fails(target: str, *inputs: str, device: str | None = None) -> InspectorError:
    with pytest.raises(InspectorError) as caught:
        load(target, *inputs, device=device)
    error = caught.value
    assert error.message.endswith((".", "?"))
    assert "\n" not in error.message + error.next_step
    assert str(TARGETS) not in error.message + error.next_step + error.detail
    assert error.next_step
    return error


@pytest.mark.parametrize(
    ("target", "entry", "calls", "compiled"),
    [
        ("plain_model.py", "model", [(1, ())], False),
        ("factories.py", "get_model()", [(1, ()), (1, ()), (1, ())], False),
        (
            "keyword_inputs.py",
            "make_model()",
            [(0, ("input_ids",)), (0, ("input_ids", "attention_mask"))],
            False,
        ),
        ("kernelbench.py", "Model()", [(1, ())], False),
        ("already_compiled.py", "model", [(1, ())], True),
        ("compiled_in_place.py", "model", [(1, ())], True),
        ("odd näme-v1.2 (copy).py", "model", [(1, ())], False),
        ("vision/models/net.py", "get_model()", [(1, ())], False),
        ("vision.models.net", "get_model()", [(1, ())], False),
        ("training_step.py:train_step", "train_step", [(0, ())], False),
    ],
)
def test_loads_and_runs(
    target: str, entry: str, calls: list[tuple[int, tuple[str, ...]]], *, compiled: bool
) -> None:
    loaded = load(target)
    assert loaded.name == target
    assert loaded.entry == entry
    assert [(len(call.args), tuple(call.kwargs)) for call in loaded.calls] == calls
    assert loaded.already_compiled is compiled
    assert loaded.root == str(TARGETS)
    for call in map(fresh, loaded.calls):
        loaded.function(*call.args, **call.kwargs)


@pytest.mark.parametrize("name", ["table", "decorator"])
def test_a_function_is_not_called_before_it_is_compiled(name: str) -> None:
    loaded = load(f"without_arguments.py:{name}")
    assert loaded.entry == name
    assert sys.modules[loaded.function.__module__].tables == {}


@pytest.mark.parametrize("name", ["closure", "moved", "prepared", "made_inside"])
def test_a_factory_is_known_by_what_it_returns(name: str) -> None:
    loaded = load(f"without_arguments.py:{name}", "f32[2,4]")
    assert loaded.entry == f"{name}()"
    (call,) = loaded.calls
    assert isinstance(loaded.function(*call.args, **call.kwargs), torch.Tensor)


def test_a_factory_may_return_inputs_too() -> None:
    loaded = load("without_arguments.py:with_inputs")
    assert loaded.entry == "with_inputs()[0]"
    assert [len(call.args) for call in loaded.calls] == [1]


@pytest.mark.parametrize(
    ("target", "inputs", "entry"),
    [
        ("class_without_inputs.py", ["f32[1,3,224,224]"], "TinyNet()"),
        ("named_factories.py:Tower", ["f32[2,8]"], "Tower()"),
        ("named_factories.py:tiny", ["f32[2,8]"], "tiny()"),
        ("named_factories.py:normalise", ["f32[2,32]", "eps=0.1"], "normalise"),
        ("named_factories.py:Tower.features", ["f32[2,8]"], "Tower.features"),
        (
            "keyword_only.py",
            ["left=f32[2,8]", "right=f32[2,16]", "scale=2.0", "flip=true"],
            "Fusion()",
        ),
        ("list_of_tensors.py", ["[f32[2,3], f32[4,3]]", "dim=0"], "concatenate"),
    ],
)
def test_takes_inputs_of_the_command_line(target: str, inputs: list[str], entry: str) -> None:
    loaded = load(target, *inputs)
    assert loaded.entry == entry
    (call,) = loaded.calls
    loaded.function(*call.args, **call.kwargs)


@pytest.mark.parametrize(
    ("target", "suggested"),
    [
        ("class_without_inputs.py", "--input 'f32[1,3,224,224]'`"),
        ("named_factories.py:build_wide", "named_factories.py:build_wide --input 'f32[1,32]'`"),
        ("keyword_only.py", "--input 'left=f32[1,8]' --input 'right=f32[1,16]' --input scale=0.5`"),
        ("list_of_tensors.py", "--input '[f32[16,16], f32[16,16]]' --input 1`"),
        ("notebook_like.py", "--input 'i64[1,128]<1000'`"),
        ("transformers_model.py", "--input 'input_ids=i64[1,64]<99'`"),
    ],
)
def test_without_inputs_the_command_to_try_works(target: str, suggested: str) -> None:
    if "transformers" in target:
        pytest.importorskip("transformers")
    error = fails(target)
    assert isinstance(error, UsageError)
    assert "has no inputs for" in error.message
    assert f"Try `inspect explain {target.split(':', maxsplit=1)[0]}" in error.next_step
    assert suggested in error.next_step
    import shlex

    words = shlex.split(error.next_step.split("`")[1])
    loaded = load(words[2], *words[4::2])
    (call,) = loaded.calls
    loaded.function(*call.args, **call.kwargs)


@pytest.mark.parametrize(
    ("target", "kind", "says", "leads_to"),
    [
        (
            "class_with_arguments.py",
            UsageError,
            "`MLP` cannot be called without `hidden` and `depth`",
            "def get_model(): return MLP(hidden=…, depth=…)",
        ),
        (
            "argparse_script.py",
            UsageError,
            "exit status 2",
            "with its arguments: `inspect run argparse_script.py …`",
        ),
        ("bare_script.py", UsageError, "calls torch.compile itself", "inspect run bare_script.py`"),
        (
            "script_that_runs.py",
            UsageError,
            "`loss`, `compiled`",
            "`inspect run script_that_runs.py`",
        ),
        ("several_classes.py", UsageError, "`Encoder`, `AutoEncoder`", "several_classes.py:AutoE"),
        ("settings_only.py:WIDTH", UsageError, "is not callable; its type is `int`", "Define a"),
        (
            "wrong_inputs.py",
            UsageError,
            "`example_inputs` gives 1 argument, which does not match the signature: missing a",
            "Bilinear.forward(input1, input2)",
        ),
        ("plain_model.py:modle", UsageError, "There is no `modle`", "`model`"),
        ("plain_modle.py", UsageError, "There is no file", "Check the path"),
        ("README.md", UsageError, "is not a Python file", "`.py`"),
        ("torhc.nn:Linear", UsageError, "There is no module `torhc`", "`torch`"),
        ("fails_on_import.py", ModelFailedError, "KeyError: 'large'", "traceback"),
        ("fails_in_constructor.py", ModelFailedError, "Making `Net()` failed: TypeError", "trace"),
        ("missing_import.py", ModelFailedError, "No module named", "`--python`"),
        ("cuda_requests.py", EnvironmentLacksError, "needs CUDA", "`--device cpu`"),
        (
            "cuda_settings.py",
            EnvironmentLacksError,
            "cuda_settings.py:9 needs CUDA",
            "`--device cpu`",
        ),
    ],
)
def test_leads_to_what_works(
    target: str, kind: type[InspectorError], says: str, leads_to: str
) -> None:
    if kind is EnvironmentLacksError and torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    error = fails(target)
    assert type(error) is kind
    assert says in error.message
    assert leads_to in error.next_step


def test_a_traceback_is_the_users_own() -> None:
    detail = fails("fails_in_constructor.py").detail
    assert 'File "fails_in_constructor.py", line 7, in __init__' in detail
    for foreign in ("inspector/capture", "importlib", "torch/overrides"):
        assert foreign not in detail


def test_a_request_that_cannot_be_mapped_says_so() -> None:
    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    error = fails("cuda_only_function.py", device="cpu")
    assert type(error) is EnvironmentLacksError
    assert "`--device cpu` does not change it" in error.next_step


def test_a_syntax_error_is_at_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken.py").write_text("import torch\n\nmodel = torch.nn.Linear(4,\n")
    (tmp_path / "outer.py").write_text("import broken\n")
    monkeypatch.chdir(tmp_path)
    for target in ("broken.py", "outer.py"):
        error = fails(target)
        assert type(error) is ModelFailedError
        assert error.message == "broken.py:3: '(' was never closed (SyntaxError)."
        assert "model = torch.nn.Linear(4," in error.detail
        assert "inspector" not in error.detail


def test_grad_mode_and_training_mode_stay_as_the_file_leaves_them() -> None:
    assert not load("plain_model.py").function.training
    assert torch.is_grad_enabled()
    assert load("factories.py").function.training
    assert not torch.is_grad_enabled()


def test_cuda_requests_are_mapped_to_the_cpu() -> None:
    loaded = load("cuda_requests.py", device="cpu")
    (call,) = loaded.calls
    out = loaded.function(*call.args)
    assert out.device.type == "cpu"
    assert loaded.function.where == "cpu"
    # A comparison is not a request: the branch for CUDA is not taken.
    x = call.args[0]
    assert torch.equal(out, loaded.function.fc(x))
    code = type(loaded.function).forward.__code__
    assert code.co_firstlineno == 15
    assert code.co_filename == str(TARGETS / "cuda_requests.py")


def test_device_and_dtype_change_floating_tensors_alone() -> None:
    loaded = load("keyword_inputs.py", device="cpu", dtype="bf16")
    assert loaded.function.embed.weight.dtype is torch.bfloat16
    second = loaded.calls[1].kwargs
    assert second["input_ids"].dtype is torch.int64
    assert second["attention_mask"].dtype is torch.bfloat16


def test_a_device_that_is_not_here() -> None:
    with pytest.raises(UsageError, match="`cpu`"):
        load("plain_model.py", device="cpuu")
    if not torch.cuda.is_available():
        with pytest.raises(EnvironmentLacksError, match="`--device cpu`"):
            load("plain_model.py", device="cuda")
    with pytest.raises(UsageError, match="does not apply to a whole model"):
        load("plain_model.py", dtype="i64")


def test_inputs_of_the_command_line_are_the_same_in_every_run() -> None:
    state = torch.get_rng_state()
    first = load("plain_model.py", "f32[2,8]").calls[0].args[0]
    assert torch.equal(first, load("plain_model.py", "f32[2,8]").calls[0].args[0])
    torch.set_rng_state(state)
    ids = load("keyword_inputs.py", "input_ids=i64[4,100]<7").calls[0].kwargs["input_ids"]
    assert set(ids.unique().tolist()) == set(range(7))


def test_fresh_inputs_can_be_written_to() -> None:
    from inspector.capture.target.call import Call

    base = torch.randn(4, 4, requires_grad=True)
    view = base.detach()[:2]
    history = base * 2
    torch._dynamo.mark_dynamic(view, 0)
    call = Call((base, [view, view.t()]), {"history": history, "n": 3, "inner": {"x": view}})
    copy = fresh(call)
    (new_base, (new_view, new_transposed)), kwargs = copy.args, copy.kwargs
    assert new_base.requires_grad
    assert new_base.is_leaf
    assert kwargs["history"].requires_grad
    assert kwargs["history"].is_leaf
    assert kwargs["inner"]["x"] is new_view
    assert new_view._dynamo_dynamic_indices == {0}
    assert new_transposed.stride() == view.t().stride()
    new_view.zero_()
    assert torch.equal(new_base[:2], torch.zeros(2, 4))
    assert torch.equal(new_transposed, torch.zeros(4, 2))
    assert view.abs().sum() > 0
