"""Captures for a GPU that is not there (`inspector.capture.gpu_target.session`)."""
