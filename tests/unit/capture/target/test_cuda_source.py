"""Which CUDA requests in a source are mapped to the CPU."""

from __future__ import annotations

import ast

import pytest

from inspector.capture.source_loader import _ToCpu


@pytest.mark.parametrize(
    ("source", "mapped"),
    [
        ("x.cuda()", "x.cpu()"),
        ("x.cuda(0, non_blocking=True)", "x.cpu()"),
        ("self.net.cuda().half()", "self.net.cpu().half()"),
        ("x.to('cuda')", "x.to('cpu')"),
        ("x.to('cuda:1', torch.float16)", "x.to('cpu', torch.float16)"),
        ("torch.device('cuda', 0)", "torch.device('cpu', 0)"),
        ("torch.zeros(3, device=f'cuda:{rank}')", "torch.zeros(3, device='cpu')"),
        ("device = 'cuda' if gpu else 'cpu'", "device = 'cpu' if gpu else 'cpu'"),
        ("def f(x, device='cuda'):\n    pass", "def f(x, device='cpu'):\n    pass"),
        ("dict(device='cuda')", "dict(device='cpu')"),
        ("{'device': 'cuda'}", "{'device': 'cpu'}"),
        ("torch.load(path)", "torch.load(path, map_location='cpu')"),
        ("torch.load(path, map_location='cuda:0')", "torch.load(path, map_location='cpu')"),
        ("with torch.autocast('cuda'):\n    y", "with torch.autocast('cpu'):\n    y"),
        ("torch.cuda.synchronize()", "torch.cpu.synchronize()"),
        ("torch.cuda.FloatTensor(3)", "torch.FloatTensor(3)"),
        ("x.pin_memory().to('cuda')", "x.to('cpu')"),
        ("DataLoader(data, pin_memory=True)", "DataLoader(data, pin_memory=False)"),
        ("assert torch.cuda.is_available(), 'no'", "pass"),
        ("x.to('cuda').sum() == 3", "x.to('cpu').sum() == 3"),
        # Left as they are:
        ("x.device.type == 'cuda'", "x.device.type == 'cuda'"),
        ("kind in ('cuda', 'xpu')", "kind in ('cuda', 'xpu')"),
        ("{'cuda': 1}['cuda']", "{'cuda': 1}['cuda']"),
        ("device.startswith('cuda')", "device.startswith('cuda')"),
        ("torch.cuda.is_available()", "torch.cuda.is_available()"),
        ("torch.version.cuda", "torch.version.cuda"),
        ("print('cuda is fast')", "print('cuda is fast')"),
    ],
)
def test_maps(source: str, mapped: str) -> None:
    assert ast.unparse(_ToCpu().visit(ast.parse(source))) == mapped


def test_what_is_mapped_keeps_its_place() -> None:
    source = "y = f(x.cuda(non_blocking=True),\n      torch.zeros(3, device='cuda')) + 1"
    before = [
        (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call | ast.BinOp | ast.Assign)
    ]
    tree = _ToCpu().visit(ast.parse(source))
    after = [
        (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call | ast.BinOp | ast.Assign)
    ]
    assert after == before
    compile(tree, "model.py", "exec")
