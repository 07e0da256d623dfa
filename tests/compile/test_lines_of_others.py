"""Where the line is a library's or torch's, the fix is a setting or a line of the project's own.

The program holds both sides, what breaks or recompiles and what is advised, so torch itself says
that the advice helps: the fixed functions have no finding.
"""

import json
from typing import Any

import pytest

from tests.compile.processes import inspected, report

pytestmark = pytest.mark.compile
LIBRARY = """
def scale(x):
    return x / x.norm().item()

def run(function, inputs):
    return [function(x) for x in inputs]
"""
PROGRAM = """
import json, pathlib, sys
sys.path.insert(0, str(pathlib.Path(__file__).parent / "site-packages"))
import acme, torch
from torch._dynamo.testing import CompileCounter

x = torch.arange(4.0)

@torch.compile(backend="eager")
def broken(x):
    h = torch.relu(x)
    return acme.scale(h) * 3

@torch._dynamo.config.patch(capture_scalar_outputs=True)
@torch.compile(backend="eager")
def captured(x):
    h = torch.relu(x)
    return acme.scale(h) * 3

@torch.compile(backend="eager")
def above(x):
    return torch.relu(x)

@torch.compile(backend="eager")
def below(x):
    return x * 3

for other in (captured(x), below(acme.scale(above(x)))):
    torch.testing.assert_close(other, broken(x))

def compiled(function, dynamic=None):
    counter = CompileCounter()
    return torch.compile(function, backend=counter, dynamic=dynamic), counter

def sized(x):
    return x * 2

def any_size(x):
    return x * 2

sizes = [torch.ones(size) for size in (4, 5, 6)]
graphs = []
for function, dynamic in ((sized, None), (any_size, True)):
    function, counter = compiled(function, dynamic)
    acme.run(function, sizes)
    graphs.append(counter.frame_count)

def trained(hook):
    torch.manual_seed(0)
    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Linear(3, 1))
    for parameter in net.parameters():
        parameter.register_post_accumulate_grad_hook(hook)
    def step(x):
        loss = net(x).sum()
        loss.backward()
        return loss
    torch._dynamo.config.compiled_autograd = True
    torch.compile(step, backend="eager")(torch.ones(2, 2))
    torch._dynamo.config.compiled_autograd = False

def read_number(parameter):
    numbers.append(float(parameter.grad.norm()))

def keep_tensor(parameter):
    norms.append(parameter.grad.norm().detach())

numbers, norms = [], []
trained(read_number)
trained(keep_tensor)
torch.testing.assert_close(torch.tensor(numbers), torch.stack(norms))

names = {}
exec('def made(x):\\n    y = x + 1\\n    print("in generated code")\\n    return y * 2', names)

@torch.compile(backend="eager")
def calls_made(x):
    return names["made"](x) + 1

calls_made(x)
print(json.dumps(graphs))
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[int], list[dict[str, Any]]]:
    """How often each function was compiled, and the findings."""
    folder = tmp_path_factory.mktemp("lines_of_others")
    (folder / "site-packages").mkdir()
    (folder / "site-packages" / "acme.py").write_text(LIBRARY)
    (folder / "train.py").write_text(PROGRAM)
    done = inspected("run", "--save", "kept", "python", "train.py", folder=folder)
    assert done.returncode == 0, done.stderr
    graphs = json.loads(done.stdout.strip().splitlines()[-1])
    return graphs, report(folder / "kept")["findings"]


def at(findings: list[dict[str, Any]], line: str, rule: str = "graph-break") -> dict[str, Any]:
    """The finding of a rule at a line of the program or of the library."""
    found = [item for item in findings if item["rule"] == rule]
    return next(item for item in found if line in shown(item))


def shown(finding: dict[str, Any]) -> str:
    """The line of a finding's place."""
    text = {"acme.py": LIBRARY, "train.py": PROGRAM}[finding["file"]]
    return text.splitlines()[finding["line"] - 1]


def own_line(code: str) -> str:
    return f"train.py:{PROGRAM.splitlines().index(code) + 1}"


def test_a_break_in_a_library(program: tuple[list[int], list[dict[str, Any]]]) -> None:
    finding = at(program[1], "x.norm().item()")

    assert finding["fix"].startswith(
        "Use `with torch._dynamo.config.patch(capture_scalar_outputs=True"
    )
    own, upgrade = finding["alternatives"]
    place = own_line("    return acme.scale(h) * 3")
    assert own.startswith(
        f"At {place}: the call needs `h` from inside the function. End the compiled function above"
    )
    assert "Upgrade acme" in upgrade
    functions = {item["function"] for item in program[1]}
    assert not functions & {"captured", "above", "below", "any_size", "keep_tensor"}


def test_a_library_that_calls_what_is_compiled(
    program: tuple[list[int], list[dict[str, Any]]],
) -> None:
    finding = at(program[1], "def sized(x):", "recompile")

    assert program[0] == [2, 1]
    assert "TORCH_COMPILE_DYNAMIC_SOURCES=\"L['x']\"" in finding["fix"]
    assert finding["alternatives"][0].startswith("Compile with torch.compile(…, dynamic=True)")


def test_a_hook_that_a_compiled_backward_calls(
    program: tuple[list[int], list[dict[str, Any]]],
) -> None:
    """Torch runs the compiled backward as code that no file holds."""
    finding = at(program[1], "float(parameter.grad.norm())")

    assert finding["fix"].startswith("Return or store `parameter.grad.norm().detach()`")
    assert "do `numbers.append" not in finding["fix"]  # autograd calls a hook
    for item in program[1]:
        assert "eval_with_key" not in json.dumps([item["file"], item["fix"]])
    recompile = at(program[1], "def read_number(parameter):", "recompile")
    at_hook = own_line("    numbers.append(float(parameter.grad.norm()))")
    assert recompile["fix"].startswith(f"Fix the graph break at {at_hook}: ")


def test_code_that_was_generated_has_its_caller_s_line(
    program: tuple[list[int], list[dict[str, Any]]],
) -> None:
    assert at(program[1], 'return names["made"](x) + 1')["function"] == "calls_made"
