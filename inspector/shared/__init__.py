"""What the recorded process and the reader share: sizes, dtypes, GPUs, requests, places."""
