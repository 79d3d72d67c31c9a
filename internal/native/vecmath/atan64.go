package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// arcTangents are those of i/8 from 0 to 1, each as the sum of two.
var arcTangents = [...][2]float64{
	{0, 0}, {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59}, {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
	{0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56}, {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56}, {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
	{0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56}, {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56}, {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55},
}

// Atan2Of64 emits the angle of the point (x, y) of float64, in C's order of operands.
func Atan2Of64(b *vec.Builder, y, x vec.Reg) vec.Reg {
	const huge, tiny = 0x1p1000, 0x1p-700 // stand for infinity, and for a divisor of zero, which is less than scaled ones
	d := doubles(b)
	ax, ay := d.abs(x), d.abs(y)
	steep := d.is(ay, vec.GT, ax)
	num, den := d.pick(steep, ax, ay), d.pick(steep, ay, ax)
	direct := d.div(num, den)
	scale := d.pick(d.is(den, vec.GE, d.num(0x1p900)), d.num(0x1p-200), d.pick(d.is(den, vec.LT, d.num(0x1p-600)), d.num(0x1p400), d.num(1)))
	num, den = d.Do(vec.FMin, d.t, d.num(huge), d.mul(num, scale)), d.clamp(d.mul(den, scale), tiny, huge)
	a := d.atan64(d.over(d.exact(num), d.exact(den)))
	quarter := d.constant(quarterHigh, quarterLow)
	a = d.pickPair(steep, d.plusSmall(quarter, d.negated(a)), a)
	left := d.isInt(x, vec.LT, d.int(0))
	r := d.pick(left, d.plusSmall(d.doubled(quarter), d.negated(a)).hi, a.hi)
	// To the right and near the axis the angle is the quotient, perhaps a subnormal number.
	flat := b.Do(vec.MAndNot, vec.NoType, d.is(direct, vec.LT, d.num(0x1p-60)), b.Do(vec.MOr, vec.NoType, steep, left))
	r = d.pick(flat, direct, r)
	r = d.pick(d.is(x, vec.Unordered, y), d.num(math.NaN()), r)
	return d.withSign(r, y)
}

// atan64 is the arc tangent of 0 <= q <= 1: that of the nearest i/8, and of the angle between the two.
func (o floats) atan64(q pair) pair {
	i := o.nearest(o.mul(q.hi, o.num(8)))
	near := o.mul(i, o.num(1./8))
	var known pair
	for k, t := range arcTangents {
		if next := o.constant(t[0], t[1]); k == 0 {
			known = next
		} else {
			known = o.pickPair(o.is(i, vec.GE, o.num(float64(k))), next, known)
		}
	}
	u := o.over(o.exactSum(o.sub(q.hi, near), q.lo), o.plusSmall(o.exact(o.num(1)), o.scaled(q, near)))
	z := o.mul(u.hi, u.hi)
	u.lo = o.fma(o.mul(u.hi, z), o.poly(z, negated(odds(3, 7, -1))...), u.lo)
	return o.plusSmall(known, o.fastSum(u.hi, u.lo))
}
