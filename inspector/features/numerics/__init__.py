"""Where the numbers of compiled code leave those of eager PyTorch."""
