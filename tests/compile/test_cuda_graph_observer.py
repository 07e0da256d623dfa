"""The observer of CUDA graphs around classes that behave as torch's do, where there is no GPU.

What torch's own classes do is in the recordings of an H200 (tests/unit/data/cuda_graphs.zip), and
tests/gpu runs them; this is about standing in: counts, exceptions, threads, and being gone after.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.compile.warm_python import INSPECT

pytestmark = pytest.mark.compile
ROOT = Path(__file__).resolve().parents[2]
PROGRAM = '''
import threading
import torch
import torch._inductor.cudagraph_trees as trees

Status = trees.CheckInvariantStatus


class Id:
    def __init__(self, number):
        self.id = number

    def __hash__(self):
        return self.id

    def __eq__(self, other):
        return self.id == other.id


class Wrapped:
    placeholders = ()


class Node:
    """Fits calls with the address that it was captured with."""

    def __init__(self, number, address, inputs):
        self.id, self.address = Id(number), address
        self.wrapped_function = Wrapped()
        self.tensor_static_input_idxs, self.static_input_idxs = [0], [0]
        self.static_input_data_ptrs = [address, None]
        self.reconstructed_inputs = [torch.zeros(2), torch.zeros(3, 4)]
        self.non_static_input_idx, self.cudagraph_managed_idxs = [1], []

    def check_invariants(self, inputs):
        same = inputs[0].data_ptr() == self.address
        return (Status.SUCCESS if same else Status.StaticInputIdxMismatch), None


class Manager:
    device_index = 0
    current_node = None
    cuda_graphs_thread_pool = (0, 1)

    def __init__(self):
        self.id_to_compile_id = {Id(0): "0/0"}
        self.id_to_mode = {Id(0): trees.CompilationMode.FORWARD}
        self.nodes, self.warm = [], False

    def run(self, new_inputs, function_id):
        if len(new_inputs) > 2:
            raise ValueError("the program's own")
        if not self.warm:
            return self.run_eager(new_inputs, function_id)
        for node in self.nodes:
            if node.check_invariants(new_inputs)[0] is Status.SUCCESS:
                return "replayed"
        if self.nodes and self.current_node is not None:
            self.current_node = None
            return self.run(new_inputs, function_id)  # torch does that, too
        return self.record_function(new_inputs, function_id)

    def run_eager(self, new_inputs, function_id):
        self.warm = True
        return "warm"

    def record_function(self, new_inputs, function_id):
        self.current_node = Node(len(self.nodes), new_inputs[0].data_ptr(), new_inputs)
        self.nodes.append(self.current_node)
        new_inputs.clear()
        return "captured"


trees.CUDAGraphTreeManager, trees.CUDAGraphNode = Manager, Node
before = Manager.run
torch.compile(lambda x: x * 2, backend="eager")(torch.ones(3))
assert Manager.run is not before

weights = [torch.zeros(2), torch.zeros(2)]
said = []


def step(manager, number, extra=()):
    said.append(manager.run([weights[number], torch.ones(3, 4), *extra], Id(0)))


manager = Manager()
for number in (0, 0, 0, 1, 1, 0, 0):
    step(manager, number)
try:
    step(manager, 0, [1])
except ValueError as error:
    said.append(str(error))


class Overwritten(torch.Tensor):
    """In memory that a later graph has taken: torch's launcher of Triton kernels dies of it."""

    def data_ptr(self):
        raise RuntimeError("overwritten by a subsequent run")


weights.append(torch.zeros(2).as_subclass(Overwritten))
try:
    step(Manager(), 2)
except RuntimeError as error:
    said.append(str(error))
other = Manager()
thread = threading.Thread(target=lambda: [step(other, 0) for _ in range(4)])
thread.start()
thread.join()
print(" ".join(said))
'''
SAID = (
    "warm captured replayed captured replayed replayed replayed the program's own "
    "overwritten by a subsequent run "
    "warm captured replayed replayed"
)


# What torch's own code does where an operator is on the CPU and graphs are not partitioned.
SKIPPED = """
import torch
import torch._inductor.cudagraph_trees
from torch._inductor.cudagraph_utils import log_cudagraph_skip_and_bump_counter


def backend(gm, inputs):
    log_cudagraph_skip_and_bump_counter("skipping cudagraphs due to cpu device (arg0_1)")
    return gm.forward


torch.compile(lambda x: x * 2, backend="eager")(torch.ones(3))
torch.compile(lambda x: x + 1, backend=backend)(torch.ones(3))
"""


def inspect(folder: Path, *arguments: str) -> str:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [*INSPECT, *arguments],
        cwd=folder, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    folder = tmp_path_factory.mktemp("observer")
    (folder / "program.py").write_text(PROGRAM)
    assert inspect(folder, "run", "--save", "recording", "program.py").strip() == SAID
    shown = inspect(folder, "guards", "recording", "--cudagraphs", "--format", "json")
    explained = json.loads(inspect(folder, "explain", "recording", "--format", "json"))
    problems = [text for process in explained["processes"] for text in process["problems"]]
    return {**json.loads(shown), "problems": problems}


def test_calls_are_counted_by_what_became_of_them(report: dict[str, Any]) -> None:
    (row,) = report["functions"]  # three managers, of the same compilation
    counts = [row[name] for name in ("calls", "replays", "captures", "warmups", "without_graph")]
    assert counts == [13, 6, 3, 2, 2]


def test_a_capture_says_what_did_not_fit_and_what_is_copied(report: dict[str, Any]) -> None:
    first, again, _ = report["recorded"]
    assert first["refused"] == []
    (refusal,) = again["refused"]
    assert (refusal["status"], refusal["changed"]) == ("StaticInputIdxMismatch", 1)
    assert (again["copied_inputs"], again["copied_bytes"]) == (1, 48)
    assert again["captured_before"] == 1


def test_nothing_of_ours_fails_without_a_gpu(report: dict[str, Any]) -> None:
    assert report["problems"] == []
    assert not report["pool_bytes"]  # a CUDA build of torch counts none, a CPU build counts nothing


def test_a_skip_in_a_compilation_is_reported_once(tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(SKIPPED)
    inspect(tmp_path, "run", "--save", "recording", "program.py")
    shown = inspect(tmp_path, "guards", "recording", "--cudagraphs", "--format", "json")
    (warning,) = json.loads(shown)["warnings"]
    assert (warning["compile_id"], warning["reason"]) == ("1/0", "cpu device (arg0_1)")
