"""Runs kernels of cuTile Python on the CPU.

    python -m cutile_cpu script.py

runs a script as it is: the CPU stands in for its CUDA device. In a program of one's own, `cutile_cpu.install()` does the
same; it must come before cuda.tile is imported. docs/python.md of cuTile for Go has the details.
"""
from .hooks import install
from .server import KernelError, ServerError

__all__ = ["install", "KernelError", "ServerError"]
