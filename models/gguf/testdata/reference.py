"""Compares with pip's gguf.

reference.py blocks DIR     turns DIR/TYPE.blocks into DIR/TYPE.f32, and DIR/TYPE.source into DIR/TYPE.quantized
reference.py write FILE     writes a file and prints what it holds
reference.py read FILE...   prints a line for each file: what it holds, or the error
"""
import json
import os
import sys

import numpy as np
from gguf import GGMLQuantizationType, GGUFEndian, GGUFReader, GGUFValueType, GGUFWriter, quants


def blocks(folder):
    np.seterr(all="ignore")
    for name in sorted(os.listdir(folder)):
        kind, _, what = name.partition(".")
        path = os.path.join(folder, kind)
        if what == "blocks":
            t = GGMLQuantizationType[kind]
            quants.dequantize(np.fromfile(path + ".blocks", np.uint8), t).astype("<f4").tofile(path + ".f32")
        elif what == "source":
            quants.quantize(np.fromfile(path + ".source", "<f4"), GGMLQuantizationType[kind]).tofile(path + ".quantized")


def content(path):
    try:
        r = GGUFReader(path)
        values = {}
        for k, f in r.fields.items():
            if not k.startswith("GGUF."):
                v = f.contents()
                values[k] = [[t.name for t in f.types], v]
        tensors = [[t.name, t.tensor_type.name, [int(x) for x in reversed(t.shape)], t.data.tobytes().hex()] for t in r.tensors]
        return {"values": values, "tensors": tensors}
    except Exception as e:
        return {"error": f"{type(e).__name__}: {e}"}


def write(path, endian=GGUFEndian.LITTLE):
    w = GGUFWriter(path, "llama", endianess=endian)
    for kind, v in (("uint8", 255), ("int8", -128), ("uint16", 65535), ("int16", -2), ("uint32", 1 << 31), ("int32", -3), ("uint64", 1 << 63),
                    ("int64", -(1 << 40)), ("float32", 1.5), ("float64", -1e300), ("bool", True), ("string", "h\u00e9\n")):
        getattr(w, "add_" + kind)("v." + kind, v)
    w.add_array("a.ints", [1, -2, 3])
    w.add_array("a.texts", ["", "x", "\u00e9"])
    w.add_array("a.floats", [0.5, -0.25])
    w.add_array("a.bools", [True, False])
    if endian == GGUFEndian.LITTLE:
        w.add_custom_alignment(64)
    w.add_tensor("t.f32", np.arange(6, dtype=np.float32).reshape(2, 3))
    w.add_tensor("t.f16", np.arange(5, dtype=np.float16))
    w.add_tensor("t.i8", np.arange(-3, 4, dtype=np.int8))
    w.add_tensor("t.i64", np.arange(2, dtype=np.int64))
    w.add_tensor("t.q8", quants.quantize(np.linspace(-1, 2, 128, dtype=np.float32).reshape(2, 64), GGMLQuantizationType.Q8_0),
                 raw_dtype=GGMLQuantizationType.Q8_0)
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


if sys.argv[1] == "blocks":
    blocks(sys.argv[2])
elif sys.argv[1] == "write":
    write(sys.argv[2])
    write(sys.argv[2] + ".big", GGUFEndian.BIG)
    print(json.dumps(content(sys.argv[2])))
else:
    for path in sys.argv[2:]:
        print(json.dumps(content(path)))
