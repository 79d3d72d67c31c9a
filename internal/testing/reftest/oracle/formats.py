"""Element types of tiles: their names, what they are called in files, and how floats are rounded and stored.

A tile's floats are held as float64 numbers that are exactly values of the element type, so that a result is computed in
float64, or exactly where that is not enough (exact.py), and rounded once.  Integers and i1 are held as NumPy's own."""
import numpy as np


class Float:
    """A binary float format: precision with the leading bit, smallest normal exponent, greatest number."""

    def __init__(self, bits, precision, least, greatest, *, signed=True, infinite=True, nan=None, saturates=False):
        self.bits, self.precision, self.least, self.greatest = bits, precision, least, greatest
        self.signed, self.infinite, self.nan, self.saturates = signed, infinite, nan, saturates

    def round(self, x, mode='RN'):
        """Round float64 numbers to the format's numbers.  mode: RN, RZ, RM (down), RP (up) or RA (ties away)."""
        x = np.asarray(x, np.float64)
        if self.precision == 53:
            return x
        if self.precision == 24 and mode == 'RN':
            return x.astype(np.float32).astype(np.float64)
        finite = np.isfinite(x)
        f = np.where(finite, x, 0.0)
        unit = np.maximum(np.frexp(f)[1] - 1, self.least) - (self.precision - 1)
        scaled = np.ldexp(f, -unit)
        n = np.floor(scaled) + _up(scaled, np.floor(scaled), mode)
        out = np.copysign(np.ldexp(n, unit), f)
        if self.precision == 1:
            out = np.maximum(out, 2.0 ** self.least)             # there is no zero
        out = np.where(np.abs(out) > self.greatest, self._overflow(out, mode), out)
        special = np.copysign(self.greatest, x) if self.saturates else x
        return np.where(finite, out, np.where(np.isnan(x), x, special))

    def _overflow(self, x, mode):
        to_inf = {'RN': True, 'RA': True, 'RZ': False, 'RM': x < 0, 'RP': x > 0}[mode]
        edge = self.greatest if self.saturates or not self.infinite else np.where(to_inf, np.inf, self.greatest)
        return np.copysign(edge, x)

    def numbers(self):
        """The number of each code of a format of eight bits or fewer; NaN where a code is none or infinite."""
        codes = np.arange(1 << self.bits)
        magnitude = codes & ((1 << (self.bits - 1)) - 1) if self.signed else codes
        top = self.precision - 1
        exponent, fraction = magnitude >> top, magnitude & ((1 << top) - 1)
        if self.precision == 1:                                   # only exponents, and no zero
            out = np.ldexp(1.0, exponent + self.least)
        else:
            out = np.ldexp(fraction + np.where(exponent > 0, 1 << top, 0),
                           np.maximum(exponent, 1) - 1 + self.least - top)
        out = np.where(out > self.greatest, np.where(self.infinite & (fraction == 0), np.inf, np.nan), out)
        return np.where(magnitude == codes, out, -out)


def _up(scaled, n, mode):
    """Whether rounding goes up from the integer n below."""
    rest = scaled - n
    if mode == 'RM':
        return 0
    if mode == 'RP':
        return rest > 0
    if mode == 'RZ':
        return (rest > 0) & (scaled < 0)
    tie = n % 2 == 1 if mode == 'RN' else scaled > 0
    return (rest > 0.5) | ((rest == 0.5) & tie)


FLOATS = dict(
    f64=Float(64, 53, -1022, np.finfo(np.float64).max),
    f32=Float(32, 24, -126, float(np.finfo(np.float32).max)),
    tf32=Float(32, 11, -126, (2 - 2.0 ** -10) * 2.0 ** 127),
    bf16=Float(16, 8, -126, (2 - 2.0 ** -7) * 2.0 ** 127),
    f16=Float(16, 11, -14, 65504.0),
    # Conversions to formats of eight bits or fewer saturate: PTX has no others (cvt.satfinite).
    e5m2=Float(8, 3, -14, 57344.0, nan=0x7f, saturates=True),
    e4m3=Float(8, 4, -6, 448.0, infinite=False, nan=0x7f, saturates=True),
    e5m3=Float(8, 4, -14, 114688.0, signed=False, infinite=False, nan=0xff, saturates=True),
    e8m0=Float(8, 1, -127, 2.0 ** 127, signed=False, infinite=False, nan=0xff, saturates=True),
    e2m1=Float(4, 2, 0, 6.0, infinite=False, saturates=True),
)
INTS = {f'{s}{n}': np.dtype(f'{"int" if s == "i" else "uint"}{n}') for s in 'iu' for n in (8, 16, 32, 64)}
STORED = dict(f64=np.float64, f32=np.float32, tf32=np.float32, f16=np.float16, bf16=np.uint16, e5m2=np.uint8,
              e4m3=np.uint8, e5m3=np.uint8, e8m0=np.uint8, e2m1=np.uint8, b1=np.bool_, **INTS)
IN_FILES = dict(b1='i1', e4m3='f8E4M3FN', e5m2='f8E5M2', e8m0='f8E8M0FNU')      # as the case's type, where it differs


UNDETERMINED = 0x55                                     # an integer where a kernel must not depend on which


def is_float(dt):
    return dt in FLOATS


def is_int(dt):
    return dt in INTS


def convert(values, dt, mode='RN'):
    """Values of one type as values of type dt, which keeps numbers: floats are rounded, integers wrap."""
    a = np.asarray(values)
    if is_float(dt):
        if a.dtype.kind in 'iu' and a.size and max(abs(int(a.max())), abs(int(a.min()))) >= 2 ** 53:
            assert dt in ('f32', 'f64'), 'would be rounded twice'
            return a.astype(STORED[dt]).astype(np.float64)
        return FLOATS[dt].round(a, mode)
    if dt == 'b1':
        return a != 0
    if a.dtype.kind == 'f':
        whole, limits = np.trunc(a), np.iinfo(INTS[dt])
        whole = np.where(np.isnan(a), UNDETERMINED, whole)
        assert np.all((whole >= limits.min) & (whole <= limits.max)), 'out of range: the result is undefined'
        return whole.astype(INTS[dt])
    return a.astype(INTS[dt])


def encode(values, dt):
    """Values of type dt as they lie in memory."""
    if dt == 'bf16':
        bits = np.asarray(values).astype(np.float32).view(np.uint32)
        return np.where(np.isnan(values), 0x7fff, bits >> 16).astype(np.uint16)
    f = FLOATS.get(dt)
    if f is None or f.bits > 8:
        return np.asarray(values).astype(STORED[dt])
    numbers = f.numbers()
    positive = numbers[~np.isnan(numbers) & ~np.signbit(numbers)]           # ascending, and codes count from zero
    codes = np.minimum(np.searchsorted(positive, np.abs(values)), len(positive) - 1)
    if f.signed:
        codes = codes | (np.signbit(values).astype(np.int64) << (f.bits - 1))
    if f.nan is not None:
        codes = np.where(np.isnan(values), f.nan, codes)
    return codes.astype(np.uint8)


def decode(stored, dt):
    """What lies in memory as values of type dt."""
    if dt == 'bf16':
        return (stored.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    f = FLOATS.get(dt)
    if f is None:
        return stored.copy()
    return f.numbers()[stored] if f.bits <= 8 else stored.astype(np.float64)
