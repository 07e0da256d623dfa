"""What a plain trace says of its processes, and what of it is not known."""

from pathlib import Path

from inspector.features.graph.reading import read_graphs
from inspector.features.kernels.report import make_kernels_report
from inspector.plugins import fields as fields_of
from inspector.report.processes import labels
from inspector.report.report import make_report
from inspector.run.run import Run
from inspector.run.sources.recording import opened, read_run
from inspector.trace.registry import is_known
from tests.unit.logs import FILE, graph, metrics, record, run_of, start

POST_GRAD = """\
class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[8]"):
        relu: "f32[8]" = torch.ops.aten.relu.default(arg0_1);  arg0_1 = None
        return (relu,)
"""
GRAPH = f"""\
class GraphModule(torch.nn.Module):
    def forward(self, L_x_: "f32[8, 8]"):
        l_x_ = L_x_
        # File: {FILE}:3 in f, code: y = torch.relu(x)
        y: "f32[8, 8]" = torch.relu(l_x_);  l_x_ = None
        # File: {FILE}:4 in f, code: z = y @ y
        z: "f32[8, 8]" = y @ y;  y = None
        return (z,)
"""
CODE = """\
# AOT ID: ['0_inference']
# Topologically Sorted Source Nodes: [y], Original ATen: [aten.relu]
triton_poi_fused_relu_0 = async_compile.triton('triton_poi_fused_relu_0', '''
def triton_poi_fused_relu_0():
    pass
''')

def call(args):
    # Topologically Sorted Source Nodes: [y], Original ATen: [aten.relu]
    triton_poi_fused_relu_0.run(arg0_1, buf0)
    # Topologically Sorted Source Nodes: [z], Original ATen: [aten.mm]
    extern_kernels.mm(buf0, buf0, out=buf1)
    return (buf1,)
"""


def read(folder: Path) -> Run:
    with opened(folder) as recording:
        return read_run(recording)


def test_the_rank_is_in_the_name_of_the_log(tmp_path: Path) -> None:
    for rank in (10, 3):  # of one process id each, as in containers
        log = tmp_path / f"dedicated_log_torch_trace_rank_{rank}_a1b2c3.log"
        log.write_bytes(start(line=rank) + graph() + metrics(co_firstlineno=rank))
    run = read(tmp_path)
    assert [(process.rank, process.pid) for process in run.processes] == [(3, 7), (10, 7)]
    assert labels(run) == ("rank 3", "rank 10")


def test_what_a_record_says_of_its_rank_counts(tmp_path: Path) -> None:
    log = tmp_path / "dedicated_log_torch_trace_rank_3_a1b2c3.log"
    log.write_bytes(start().replace(b'{"dynamo_start"', b'{"rank": 4, "dynamo_start"'))
    assert [process.rank for process in read(tmp_path).processes] == [4]


def test_logs_of_one_name_and_process_id_in_two_folders_are_two_processes(tmp_path: Path) -> None:
    for node in ("node0", "node1"):
        (tmp_path / node).mkdir()
        (tmp_path / node / "a.log").write_bytes(start(name=node) + metrics(co_name=node))
    assert len(read(tmp_path).processes) == 2


def test_a_dumped_graph_that_nothing_reads_is_counted(tmp_path: Path) -> None:
    dumped = record("graph_dump", {"name": "vllm_graph"}, payload="graph()")
    run = run_of(tmp_path, start(), dumped, dumped, record("graph_dump", {}), metrics())
    unknown = run.processes[0].unknown_events
    assert unknown == {"graph_dump:vllm_graph": 2, "graph_dump": 1}
    assert is_known("graph_dump", "inductor_aot_wrapper_code")


def test_the_post_grad_graph_of_torch_2_8_is_a_stage(tmp_path: Path) -> None:
    text = record("artifact", {"name": "after_post_grad_graph"}, payload=POST_GRAD)
    run = run_of(tmp_path, start(), text, metrics())
    graphs, unread = read_graphs(run.processes[0].graphs.places, run.roots)
    assert not unread
    assert [(item.stage.value, len(item.nodes)) for item in graphs] == [("post-grad", 3)]


def test_a_cut_trace_is_a_warning_in_the_json_report_too(tmp_path: Path) -> None:
    fields = fields_of(make_report(run_of(tmp_path, start()), []))
    message = "the trace ends while `f` is being compiled, so later records are missing"
    assert fields["warnings"] == [{"file": "a.log", "line": None, "message": message}]
    whole = fields_of(make_report(run_of(tmp_path, start(), metrics()), []))
    assert whole["warnings"] == []


def test_a_kernel_has_the_lines_that_its_comments_name(tmp_path: Path) -> None:
    records = (start(), record("dynamo_output_graph", {}, payload=GRAPH))
    code = record("inductor_output_code", {"filename": "a.py"}, payload=CODE)
    run = run_of(tmp_path, *records, code, metrics())
    kernels = make_kernels_report(run)
    assert [node.line for node in kernels.rows[0].kernel.nodes] == [3]
