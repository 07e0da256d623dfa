import torch

if not torch.cuda.is_available():
    raise RuntimeError("CUDA required")

net = torch.nn.Linear(2, 2).cuda(0)
example_inputs = torch.ones(1, 2).to(0)
