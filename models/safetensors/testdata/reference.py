"""Reads and writes files with pip's safetensors.

reference.py write DIR    writes a file with every type to DIR/all.safetensors and prints what it holds
reference.py read FILE... prints a line for each file: what it holds, or the error
"""
import ctypes
import json
import random
import sys

from safetensors import TensorSpec, deserialize, safe_open, serialize

SIZES = {"bool": 8, "uint8": 8, "int8": 8, "int16": 16, "uint16": 16, "float16": 16, "bfloat16": 16, "int32": 32, "uint32": 32, "float32": 32,
         "complex64": 64, "float64": 64, "int64": 64, "uint64": 64, "float8_e4m3fn": 8, "float8_e5m2": 8, "float8_e8m0fnu": 8,
         "float8_e4m3fnuz": 8, "float8_e5m2fnuz": 8, "float4_e2m1fn_x2": 8}
SHAPES = [[], [0], [3], [2, 5], [4, 1, 3], [2, 0, 7]]


def content(path):
    """What a file holds. Both ways of reading must take it."""
    with open(path, "rb") as f:
        data = f.read()
    try:
        tensors = {name: [t["dtype"], list(t["shape"]), bytes(t["data"]).hex()] for name, t in deserialize(data)}
        with safe_open(path, "numpy") as f:
            return {"tensors": tensors, "metadata": f.metadata() or {}}
    except Exception as e:
        return {"error": str(e) or repr(e)}


def write(path):
    rnd = random.Random(1)
    tensors, left_out, buffers = {}, [], []
    for name, bits in SIZES.items():
        for i, shape in enumerate(SHAPES):
            if name.endswith("_x2") and not shape:
                continue  # half a byte
            size = bits // 8
            for dim in shape:
                size *= dim
            data = bytes(rnd.randrange(2 if name == "bool" else 256) for _ in range(size))
            buffers.append(ctypes.create_string_buffer(data, max(size, 1)))  # TensorSpec does not keep it alive
            key = f"{name}.{i} \u00e9\"\\<&>\n\u2028\U0001f600"
            try:
                tensors[key] = TensorSpec(dtype=name, shape=shape, data_ptr=ctypes.addressof(buffers[-1]), data_len=size)
            except Exception as e:
                left_out.append(f"{name} {shape}: {e}")
    with open(path, "wb") as f:
        f.write(serialize(tensors, {"format": "pt \u00e9\"\\<&>\u0001"}))
    print(json.dumps(content(path) | {"left_out": left_out}))


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    for path in sys.argv[2:]:
        print(json.dumps(content(path)))
