"""The version, where every module can read it without importing what the package exports."""

__version__ = "0.1.0"
