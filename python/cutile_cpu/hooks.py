"""Puts the CPU in the place of the GPU when cuTile Python and torch are imported."""
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from pathlib import Path

from .server import ServerError, capability

LIBCUDA = "cuda.tile._load_libcuda"  # the module through which the launcher finds the driver


def _launcher(m):
    from . import driver
    for name, position in (("launch", 3), ("launch_extended", 4), ("_benchmark", 3)):
        if hasattr(m, name):
            setattr(m, name, driver.entry_point(getattr(m, name), position))


def _compiler(m):
    from . import driver

    def compile_cubin(fname_bytecode, *args, linker_inputs=(), **options):
        if linker_inputs:
            raise ServerError(f"cutile_cpu runs Tile IR alone, but the kernel is to be linked with {linker_inputs}")
        out = Path(fname_bytecode).with_suffix(".cubin")
        out.write_bytes(driver.container(Path(fname_bytecode).read_bytes()))
        return out
    m.compile_cubin = compile_cubin
    # Without an assembler on the machine, its version is ours: the cache must not give these containers to a GPU.
    newest = max(m._SUPPORTED_VERSIONS)
    m._get_max_supported_bytecode_version = lambda *args, **options: newest
    m._get_compiler_version_string = lambda *args: f"cutile_cpu, bytecode {newest}"


def _torch(m):
    from . import torch_cuda
    torch_cuda.patch(m)


AFTER = {"torch": _torch, "cuda.tile._cext": _launcher, "cuda.tile._compile": _compiler}


class _Loader(importlib.abc.Loader):
    """Loads a module as another loader does, then changes it."""

    def __init__(self, inner, name):
        self.inner, self.name = inner, name

    def create_module(self, spec):
        return self.inner.create_module(spec)

    def exec_module(self, module):
        self.inner.exec_module(module)
        AFTER[self.name](module)

    def __getattr__(self, name):
        return getattr(self.inner, name)


class _Driver(importlib.abc.Loader):
    """Loads what stands for cuda.tile._load_libcuda."""

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        from . import driver
        module._cuGetProcAddress_v2 = driver.get_proc_address()
        module.cuGetProcAddress_v2_ptrptr = driver.get_proc_address_pointer()


class _Finder(importlib.abc.MetaPathFinder):
    busy = set()

    def find_spec(self, name, path, target=None):
        if name == LIBCUDA:
            return importlib.machinery.ModuleSpec(name, _Driver())
        if name not in AFTER or name in self.busy:
            return None
        self.busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy.discard(name)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, name)
        return spec


def install():
    """Makes the CPU the CUDA device of this process. It must come before cuda.tile is imported."""
    if any(isinstance(f, _Finder) for f in sys.meta_path):
        return
    if sys.platform == "win32":
        raise ServerError("cutile_cpu needs a Unix system: the server maps shared files there only")
    if "cuda.tile" in sys.modules:
        raise ServerError("cuda.tile is imported already: call cutile_cpu.install() before")
    if importlib.util.find_spec("cuda") is None or importlib.util.find_spec("cuda.tile") is None:
        raise ServerError("cuTile Python is needed: install the package cuda-tile")
    capability()  # a wrong setting is told here: the launcher would tell it in other words
    sys.meta_path.insert(0, _Finder())
    if "torch" in sys.modules:
        _torch(sys.modules["torch"])
