package vecmath

import (
	"math"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// Atan2 emits the angle of the point (x, y), in C's order of operands. It computes in float64: the arc tangent of a
// quotient of at most 1, and its distances from a quarter and a half of a turn.
func Atan2(b *vec.Builder, y, x vec.Reg) vec.Reg {
	const huge = 0x1p400 // stands for infinity: infinities are equal, and their quotients with numbers become 0
	const tiny = 0x1p-400
	d := doubles(b)
	dx, dy := toDouble(b, x), toDouble(b, y)
	ax, ay := d.abs(dx), d.abs(dy)
	steep := d.is(ay, vec.GT, ax)
	num := d.Do(vec.FMin, d.t, d.num(huge), d.pick(steep, ax, ay))
	den := d.clamp(d.pick(steep, ay, ax), tiny, huge)
	q := d.div(num, den)
	z := d.mul(q, q)
	a := d.mul(q, d.poly(z, 1, -0x1.5555554e4d96ep-2, 0x1.9999951657823p-3, -0x1.2491c6c16e777p-3, 0x1.c70d7fe60c468p-4, -0x1.73da4c79cf937p-4,
		0x1.38285b1fa1ee1p-4, -0x1.058909b9b6fadp-4, 0x1.a059e9c095070p-5, -0x1.24f1c24eae0e2p-5, 0x1.4df35eca3f2cap-6, -0x1.169d109bbac8bp-7,
		0x1.2729296f04cc1p-9, -0x1.25b4c446bb77bp-12))
	a = d.pick(steep, d.sub(d.num(math.Pi/2), a), a)
	left := d.isInt(dx, vec.LT, d.int(0))
	a = d.pick(left, d.sub(d.num(math.Pi), a), a)
	a = d.pick(d.is(dx, vec.Unordered, dy), d.num(math.NaN()), a)
	return toSingle(b, d.withSign(a, dy))
}
