"""Operations on integers, and conversions between them and floats."""

import numpy as np

from formats import DOWN, FORMATS, NEAREST, UP, exact, split, wide

WIDTH = {"i1": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i64": 64}
STORE = {"i1": np.uint8, "i4": np.uint8, "i8": np.uint8, "i16": np.uint16, "i32": np.uint32, "i64": np.uint64}


def read(name, bits, signed):
    """The integers that bits stand for, in int64 or, for products, without a limit."""
    n = WIDTH[name]
    v = wide(bits) if n >= 32 else bits.astype(np.int64)
    return np.where(v >> (n - 1) == 1, v - (1 << n), v) if signed else v


def wrap(name, v):
    if WIDTH[name] == 64 and v.dtype != object:
        return v.astype(np.int64).view(np.uint64)
    return (v & ((1 << WIDTH[name]) - 1)).astype(STORE[name])


def truncated(a, b):
    """The quotient toward zero; nothing by zero is zero, as the CPU engine has it."""
    d = np.where(b == 0, 1, b)
    q = abs(a) // abs(d)
    return np.where(b == 0, 0, np.where((a < 0) != (d < 0), -q, q))


def divide(a, b, attrs, _):
    d = np.where(b == 0, 1, b)
    rounded = {DOWN: a // d, UP: -(-a // d)}.get(attrs.get("rounding", 1))
    return truncated(a, b) if rounded is None else np.where(b == 0, 0, rounded)


def shift_right(a, b, attrs, n):
    amount = np.where(b < 0, b + (1 << n), b)
    return a >> np.minimum(amount, n)


# Each takes values, attributes and the width.
INTEGERS = {
    "addi": lambda a, b, attrs, n: a + b,
    "subi": lambda a, b, attrs, n: a - b,
    "muli": lambda a, b, attrs, n: a * b,
    "mulhii": lambda a, b, attrs, n: a * b >> n,
    "andi": lambda a, b, attrs, n: a & b,
    "ori": lambda a, b, attrs, n: a | b,
    "xori": lambda a, b, attrs, n: a ^ b,
    "negi": lambda a, attrs, n: -a,
    "absi": lambda a, attrs, n: abs(a),
    "shli": lambda a, b, attrs, n: a << np.minimum(b, n),
    "shri": shift_right,
    "divi": divide,
    "remi": lambda a, b, attrs, n: a - truncated(a, b) * b,
    "maxi": lambda a, b, attrs, n: np.where(a > b, a, b),
    "mini": lambda a, b, attrs, n: np.where(a < b, a, b),
    "cmpi": lambda a, b, attrs, n: [a == b, a != b, a < b, a <= b, a > b, a >= b][attrs["comparison_predicate"]],
}

ALWAYS_SIGNED = {"absi", "negi"}

# NumPy's own operations on its own types: they must agree.
NUMPY = {"addi": np.add, "subi": np.subtract, "muli": np.multiply, "andi": np.bitwise_and, "ori": np.bitwise_or,
         "xori": np.bitwise_xor, "negi": np.negative, "maxi": np.maximum, "mini": np.minimum, "absi": np.abs}


def integer_op(op, attrs, name, args):
    signed = bool(attrs.get("signedness", op in ALWAYS_SIGNED))
    out = INTEGERS[op](*[read(name, a, signed) for a in args], attrs, WIDTH[name])
    if op == "cmpi":
        return out.astype(np.uint8)
    out = wrap(name, out)
    if op in NUMPY and name != "i1":
        own = np.dtype(STORE[name].__name__.replace("u", "") if signed else STORE[name])
        native = NUMPY[op](*[a.view(own) for a in args]).view(STORE[name])
        if not np.array_equal(native, out):
            raise AssertionError(f"{op} of {name} differs from NumPy's")
    return out


def itof(attrs, source, to, bits):
    v = read(source, bits, bool(attrs["signedness"]))
    return FORMATS[to].encode(exact(v, 0), NEAREST)


def ftoi(attrs, source, to, bits):
    """Toward zero; what is too large becomes the nearest integer there is, NaN zero. i1 is whether x != 0."""
    if to == "i1":
        x = FORMATS[source].decode(bits)
        return wrap(to, np.where(x.nan | x.inf | (x.m > 0), 1, 0))
    x, n, signed = FORMATS[source].decode(bits), WIDTH[to], attrs["signedness"]
    least, greatest = (-(1 << n - 1), (1 << n - 1) - 1) if signed else (0, (1 << n) - 1)
    huge = x.inf | (x.e > 64)
    q, _, _ = split(wide(x.m), -np.where(huge, 0, x.e))
    q = np.where(huge & ((x.m > 0) | x.inf), 1 << 64, q)
    q = np.where(x.neg, -q, q)
    return wrap(to, np.where(x.nan, 0, np.maximum(np.minimum(q, greatest), least)))


def ftof(attrs, source, to, bits):
    return FORMATS[to].encode(FORMATS[source].decode(bits), attrs["rounding_mode"])


def exti(attrs, source, to, bits):
    return wrap(to, read(source, bits, bool(attrs["signedness"])))


def trunci(attrs, source, to, bits):
    return wrap(to, read(source, bits, False))


CONVERSIONS = {"itof": itof, "ftoi": ftoi, "ftof": ftof, "exti": exti, "trunci": trunci,
               "bitcast": lambda attrs, source, to, bits: bits}


def packed_bits(name):
    if name in WIDTH:
        return WIDTH[name]
    return 4 if name == "f4e2m1fn" else 8 * np.dtype(FORMATS[name].store).itemsize


def pack(source, bits):
    """Elements one after the other as a stream of bits, the lowest first."""
    n = packed_bits(source)
    stream = bits.astype(np.uint64)[:, None] >> np.arange(n, dtype=np.uint64) & np.uint64(1)
    return np.packbits(stream.astype(np.uint8).reshape(-1), bitorder="little")


def unpack(to, data):
    n = packed_bits(to)
    stream = np.unpackbits(data, bitorder="little").reshape(-1, n).astype(np.uint64)
    store = STORE[to] if to in STORE else FORMATS[to].store
    return (stream << np.arange(n, dtype=np.uint64)).sum(axis=1).astype(store)
