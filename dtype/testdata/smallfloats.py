"""Writes smallfloats.txt: float32 numbers and what ml_dtypes makes of them.

    pip install numpy==2.4.6 ml_dtypes==0.6.0
    python smallfloats.py > smallfloats.txt

A line holds the bits of a float32, then the bits of that number in each format, in the order of FORMATS.
"""
import ml_dtypes
import numpy as np

FORMATS = [ml_dtypes.float8_e4m3fn, ml_dtypes.float8_e5m2, ml_dtypes.float8_e8m0fnu, ml_dtypes.float4_e2m1fn]


def inputs():
    rng = np.random.default_rng(1)
    xs = [np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e30, -1e30, 1e-40, -1e-40], np.float32)]
    for f in FORMATS:
        values = np.arange(256, dtype=np.uint8).view(f).astype(np.float32)
        values = np.unique(values[np.isfinite(values)])
        middle = ((values[:-1].astype(np.float64) + values[1:]) / 2).astype(np.float32)
        for v in (values, middle):
            pick = v if len(v) < 80 else v[:: len(v) // 80]
            xs += [pick, np.nextafter(pick, np.float32(np.inf)), np.nextafter(pick, np.float32(-np.inf))]
    xs.append(rng.standard_normal(300).astype(np.float32))
    xs.append(np.exp2(rng.uniform(-130, 20, 100)).astype(np.float32))
    return np.unique(np.concatenate(xs).view(np.uint32)).view(np.float32)


x = inputs()
columns = [x.view(np.uint32)] + [x.astype(f).view(np.uint8) for f in FORMATS]
for row in zip(*columns):
    print(" ".join(f"{int(v):08x}" if i == 0 else f"{int(v):02x}" for i, v in enumerate(row)))
