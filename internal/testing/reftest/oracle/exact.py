"""Float arithmetic that is exact until one rounding, element by element, with Python's fractions.

NumPy rounds to the nearest only, and to float64 first.  That gives the right float32 for one sum, product, quotient or
root rounded to the nearest (53 >= 2*24+2 bits), so only directed roundings and fused operations take the slow way."""
import math
from fractions import Fraction
import numpy as np
from formats import FLOATS


def rounded(v, fmt, mode):
    """The Fraction v, not zero, as a number of the format."""
    n, d = abs(v.numerator), v.denominator
    e = n.bit_length() - d.bit_length()
    if Fraction(n, d) < Fraction(2) ** e:
        e -= 1
    unit = max(e, fmt.least) - (fmt.precision - 1)
    whole, rest = divmod(v / Fraction(2) ** unit, 1)
    half = Fraction(1, 2)
    up = {'RM': False, 'RP': rest > 0, 'RZ': rest > 0 and v < 0,
          'RN': rest > half or rest == half and whole % 2 == 1}[mode]
    out = Fraction(whole + up) * Fraction(2) ** unit
    if abs(out) > Fraction(fmt.greatest):
        return float(fmt._overflow(np.float64(math.copysign(1, v)), mode))
    return math.copysign(float(out), v)


def _root(a):
    """A Fraction that rounds as the square root of a does: 80 bits of it and whether it goes on."""
    shift = max(0, 160 - a.numerator.bit_length() + a.denominator.bit_length())
    shift += shift % 2
    square = a * 2 ** shift
    r = math.isqrt(square.numerator // square.denominator)
    return (r + Fraction(0 if r * r == square else 1, 2)) / 2 ** (shift // 2)


EXACT = dict(add=lambda a, b: a + b, sub=lambda a, b: a - b, mul=lambda a, b: a * b, truediv=lambda a, b: a / b,
             sqrt=_root, fma=lambda a, b, c: a * b + c)
NEAR = dict(add=np.add, sub=np.subtract, mul=np.multiply, truediv=np.divide, sqrt=np.sqrt,
            fma=lambda a, b, c: a * b + c)


def compute(op, dt, mode, *args):
    """op of float64 numbers that are values of type dt, rounded to dt in the mode."""
    fmt = FLOATS[dt]
    near = NEAR[op](*args)
    if mode == 'RN' and op != 'fma':
        return fmt.round(near)
    shape = near.shape
    columns = [np.broadcast_to(a, shape).ravel().tolist() for a in args]
    out = near.ravel().copy()
    for i, row in enumerate(zip(*columns)):
        if not all(map(math.isfinite, row)) or not math.isfinite(out[i]):
            continue
        v = EXACT[op](*map(Fraction, row))
        if v != 0:
            out[i] = rounded(v, fmt, mode)
        elif mode == 'RM' and _cancels(op, row):
            out[i] = -0.0
    return out.reshape(shape)


def _cancels(op, row):
    """Whether a sum is zero because its terms cancel, which is -0 when rounding down."""
    if op not in ('add', 'sub', 'fma'):
        return False
    a, b = row if op != 'fma' else (row[0] * row[1], row[2])
    b = -b if op == 'sub' else b
    return a != 0 or math.copysign(1, a) != math.copysign(1, b)
