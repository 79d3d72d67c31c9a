"""A CUDA driver on the CPU, as far as cuTile Python's launcher asks one.

The launcher is a C extension. It derives the signature of a kernel, asks the compiler for a "cubin" (here: bytecode in a
small container), flattens the arguments and calls driver functions, which it finds by cuGetProcAddress. Here these are
callbacks of ctypes. Device addresses are addresses of this process; the server translates them.
"""
import ctypes
import os
import struct
import sys
import threading
import traceback

from . import arrays
from .server import FAILED, HOLDS_ADDRESSES, KernelError, Server, ServerError, capability

MAGIC = b"CUTILCPU"

INVALID_VALUE, INVALID_DEVICE, INVALID_IMAGE, NOT_FOUND, LAUNCH_FAILED, NOT_SUPPORTED = 1, 101, 200, 500, 719, 801

server = Server()
launches = []         # of tests that watch: a function that is called with each launch as a dictionary
_functions = {}       # name -> C function
_objects = {}         # handle -> object
_allocations = {}     # address -> memory
_texts = {}           # of errors, which C code has pointers to
_state = threading.local()


def container(bytecode):
    """What stands for a cubin."""
    return MAGIC + struct.pack("<Q", len(bytecode)) + bytecode


def put(pointer, value, type=ctypes.c_void_p):
    ctypes.cast(pointer, ctypes.POINTER(type))[0] = value


def handle(x):
    h = 0x1000 + 16 * (len(_objects) + 1)
    _objects[h] = x
    return h


def watch(**record):
    for f in launches:
        f(record)


def driver(f):
    """Registers a driver function. What it raises becomes an error with a text."""
    def call(*args):
        try:
            return f(*args) or 0
        except (KernelError, ServerError) as e:
            _state.message = str(e)
        except BaseException as e:
            _state.message = f"cutile_cpu: {type(e).__name__}: {e}"
            if os.environ.get("CUTILE_CPU_DEBUG"):
                traceback.print_exc()
        return LAUNCH_FAILED
    add(f.__name__, call, f.__code__.co_argcount)
    return f


def add(name, call, arguments):
    _functions[name] = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_size_t] * arguments)(call)


# Functions that have nothing to do here, with how many arguments they take.
for _name, _n in dict(cuInit=1, cuKernelSetAttribute=4, cuCtxSetCurrent=1, cuCtxPushCurrent=1, cuCtxSynchronize=0, cuStreamSynchronize=1,
                      cuStreamWaitEvent=3, cuEventQuery=1, cuEventRecord=2, cuGraphDestroy=1, cuGraphExecDestroy=1, cuGraphLaunch=2).items():
    add(_name, lambda *args: 0, _n)

# Functions that give a number by their first argument: its type and value, and how many arguments they take.
for _name, (_n, _type, _value) in dict(
        cuDriverGetVersion=(1, ctypes.c_int, 13040), cuKernelGetAttribute=(4, ctypes.c_int, 0), cuDeviceGetCount=(1, ctypes.c_int, 1),
        cuDevicePrimaryCtxRetain=(2, ctypes.c_void_p, 1), cuCtxGetCurrent=(1, ctypes.c_void_p, 1), cuCtxGetDevice=(1, ctypes.c_int, 0),
        cuEventElapsedTime=(3, ctypes.c_float, 1.0)).items():
    add(_name, lambda p, *args, type=_type, value=_value: put(p, value, type) or 0, _n)

# Functions that make an object of which only the handle counts.
for _name, _n in dict(cuStreamCreate=2, cuEventCreate=2, cuGraphCreate=2, cuGraphAddEventRecordNode=5, cuGraphAddMemsetNode=6,
                      cuGraphAddMemAllocNode=5, cuGraphAddMemFreeNode=5, cuGraphInstantiateWithFlags=3).items():
    add(_name, lambda p, *args, name=_name: put(p, handle(name)) or 0, _n)


@driver
def cuGetErrorString(code, p):
    text = getattr(_state, "message", "") if code == LAUNCH_FAILED else f"CUDA error {code}"
    b = _texts.setdefault(text, ctypes.create_string_buffer(text.encode()))
    put(p, ctypes.addressof(b))


@driver
def cuDeviceGet(p, n):
    if n:
        return INVALID_DEVICE
    put(p, 0, ctypes.c_int)


# Attributes of a device, by number; the others are 1.
ATTRIBUTES = {1: 1024, 5: 2147483647, 6: 65535, 7: 65535, 10: 32, 16: 148, 38: 128 << 20, 97: 232448}


@driver
def cuDeviceGetAttribute(p, attribute, device):
    major, minor = capability()
    put(p, {**ATTRIBUTES, 75: major, 76: minor}.get(attribute & 0xffffffff, 1), ctypes.c_int)


@driver
def cuCtxPopCurrent(p):
    put(p, 1)


@driver
def cuCtxGetDevice_v2(p, context):
    put(p, 0, ctypes.c_int)


@driver
def cuCtxGetId(context, p):
    put(p, 1, ctypes.c_uint64)


@driver
def cuPointerGetAttribute(p, attribute, address):
    put(p, 1)


@driver
def cuStreamGetCtx(stream, p):
    put(p, 1)


@driver
def cuStreamGetId(stream, p):
    put(p, stream, ctypes.c_uint64)


@driver
def cuStreamIsCapturing(stream, p):
    put(p, 0, ctypes.c_int)


@driver
def cuLibraryLoadData(p, code, a, b, n, c, d, m):
    if ctypes.string_at(code, 8) != MAGIC:
        return INVALID_IMAGE
    size, = struct.unpack("<Q", ctypes.string_at(code + 8, 8))
    bytecode = ctypes.string_at(code + 16, size)
    try:
        server.load(bytecode)
    except KernelError as e:
        watch(bytecode=bytecode, error=str(e))
        raise
    put(p, handle(bytecode))


@driver
def cuLibraryGetKernel(p, library, name):
    bytecode, name = _objects[library], ctypes.string_at(name).decode()
    if name not in server.load(bytecode).entries:
        return NOT_FOUND
    put(p, handle((bytecode, name)))


@driver
def cuKernelGetFunction(p, kernel):
    put(p, kernel)


def allocate(p, n):
    raw = ctypes.create_string_buffer(n + 256)
    address = ctypes.addressof(raw) + 255 & ~255
    _allocations[address] = raw
    put(p, address)
    return 0


add("cuMemAlloc", allocate, 2)
add("cuMemAllocHost", allocate, 2)


@driver
def cuMemcpyHtoDAsync(target, source, n, stream):
    """The launcher uses it for lists of arrays, just before it launches."""
    ctypes.memmove(target, source, n)
    _state.staged = getattr(_state, "staged", []) + [(target, n)]


@driver
def cuLaunchKernelEx(config, kernel, params, extra):
    return launch(kernel, struct.unpack("<3I", ctypes.string_at(config, 12)), params)


@driver
def cuLaunchKernel(kernel, gx, gy, gz, bx, by, bz, shared, stream, params, extra):
    return launch(kernel, (gx, gy, gz), params)


@driver
def cuGraphAddKernelNode(p, graph, dependencies, n, params):
    """Graphs are made to measure one kernel: it is launched when it is added. The fields are those of
    CUDA_KERNEL_NODE_PARAMS."""
    function, gx, gy, gz, _, _, _, _, args, _, kernel, _ = struct.unpack("<Q7I4xQQQQ", ctypes.string_at(params, 72))
    put(p, handle("node"))
    return launch(function or kernel, (gx, gy, gz), args)


# What may run when the interpreter has ended, and callbacks with it, is a C function that gives 0.
_nothing = ctypes.CDLL(None).sched_yield
for _name in ("cuLibraryUnload", "cuEventDestroy", "cuStreamDestroy", "cuCtxPopCurrent", "cuMemFree", "cuMemFreeHost"):
    _functions[_name] = _nothing

LIMITS = (2147483647, 65535, 65535)  # of a grid


def launch(kernel, grid, params):
    if 0 in grid or any(g > m for g, m in zip(grid, LIMITS)):
        return INVALID_VALUE
    bytecode, name = _objects[kernel]
    n = len(server.load(bytecode).entries[name])
    at = ctypes.cast(params, ctypes.POINTER(ctypes.c_size_t))
    words = [struct.unpack("<Q", ctypes.string_at(at[i], 8))[0] for i in range(n)]
    staged, _state.staged = getattr(_state, "staged", []), []
    memory = getattr(_state, "memory", None) or arrays.alive()
    regions = memory.regions() + [(a, n, HOLDS_ADDRESSES) for a, n in staged]
    record = dict(bytecode=bytecode, name=name, grid=grid)
    try:
        show(server.run(bytecode, name, grid, words, regions))
    except KernelError as e:
        record["error"] = str(e)
        show(e.printed)
        if e.code == FAILED and "assertion failed" in str(e):  # as a GPU does
            show(("assertion failed" + str(e).partition("assertion failed")[2].splitlines()[0] + "\n").encode())
        raise
    finally:
        watch(**record)
    return 0


def show(printed):
    if printed:
        sys.stdout.flush()
        os.write(1, printed)


def entry_point(real, position):
    """A function of the launcher that launches, with the kernel's arguments at a position."""
    def launching(*args, **options):
        args = list(args)
        if args and args[0] is None:
            args[0] = 0  # a program without torch has no stream
        outer = getattr(_state, "memory", None)
        if len(args) > position:
            args[position] = arrays.wrap(args[position])
            _state.memory, _state.staged = arrays.Memory(args[position]), []
        try:
            return real(*args, **options)
        finally:
            _state.memory = outer
    launching.__name__, launching.__doc__ = real.__name__, real.__doc__
    return launching


def _unsupported(*args):
    return NOT_SUPPORTED


def _find(name, p, version, flags, status):
    """cuGetProcAddress: what is not there says that it is not supported."""
    name = ctypes.string_at(name).decode()
    if name not in _functions:
        add(name, _unsupported, 4)
    put(p, ctypes.cast(_functions[name], ctypes.c_void_p).value)
    return 0


_find_c = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_size_t] * 5)(_find)


class _Untyped(ctypes._CFuncPtr):
    """A function without argument types, as ctypes gives those of a library."""
    _flags_, _restype_ = ctypes._FUNCFLAG_CDECL, ctypes.c_int


def get_proc_address():
    return _Untyped(ctypes.cast(_find_c, ctypes.c_void_p).value)


def get_proc_address_pointer():
    """The address of a pointer to cuGetProcAddress."""
    return ctypes.addressof(_find_c)
