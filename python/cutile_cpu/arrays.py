"""The arrays among a kernel's arguments: how the launcher sees them, and what memory they lie in."""
import ctypes
import dataclasses
import gc
import sys

import numpy as np

from .server import CONSTANT

CUDA = 2  # DLPack's kDLCUDA

# DLPack's codes of element types, by NumPy's kind or, for those of ml_dtypes, by name.
KINDS = {"b": 6, "i": 0, "u": 1, "f": 2}
NAMES = {"bfloat16": 4, "float8_e4m3fn": 10, "float8_e5m2": 12, "float8_e8m0fnu": 14}


class DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device_type", ctypes.c_int32), ("device_id", ctypes.c_int32),
                ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64), ("context", ctypes.c_void_p), ("deleter", ctypes.CFUNCTYPE(None, ctypes.c_void_p))]


_capsule = ctypes.pythonapi.PyCapsule_New
_capsule.restype, _capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]


def tensor_of(capsule):
    """The DLTensor of a capsule."""
    return DLTensor.from_address(_pointer(capsule, b"dltensor"))


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _delete(address):
    """The array that is seen lives longer than the launch."""


class NumPyArgument:
    """A NumPy array as an argument of a kernel: it says that it lies on a CUDA device."""

    def __init__(self, array):
        dtype = array.dtype
        code = NAMES.get(dtype.name, KINDS.get(dtype.kind))
        if code is None or not dtype.isnative:
            raise TypeError(f"cutile_cpu: kernels take no arrays of {dtype}")
        if any(s % dtype.itemsize for s in array.strides):
            raise TypeError(f"cutile_cpu: the strides {array.strides} of an array of {dtype} are no multiples of {dtype.itemsize} bytes")
        n = array.ndim
        shape, strides = (ctypes.c_int64 * n)(*array.shape), (ctypes.c_int64 * n)(*(s // dtype.itemsize for s in array.strides))
        self.array, self.keep = array, (shape, strides)
        pointer = ctypes.POINTER(ctypes.c_int64)
        self.tensor = DLTensor(array.__array_interface__["data"][0], CUDA, 0, n, code, 8 * dtype.itemsize, 1,
                               ctypes.cast(shape, pointer), ctypes.cast(strides, pointer), 0, None, _delete)

    def __dlpack__(self, stream=None, **options):
        return _capsule(ctypes.addressof(self.tensor), b"dltensor", None)

    def __dlpack_device__(self):
        return CUDA, 0


def wrap(x):
    """The argument with every NumPy array in it wrapped."""
    if isinstance(x, np.ndarray):
        return NumPyArgument(x)
    if type(x) in (tuple, list):
        return type(x)(wrap(y) for y in x)
    if isinstance(x, tuple) and hasattr(x, "_fields"):
        return type(x)(*map(wrap, x))
    if dataclasses.is_dataclass(x) and not isinstance(x, type):
        fields = {f.name: getattr(x, f.name) for f in dataclasses.fields(x) if f.init}
        changed = {k: w for k, v in fields.items() if (w := wrap(v)) is not v and holds_numpy(v)}
        return dataclasses.replace(x, **changed) if changed else x
    return x


def holds_numpy(x):
    return isinstance(x, np.ndarray) or isinstance(x, (tuple, list)) and any(map(holds_numpy, x)) \
        or dataclasses.is_dataclass(x) and not isinstance(x, type) and any(holds_numpy(getattr(x, f.name)) for f in dataclasses.fields(x))


def alive():
    """The memory of every tensor of torch: for programs that give addresses to the driver themselves."""
    torch = sys.modules.get("torch")
    return Memory([x for x in gc.get_objects() if issubclass(type(x), torch.Tensor)] if torch else [])


class Memory:
    """The memory that the arguments of a launch reach, as (address, bytes, flags)."""

    def __init__(self, args):
        self.found, self.keep, self.seen = [], [], set()
        self.visit(args)

    def add(self, address, size, flags=0, keep=None):
        self.found.append((address, size, flags))
        self.keep.append(keep)

    def visit(self, x):
        if isinstance(x, (int, float, str, bytes, type)) or x is None or id(x) in self.seen:
            return
        self.seen.add(id(x))
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(x, torch.Tensor):
            s = x.untyped_storage()
            self.add(s.data_ptr(), s.nbytes(), 0, s)
        elif isinstance(x, NumPyArgument):
            self.numpy(x.array)
        elif isinstance(x, (tuple, list)):
            for y in x:
                self.visit(y)
        elif isinstance(x, dict):
            for y in x.values():
                self.visit(y)
        elif hasattr(x, "__dlpack__"):
            self.dlpack(x)
        elif hasattr(x, "__cuda_array_interface__"):
            self.interface(x)
        elif hasattr(x, "__dict__"):  # a dataclass, or another aggregate
            for y in vars(x).values():
                self.visit(y)

    def numpy(self, array):
        while isinstance(array.base, np.ndarray):
            array = array.base
        lo, hi = _bounds(array)
        self.add(lo, hi - lo, 0 if array.flags.writeable else CONSTANT, array)

    def dlpack(self, x):
        capsule = x.__dlpack__(stream=-1)
        t = tensor_of(capsule)
        shape = [t.shape[i] for i in range(t.ndim)]
        strides = [t.strides[i] for i in range(t.ndim)] if t.strides else None
        self.strided((t.data or 0) + t.byte_offset, shape, strides, t.bits * t.lanes + 7 >> 3, capsule)

    def interface(self, x):
        i = x.__cuda_array_interface__
        size = int(i["typestr"][2:])
        strides = i.get("strides")
        self.strided(i["data"][0], i["shape"], strides and [s // size for s in strides], size, x)

    def strided(self, address, shape, strides, size, keep):
        if 0 in shape:
            return self.add(address, 0)
        if strides is None:
            n = 1
            for d in shape:
                n *= d
            return self.add(address, n * size, 0, keep)
        reach = [(d - 1) * s for d, s in zip(shape, strides)]
        lo = sum(r for r in reach if r < 0)
        self.add(address + lo * size, (sum(map(abs, reach)) + 1) * size, 0, keep)

    def regions(self):
        """What was found, without overlaps."""
        out = []
        for address, size, flags in sorted(self.found):
            if out and address < out[-1][0] + out[-1][1]:
                a, n, f = out[-1]
                out[-1] = (a, max(n, address + size - a), f & flags)
            else:
                out.append((address, size, flags))
        return out



try:
    _bounds = np.lib.array_utils.byte_bounds
except AttributeError:  # before NumPy 2
    _bounds = np.byte_bounds
