"""Operations on floats: arithmetic with exact integers, rounded once; functions in NumPy's widest float."""

import math

import numpy as np

from formats import DOWN, FORMATS, NEAREST, Number, from_longdouble, length, split, to_longdouble, wide

_isqrt = np.frompyfunc(math.isqrt, 1, 1)


def unlimited(x):
    return Number(x.neg, wide(x.m), wide(x.e), x.inf, x.nan)


def number(neg, m, e, inf, nan):
    """A result: what is NaN or infinite has no digits."""
    inf = inf & ~nan
    return Number(neg, np.where(inf | nan, 0, m), e.astype(np.int64), inf, nan)


def add(a, b, mode):
    e = np.minimum(a.e, b.e)
    m = (a.signed() << (a.e - e)) + (b.signed() << (b.e - e))
    nan = a.nan | b.nan | a.inf & b.inf & (a.neg != b.neg)
    inf = a.inf | b.inf
    neg = np.where(inf, np.where(a.inf, a.neg, b.neg), np.asarray(m < 0, bool))
    cancelled = (m == 0) & ~inf
    both = a.zero() & b.zero() & (a.neg == b.neg)  # zeros of one sign keep it
    neg = np.where(cancelled, np.where(both, a.neg, mode == DOWN), neg)
    return number(neg, abs(m), e, inf, nan)


def negated(x):
    return Number(~x.neg, x.m, x.e, x.inf, x.nan)


def mul(a, b):
    nan = a.nan | b.nan | a.inf & b.zero() | a.zero() & b.inf
    return number(a.neg != b.neg, a.m * b.m, a.e + b.e, a.inf | b.inf, nan)


def div(a, b):
    """The quotient with 60 bits and one more that says whether anything is missing."""
    nan = a.nan | b.nan | a.inf & b.inf | a.zero() & b.zero()
    divisor = np.where(b.m == 0, 1, b.m)
    k = np.maximum(length(divisor) - length(a.m) + 60, 0)
    shifted = a.m << k
    q = shifted // divisor
    m = 2 * q + (q * divisor != shifted)
    return number(a.neg != b.neg, np.where(b.inf, 0, m), a.e - b.e - k - 1, a.inf | b.zero(), nan)


def sqrt(a):
    nan = a.nan | a.neg & ~a.zero()
    k = np.maximum(122 - length(a.m), 0)
    k = k + (a.e - k) % 2
    shifted = a.m << k
    r = _isqrt(shifted)
    return number(a.neg, 2 * r + (r * r != shifted), (a.e - k) // 2 - 1, a.inf, nan)


def rem(a, b):
    """C's fmod: the sign of a."""
    nan = a.nan | b.nan | a.inf | b.zero()
    e = np.minimum(a.e, b.e)
    divisor = np.where(b.m == 0, 1, b.m << (b.e - e))
    m = np.where(b.inf, a.m << (a.e - e), (a.m << (a.e - e)) % divisor)
    return number(a.neg, m, e, a.inf & False, nan)


def integral(x, up):
    """The next integer below, or above."""
    q, rest, _ = split(x.m, -x.e)
    away = (rest > 0) & (x.neg != up)
    return number(x.neg, q + away, np.where(x.finite(), 0, x.e), x.inf, x.nan)


ARITHMETIC = {
    "addf": lambda a, b, mode: add(a, b, mode),
    "subf": lambda a, b, mode: add(a, negated(b), mode),
    "mulf": lambda a, b, mode: mul(a, b),
    "divf": lambda a, b, mode: div(a, b),
    "fma": lambda a, b, c, mode: add_product(mul(a, b), c, mode),
    "sqrt": lambda a, mode: sqrt(a),
    "remf": lambda a, b, mode: rem(a, b),
    "floor": lambda a, mode: integral(a, False),
    "ceil": lambda a, mode: integral(a, True),
}


def add_product(p, c, mode):
    return add(unlimited(p), c, mode)


# What NumPy itself computes with one rounding to the nearest: it must agree.
NUMPY = {
    "addf": np.add, "subf": np.subtract, "mulf": np.multiply, "divf": np.divide, "sqrt": np.sqrt, "remf": np.fmod,
    "floor": np.floor, "ceil": np.ceil,
}


def flush(f, bits):
    """Subnormal numbers become zeros of the same sign."""
    sign = np.array(1 << f.signbit, f.store)
    return np.where(f.ordinals(bits) < 1 << (f.p - 1), bits & sign, bits).astype(f.store)


def arithmetic(op, attrs, f, args):
    mode = attrs.get("rounding_mode", NEAREST)
    out = f.encode(ARITHMETIC[op](*[unlimited(f.decode(a)) for a in args], mode), mode)
    if op in NUMPY and f.name in ("f16", "f32", "f64") and (op in ("remf", "floor", "ceil") or mode not in (1, 2, 3)):
        native = NUMPY[op](*[a.view(f.native) for a in args]).view(f.store)
        bad = (native != out) & ~(f.decode(native).nan & f.decode(out).nan)
        if bad.any():
            raise AssertionError(f"{op} of {f.name}: {[a[bad][:3] for a in args]} is {out[bad][:3]}, NumPy has {native[bad][:3]}")
    return out


def sign_only(op, attrs, f, args):
    sign = np.array(1 << f.signbit, f.store)
    return args[0] & ~sign if op == "absf" else args[0] ^ sign


def extremum(op, attrs, f, args):
    """IEEE 754-2019's maximum and minimum, or maximumNumber and minimumNumber: -0 is below +0."""
    a, b = args
    key = [np.where(f.negative(x), ~f.ordinals(x), f.ordinals(x)) for x in args]
    first = key[0] > key[1] if op == "maxf" else key[0] < key[1]
    out = np.where(first, a, b)
    nan = [f.decode(x).nan for x in args]
    out = np.where(nan[0], b, np.where(nan[1], a, out))
    both = nan[0] | nan[1] if attrs.get("propagate_nan") else nan[0] & nan[1]
    return np.where(both, f.nan, out).astype(f.store)


PREDICATES = [np.equal, np.not_equal, np.less, np.less_equal, np.greater, np.greater_equal]


def compare(op, attrs, f, args):
    a, b = [f.numbers(x) for x in args]
    unordered = np.isnan(a) | np.isnan(b)
    out = PREDICATES[attrs["comparison_predicate"]](a, b) & ~unordered
    return (out | unordered if attrs["comparison_ordering"] == 0 else out).astype(np.uint8)


def power(x, y):
    """C's pow, of which NumPy is asked only for the power of positive numbers: some libraries have odd ideas of others."""
    whole = np.isinf(y) | (y == np.trunc(y))
    odd = np.isfinite(y) & whole & (np.fmod(y, 2) != 0)
    small = np.abs(x) < 1
    out = np.where(np.isinf(y), np.where(small == (y > 0), 0, np.inf), np.power(np.abs(x), y))
    out = np.where((x == 0) | np.isinf(x), np.where((x == 0) == (y > 0), 0, np.inf), out)
    out = np.where(np.signbit(x) & ((x == 0) | np.isinf(x) | whole), np.where(odd, -out, out), out)
    out = np.where((x < 0) & np.isfinite(x) & ~whole, np.nan, out)
    out = np.where(np.isnan(x) | np.isnan(y), np.nan, out)
    return np.where((y == 0) | (x == 1) | (x == -1) & np.isinf(y), 1, out)


FUNCTIONS = {
    "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2, "sin": np.sin, "cos": np.cos, "tan": np.tan,
    "sinh": np.sinh, "cosh": np.cosh, "tanh": np.tanh, "rsqrt": lambda x: 1 / np.sqrt(x),
    "fpowf": power, "fpowi": power, "atan2": np.arctan2,
}


def function(op, f, values):
    """Nearest bits, and what is missing to the value in units in the last place."""
    return f.encode(from_longdouble(FUNCTIONS[op](*values)), NEAREST, residual=True)


def longdoubles(f, bits):
    return to_longdouble(f.decode(bits))


FLOATS = {op: arithmetic for op in ARITHMETIC} | {
    "absf": sign_only, "negf": sign_only, "maxf": extremum, "minf": extremum, "cmpf": compare,
}


def float_op(op, attrs, name, args):
    """An exact operation on floats of one type."""
    f = FORMATS[name]
    if attrs.get("flush_to_zero"):
        args = [flush(f, a) for a in args]
    out = FLOATS[op](op, attrs, f, args)
    return flush(f, out) if attrs.get("flush_to_zero") and op != "cmpf" else out
