"""Which of torch's events is the graph of which stage."""

from __future__ import annotations

LOGGED_GRAPHS = {
    "dynamo_output_graph": ("dynamo", "gm"),
    "after_pre_grad_graph": ("pre_grad", "model_"),
    "aot_joint_graph": ("joint", "fx_g"),
    "aot_forward_graph": ("forward", "fw_module"),
    "aot_backward_graph": ("backward", "bw_module"),
    "aot_inference_graph": ("inference", "fw_module"),
    "inductor_post_grad_graph": ("post_grad", "gm"),
}
"""The stage, and the local variable, by what torch logs (2.11 to 2.13): torch/_dynamo/
output_graph.py, torch/_inductor/compile_fx.py, torch/_functorch/_aot_autograd/graph_compile.py and
graph_capture.py."""

DECOMPOSED = {"aot_forward_graph": False, "aot_backward_graph": True, "aot_inference_graph": None}
"""Those that can be decomposed into primitives; whether one is that of the backward pass, if there
is one."""
