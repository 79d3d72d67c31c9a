package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// FromUint64 emits the conversion of integers of 64 bits without a sign to float64.
func FromUint64(b *vec.Builder, x vec.Reg) vec.Reg {
	d := doubles(b)
	upper := b.Convert(vec.FromInt, vec.F64, vec.I64, d.shift(vec.ShrUImm, x, 32))
	lower := b.Convert(vec.FromInt, vec.F64, vec.I64, d.do(vec.And, x, d.int(math.MaxUint32)))
	return d.fma(upper, d.num(1<<32), lower)
}

// ToUint64 emits the conversion of float64 to integers of 64 bits without a sign, as ftoi does it: toward zero, to the nearest
// integer there is where the number is out of range, and NaN to zero.
func ToUint64(b *vec.Builder, x vec.Reg) vec.Reg {
	const half = 1 << 63
	d := doubles(b)
	x = d.Do(vec.FMax, d.t, x, d.num(0)) // of NaN, too
	great := d.is(x, vec.GE, d.num(half))
	y := d.Do(vec.FMin, d.t, d.pick(great, d.sub(x, d.num(half)), x), d.num(math.Nextafter(half, 0)))
	n := b.Convert(vec.ToInt, vec.I64, vec.F64, y)
	n = d.pick(great, d.do(vec.Xor, n, d.sign()), n)
	return d.pick(d.is(x, vec.GE, d.num(2*half)), d.int(-1), n)
}

// OddFromInt64 emits the conversion of integers of 64 bits to float64, rounded to odd.
func OddFromInt64(b *vec.Builder, signed bool, x vec.Reg) vec.Reg {
	const lost = 1<<11 - 1 // the bits that a float64 may lack
	d := doubles(b)
	n := x
	if signed {
		n = d.pick(d.isInt(x, vec.LT, d.int(0)), d.do(vec.Sub, d.int(0), x), x)
	}
	sticky := d.shift(vec.ShlImm, d.pick(d.isInt(d.do(vec.And, n, d.int(lost)), vec.EQ, d.int(0)), d.int(0), d.int(1)), 11)
	odd := d.do(vec.Or, d.do(vec.And, n, d.int(^lost)), sticky)
	n = d.pick(d.isInt(d.shift(vec.ShrUImm, n, 53), vec.EQ, d.int(0)), n, odd)
	y := FromUint64(b, n)
	if signed {
		y = d.withSign(y, x)
	}
	return y
}

// Quotient emits the quotient of integers of 64 bits, rounded in a direction. It is 0 where the divisor is.
func Quotient(b *vec.Builder, mode vec.Rounding, signed bool, x, y vec.Reg) vec.Reg {
	d := doubles(b)
	zero := d.isInt(y, vec.EQ, d.int(0))
	n, m := x, d.pick(zero, d.int(1), y)
	negative := d.isInt(d.do(vec.Xor, x, y), vec.LT, d.int(0))
	if signed {
		n, m = d.magnitude(n), d.magnitude(m)
	}
	q, rest := d.divideUint64(n, m)
	inexact := d.isInt(rest, vec.NE, d.int(0))
	if signed {
		q = d.pick(negative, d.do(vec.Sub, d.int(0), q), q)
	}
	switch {
	case mode == vec.Ceil && signed:
		inexact = b.Do(vec.MAndNot, vec.NoType, inexact, negative)
		q = d.pick(inexact, d.do(vec.Add, q, d.int(1)), q)
	case mode == vec.Ceil:
		q = d.pick(inexact, d.do(vec.Add, q, d.int(1)), q)
	case mode == vec.Floor && signed:
		inexact = b.Do(vec.MAnd, vec.NoType, inexact, negative)
		q = d.pick(inexact, d.do(vec.Sub, q, d.int(1)), q)
	}
	return d.pick(zero, d.int(0), q)
}

func (o floats) magnitude(x vec.Reg) vec.Reg {
	return o.pick(o.isInt(x, vec.LT, o.int(0)), o.do(vec.Sub, o.int(0), x), x)
}

// divideUint64 divides integers without a sign by others that are not zero. The quotient of float64, made a little smaller,
// is at most 2^15 below the exact one; so is that of what it leaves, but at most one.
func (o floats) divideUint64(n, m vec.Reg) (q, rest vec.Reg) {
	by := o.div(o.num(1-0x1p-50), FromUint64(o.Builder, m))
	q, rest = o.int(0), n
	for range 2 {
		part := ToUint64(o.Builder, o.mul(FromUint64(o.Builder, rest), by))
		q, rest = o.do(vec.Add, q, part), o.do(vec.Sub, rest, o.do(vec.Mul, part, m))
	}
	more := o.isInt(rest, vec.UGE, m)
	return o.do(vec.Add, q, o.pick(more, o.int(1), o.int(0))), o.do(vec.Sub, rest, o.pick(more, m, o.int(0)))
}
