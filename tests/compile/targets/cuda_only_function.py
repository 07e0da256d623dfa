import torch

memory = torch.cuda.get_device_properties(0).total_memory
model = torch.nn.Linear(2, 2)
