"""Tile IR's floating-point types: bits to exact numbers, and exact numbers rounded once to bits.

A format is described by its precision, its least exponent and what lies above its largest number. check() holds that
description against NumPy's and ml_dtypes' own types, for every bit pattern where there are few enough of them.
"""

from dataclasses import dataclass

import ml_dtypes
import numpy as np

NEAREST, ZERO, DOWN, UP, APPROX, FULL, TO_INT, AWAY = range(8)


@dataclass
class Number:
    """An array of exact numbers: (-1)^neg * m * 2^e, or infinite, or NaN. m is of int64 or of Python's integers."""

    neg: np.ndarray
    m: np.ndarray
    e: np.ndarray
    inf: np.ndarray
    nan: np.ndarray

    def zero(self):
        return (self.m == 0) & ~self.inf & ~self.nan

    def finite(self):
        return ~self.inf & ~self.nan

    def signed(self):
        return np.where(self.neg, -self.m, self.m)


def exact(m, e, neg=None):
    """Finite numbers; the sign is that of m where it is not given."""
    no = np.zeros(len(m), bool)
    if neg is None:
        neg = np.asarray(m < 0, bool)
    return Number(neg, abs(m), np.broadcast_to(np.asarray(e, np.int64), len(m)), no, no)


def wide(a):
    """The same integers without a limit."""
    return a.astype(object)


length = np.frompyfunc(lambda x: x.bit_length(), 1, 1)


def bit_length(m):
    if m.dtype == object:
        return length(m).astype(np.int64)
    return np.frexp(m.astype(np.float64))[1].astype(np.int64)  # below 2^53


@dataclass(eq=False)
class Format:
    name: str
    store: type  # of the bits
    p: int  # precision
    emin: int  # exponent of the least normal number
    largest: int  # finite, as an ordinal
    inf: bool  # infinity follows on the largest number
    nan: int  # bits of NaN; where there is none, what NaN becomes
    signbit: int | None = None
    native: object = None  # NumPy's or ml_dtypes' type
    low: int = 0  # unused low bits
    first: int = 0  # ordinal of the bits 0
    has_nan: bool = True
    saturates: bool = False  # conversions give the largest number, not infinity

    def ordinals(self, bits):
        """Magnitudes in order, the one after the other one larger; 0 is zero."""
        mask = (1 << self.signbit) - 1 if self.signbit is not None else (1 << 8 * np.dtype(self.store).itemsize) - 1
        return ((bits.astype(np.uint64) & np.uint64(mask)) >> np.uint64(self.low)).astype(np.int64) + self.first

    def negative(self, bits):
        if self.signbit is None:
            return np.zeros(len(bits), bool)
        return (bits.astype(np.uint64) >> np.uint64(self.signbit) & np.uint64(1)) == 1

    def decode(self, bits):
        o = self.ordinals(bits)
        above = o - self.largest
        nan = (above > int(self.inf)) & self.has_nan
        field = np.maximum(o >> (self.p - 1), 1)
        m = o - ((field - 1) << (self.p - 1))
        special = above > 0
        return Number(self.negative(bits), np.where(special, 0, m), field - 1 + self.emin - self.p + 1,
                      special & ~nan, nan)

    def encode(self, x, mode, residual=False):
        """Round once. With residual, give also what is missing to the exact numbers, in steps of ordinals."""
        mode = NEAREST if mode in (APPROX, FULL) else mode
        neg = x.neg if self.signbit is not None else np.zeros(len(x.neg), bool)
        qmin = self.emin - self.p + 1
        e = np.where(x.m == 0, qmin, np.maximum(bit_length(x.m) + x.e - self.p, qmin))
        q, rest, one = split(x.m, e - x.e)
        tie = 2 * rest - one
        up = {
            NEAREST: (tie > 0) | (tie == 0) & (q % 2 == 1),
            AWAY: tie >= 0,
            ZERO: np.zeros(len(neg), bool),
            DOWN: neg & (rest > 0),
            UP: ~neg & (rest > 0),
        }[mode]
        up = np.asarray(up, bool)
        k, top = e - qmin, self.largest >> (self.p - 1)
        o = np.where(k < top, (q + up).astype(np.int64) + (np.minimum(k, top) << (self.p - 1)), self.largest + 1)
        stays = {NEAREST: neg & False, AWAY: neg & False, ZERO: ~(neg & False), DOWN: ~neg, UP: neg}[mode]
        over = self.largest if self.saturates else np.where(stays, self.largest, self.largest + 1)
        limit = self.largest if self.saturates else self.largest + 1
        out = np.where(x.inf, limit, np.where(o > self.largest, over, np.maximum(o, self.first)))
        bits = (out - self.first).astype(np.uint64) << np.uint64(self.low)
        if self.signbit is not None:
            bits |= neg.astype(np.uint64) << np.uint64(self.signbit)
        bits = np.where(x.nan, np.uint64(self.nan), bits).astype(self.store)
        if not residual:
            return bits
        missing = (rest / one).astype(np.float64) - up
        return bits, np.where(x.finite() & (o <= self.largest), missing, 0.0)

    def numbers(self, bits):
        """The values as float64, or whatever holds them all."""
        return self.native_values(bits).astype(np.float64)

    def native_values(self, bits):
        if self.native is None:
            return table_ue5m3()[bits]
        return bits.astype(self.store).view(self.native)


def split(m, s):
    """m as q*2^s + rest, for s <= 0 without a rest; one is 2^s."""
    right, left = np.maximum(s, 0), np.maximum(-s, 0)
    if m.dtype == object:
        right, left = wide(right), wide(left)
    else:
        right = np.minimum(right, 61)
    one = 1 << right
    q = m >> right
    return np.where(s > 0, q, m << left), m - (q << right), one


def table_ue5m3():
    """The values of fnv8E5M3FNU, which ml_dtypes lacks: CUDA's ue5m3, five exponent bits with bias 15, three of the
    fraction, no sign, no infinity, 0xff is NaN."""
    v = [m / 8 * 2.0**-14 for m in range(8)]
    v += [(1 + m / 8) * 2.0 ** (e - 15) for e in range(1, 32) for m in range(8)]
    v[255] = np.nan
    return np.array(v)


FORMATS = {
    f.name: f
    for f in [
        Format("f16", np.uint16, 11, -14, 0x7BFF, True, 0x7E00, 15, np.float16),
        Format("bf16", np.uint16, 8, -126, 0x7F7F, True, 0x7FC0, 15, ml_dtypes.bfloat16),
        Format("f32", np.uint32, 24, -126, 0x7F7FFFFF, True, 0x7FC00000, 31, np.float32),
        Format("tf32", np.uint32, 11, -126, 0x3FBFF, True, 0x7FC00000, 31, np.float32, low=13),
        Format("f64", np.uint64, 53, -1022, 0x7FEFFFFFFFFFFFFF, True, 0x7FF8000000000000, 63, np.float64),
        Format("f8e4m3fn", np.uint8, 4, -6, 0x7E, False, 0x7F, 7, ml_dtypes.float8_e4m3fn, saturates=True),
        Format("f8e5m2", np.uint8, 3, -14, 0x7B, True, 0x7F, 7, ml_dtypes.float8_e5m2, saturates=True),
        Format("f8e8m0fnu", np.uint8, 1, -127, 0xFF, False, 0xFF, None, ml_dtypes.float8_e8m0fnu, first=1,
               saturates=True),
        Format("f4e2m1fn", np.uint8, 2, 0, 0x7, False, 0x7, 3, ml_dtypes.float4_e2m1fn, has_nan=False,
               saturates=True),
        Format("fnv8e5m3fnu", np.uint8, 4, -14, 0xFE, False, 0xFF, saturates=True),
    ]
}


def samples(f):
    """All bits of a format, or many of them."""
    width = 8 * np.dtype(f.store).itemsize
    if f.name == "f4e2m1fn":
        return np.arange(16, dtype=np.uint8)
    if width <= 16:
        return np.arange(1 << width, dtype=f.store)
    bits = np.random.default_rng(1).integers(0, 1 << 64, 4096, np.uint64, endpoint=False) >> np.uint64(64 - width)
    return (bits >> np.uint64(f.low) << np.uint64(f.low)).astype(f.store)


def to_longdouble(x):
    """Exact numbers of at most 64 bits as NumPy's widest float."""
    v = np.ldexp(x.m.astype(np.longdouble), x.e)
    v = np.where(x.inf, np.longdouble(np.inf), np.where(x.nan, np.longdouble(np.nan), v))
    return np.where(x.neg, -v, v)


def from_longdouble(v):
    """NumPy's widest float as exact numbers."""
    frac, e = np.frexp(np.where(np.isfinite(v), np.abs(v), 0))
    high = np.floor(np.ldexp(frac, 32))
    low = np.ldexp(np.ldexp(frac, 32) - high, 32)
    m = wide(high.astype(np.int64)) << 32 | wide(low.astype(np.int64))
    return Number(np.signbit(v), m, e.astype(np.int64) - 64, np.isinf(v), np.isnan(v))


def check():
    """Compare the formats with the types that NumPy and ml_dtypes have."""
    for f in FORMATS.values():
        bits = samples(f)
        x, want = f.decode(bits), f.numbers(bits)
        got = to_longdouble(x)
        same = (got == want) & (np.signbit(got) == np.signbit(want)) | np.isnan(got) & np.isnan(want)
        if not same.all():
            raise AssertionError(f"{f.name}: bits {bits[~same][:5]} are {got[~same][:5]}, NumPy has {want[~same][:5]}")
        if f.native is None or f.low or f.first:
            continue
        source = FORMATS["f32"]
        bits = samples(source)
        near = FORMATS["f16"].numbers(samples(FORMATS["f16"])).astype(np.float32).view(np.uint32)
        bits = np.concatenate([bits, near, near + 1, near - 1])
        y = source.decode(bits)
        want = bits.view(np.float32).astype(f.native).view(f.store)
        got = f.encode(y, NEAREST)
        inside = f.ordinals(got) < f.largest if f.saturates else True  # ml_dtypes does not saturate
        bad = (got != want) & y.finite() & inside
        if bad.any():
            raise AssertionError(f"{f.name} of f32 {bits[bad][:5]} is {got[bad][:5]}, NumPy has {want[bad][:5]}")
