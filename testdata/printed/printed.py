"""Writes printed.jsonl: arrays, and what NumPy 2.4 prints for them. TestFormatNumPy reads it.

    python printed.py > printed.jsonl

Elements are bytes in hexadecimal digits; those of arrays without them are their indices.
"""
import json

import numpy as np


def case(x, precision=8, view=""):
    shape, data = x.shape, x
    if view == "T":
        x = x.T
    with np.printoptions(precision=precision):
        text = str(x)
    row = {"type": x.dtype.name, "shape": shape, "precision": precision, "view": view, "text": text}
    if data.size <= 200:
        row["data"] = data.tobytes().hex()
    print(json.dumps(row))


rng = np.random.default_rng(7)
for dtype in (np.float32, np.float64, np.float16):
    case(np.array([1, 2.5, 3.25, -4], dtype))
    case(np.array([[0.1, 0.2], [1 / 3, 100]], dtype))
    case(np.array([[1, 2, 3], [4, 5, 6]], dtype), view="T")
    case(np.array([1e-5, 1, 2], dtype))
    case(np.array([1e-4, 0.05], dtype))
    case(np.array([0.001, 1], dtype))
    case(np.array([0.0005, 1], dtype))
    case(np.array([999, 1], dtype))
    case(np.array([1000, 2], dtype))
    case(np.array([60000, 61000], dtype))
    case(np.array([0, -0.0, 0], dtype))
    case(np.array([np.nan, np.inf, 1.5], dtype))
    case(np.array([np.nan, -np.inf, 100.125, -3], dtype))
    case(np.array([np.nan, np.inf], dtype))
    case(np.array([-np.inf, 1e-5], dtype))
    case(np.array([2 / 3, 1 / 3], dtype), precision=3)
    case(np.array([2 / 3e5, 1 / 3], dtype), precision=2)
    case(np.array([0.5, 2.5, 1.25], dtype), precision=0)
    case(rng.standard_normal((4, 5)).astype(dtype))
    case(rng.standard_normal((3, 17)).astype(dtype))
    case(rng.standard_normal((2, 2, 3)).astype(dtype))
    case((rng.standard_normal(40) * 10.0 ** rng.integers(-4, 4, 40)).astype(dtype))
    case(np.zeros((2, 0), dtype))
case(np.array([1e-300, 1e300]))
case(np.array([1.5e10, 2], np.float32))
case(np.array([1234567.5, 2], np.float32))
case(np.array([12345678.5, 2e5], np.float64))
case(np.array([5e-324, 1e-310]))
case(np.array([16777216, 16777218], np.float32))
for dtype in (np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64):
    case(np.array([[1, 22], [100, 4]], dtype))
case(np.array([-128, 127, 5], np.int8))
case(np.array([2**64 - 1, 0], np.uint64))
case(np.array([True, False, True]))
case(np.arange(100, dtype=np.int32))
case(np.arange(64, dtype=np.int16).reshape(2, 2, 4, 4))
case(np.arange(1000, dtype=np.int32).reshape(10, 100))
case(np.arange(1001, dtype=np.int32))
case(np.arange(12000, dtype=np.int32).reshape(100, 120))
case(np.arange(12000, dtype=np.int64).reshape(100, 120), view="T")
case(np.arange(12000, dtype=np.float32).reshape(4, 3000))
case(np.arange(8000, dtype=np.float64).reshape(20, 20, 20))
case(np.arange(2000, dtype=np.int32).reshape(2000, 1))
case(np.arange(16384, dtype=np.int32).reshape(4, 8, 8, 8, 8))
