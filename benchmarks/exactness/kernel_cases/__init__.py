"""Modules whose generated kernels are recorded on a GPU and compared with those made without one.

Each public function of a file in this folder makes one case on a device.
"""
