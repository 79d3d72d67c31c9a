"""On PYTHONPATH this puts the CPU in the place of the GPU in every interpreter, also in those that tests start."""
import suite_hooks

suite_hooks.install()
