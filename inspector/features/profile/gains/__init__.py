"""What could be won of a call: by kernels, the host, layouts, libraries, training."""
