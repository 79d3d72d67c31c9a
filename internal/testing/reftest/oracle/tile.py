"""Tiles on NumPy: element types, promotion, arithmetic and comparison as cuda.tile defines them."""
import numpy as np
import exact
from formats import FLOATS, INTS, convert, is_float, is_int

SMALLEST = float(np.finfo(np.float32).tiny)              # of float32's normal numbers


class Tile:
    """A tile or scalar: NumPy values (formats.py says of which type) and the name of the element type.

    product is set on what a float multiplication gave: (x, y, rounding mode, flush to zero).  A sum or difference in
    the same mode contracts it into one fused multiply-add, which is what the front end does."""
    __hash__ = None
    __array_ufunc__ = None                               # so that NumPy's numbers leave operators to this class

    def __init__(self, a, dtype, product=None):
        self.a, self.dtype, self.product = np.asarray(a), dtype, product

    @property
    def shape(self):
        return self.a.shape

    def item(self):
        return Tile(self.a.reshape(()), self.dtype)

    def reshape(self, shape):
        return Tile(self.a.reshape(shape), self.dtype)

    def astype(self, dtype, *, rounding_mode=None):
        if dtype == self.dtype:
            return self
        return Tile(convert(self.a, dtype, mode_name(rounding_mode)), dtype)

    def __index__(self):
        return int(self.a[()])

    def __bool__(self):
        return bool(self.a[()])

    def __format__(self, spec):
        """As the device prints: nested lists of elements."""
        if self.a.ndim == 0:
            return format(self.a[()].item(), spec or ('f' if is_float(self.dtype) else 'd'))
        return '[' + ', '.join(format(Tile(x, self.dtype), spec) for x in self.a) + ']'

    def __neg__(self):
        return Tile(-self.a, self.dtype)

    def __invert__(self):
        return Tile(~self.a, self.dtype)


def mode_name(mode):
    return 'RN' if mode is None else mode.name


def loose(v):
    return isinstance(v, (bool, int, float))


def category(dt):
    return 2 if is_float(dt) else 1 if is_int(dt) else 0


def type_of(v):
    """The element type; that of a constant of no type if it has to have one."""
    if not loose(v):
        return v.dtype
    return 'b1' if isinstance(v, bool) else 'f32' if isinstance(v, float) else 'i32' if -2**31 <= v < 2**31 else 'i64'


def common(x, y):
    """The element type that two operands are promoted to."""
    s, t = type_of(x), type_of(y)
    if loose(x) != loose(y):                             # a constant takes the other's type, unless it is of more
        s, t = (s, t) if loose(x) else (t, s)
        return s if category(s) > category(t) else t
    if s == t:
        return s
    if category(s) != category(t):
        return s if category(s) > category(t) else t
    wider, narrower = sorted((s, t), key=lambda d: FLOATS[d].bits if is_float(d) else INTS[d].itemsize, reverse=True)
    assert wider[0] == narrower[0] or wider in ('f32', 'f64'), f'{s} and {t} have no common type'
    return wider


def as_tile(v, dtype=None):
    if loose(v):                                         # the front end rounds float constants to float32, also for f64
        dtype = dtype or type_of(v)
        return Tile(convert(np.float64(np.float32(v)) if isinstance(v, float) else v, dtype), dtype)
    return v if dtype in (None, v.dtype) else v.astype(dtype)


def flush(a):
    """Subnormal float32 numbers as zeros of the same sign."""
    return np.where(np.abs(a) < SMALLEST, np.copysign(0.0, a), a)


def float_op(op, dt, args, mode='RN', ftz=False):
    args = [flush(a) for a in args] if ftz else args
    out = exact.compute(op, dt, mode, *args)
    return Tile(flush(out) if ftz else out, dt)


def least_or_greatest(x, y, dt, smallest, propagate_nan=False, ftz=False):
    """The smaller or greater of values: -0 is less than 0, and NaN loses unless it is propagated."""
    if not is_float(dt):
        return np.minimum(x, y) if smallest else np.maximum(x, y)
    x, y = (flush(x), flush(y)) if ftz else (x, y)
    takes_x = (x < y) | ((x == y) & np.signbit(x)) if smallest else (x > y) | ((x == y) & ~np.signbit(x))
    out = np.where(takes_x, x, y)
    if propagate_nan:
        return np.where(np.isnan(x) | np.isnan(y), np.nan, out)
    return np.where(np.isnan(x), y, np.where(np.isnan(y), x, out))


INT_OPS = dict(add=np.add, sub=np.subtract, mul=np.multiply, floordiv=np.floor_divide, mod=np.remainder,
               cdiv=lambda a, b: np.floor_divide(a, b) + (np.remainder(a, b) != 0).astype(a.dtype))
BIT_OPS = dict(and_=np.bitwise_and, or_=np.bitwise_or, xor=np.bitwise_xor, lshift=np.left_shift, rshift=np.right_shift)
COMPARISONS = dict(eq=np.equal, ne=np.not_equal, lt=np.less, le=np.less_equal, gt=np.greater, ge=np.greater_equal)


def contract(op, x, y, dt, mode, ftz):
    """The fused multiply-add of a sum or difference with a product, or None."""
    for t, other in ((x, y), (y, x)):
        if getattr(t, 'product', None) and t.product[2:] == (mode, ftz) and t.dtype == dt:
            a, b, c = t.product[0], t.product[1], as_tile(other, dt).a
            if np.broadcast_shapes(t.shape, c.shape) != t.shape:
                return None                              # the product is broadcast in between
            if op == 'sub':
                a, c = (a, -c) if t is x else (-a, c)
            return float_op('fma', dt, (a, b, c), mode, ftz)
    return None


def binary(op, x, y, rounding_mode=None, flush_to_zero=False, propagate_nan=False):
    """An arithmetic operation of two tiles or constants after promotion."""
    mode, dt = mode_name(rounding_mode), common(x, y)
    mode = 'RN' if mode in ('FULL', 'APPROX') else mode
    if op == 'truediv' and not is_float(dt):
        dt = 'f32'
    fused = contract(op, x, y, dt, mode, flush_to_zero) if op in ('add', 'sub') and is_float(dt) else None
    if fused is not None:
        return fused
    a, b = as_tile(x, dt).a, as_tile(y, dt).a
    if op in ('min', 'max'):
        return Tile(least_or_greatest(a, b, dt, op == 'min', propagate_nan, flush_to_zero), dt)
    if not is_float(dt):
        return Tile(INT_OPS[op](a, b), dt)
    if op == 'floordiv':
        return Tile(np.floor(float_op('truediv', dt, (a, b)).a), dt)
    if op == 'mod':                                      # C's remainder, then the divisor's sign
        r = np.fmod(a, b)
        return Tile(np.where(((r < 0) ^ (b < 0)) & (r != 0), float_op('add', dt, (r, b)).a, r), dt)
    if op in ('pow', 'atan2'):
        return Tile(FLOATS[dt].round(np.power(a, b) if op == 'pow' else np.arctan2(a, b)), dt)
    out = float_op(op, dt, (a, b), mode, flush_to_zero)
    if op == 'mul':
        out.product = (a, b, mode, flush_to_zero)
    return out


def bits(op, x, y):
    dt = common(x, y)
    return Tile(BIT_OPS[op](as_tile(x, dt).a, as_tile(y, dt).a), dt)


def compare(op, x, y):
    dt = common(x, y)
    return Tile(COMPARISONS[op](as_tile(x, dt).a, as_tile(y, dt).a), 'b1')


def _add_operators():
    def both(f, op):
        return (lambda self, other: f(op, self, other)), (lambda self, other: f(op, other, self))

    for op in ('add', 'sub', 'mul', 'truediv', 'floordiv', 'mod', 'pow'):
        forward, backward = both(binary, op)
        setattr(Tile, f'__{op}__', forward)
        setattr(Tile, f'__r{op}__', backward)
    for op in BIT_OPS:
        forward, backward = both(bits, op)
        setattr(Tile, f'__{op.strip("_")}__', forward)
        setattr(Tile, f'__r{op.strip("_")}__', backward)
    for op in COMPARISONS:
        setattr(Tile, f'__{op}__', both(compare, op)[0])


_add_operators()
