package numerics_test

import (
	"math"

	"github.com/cutile-go/cutile/internal/elem"
	"github.com/cutile-go/cutile/tileir"
)

// random is a generator of random numbers (splitmix64).
type random uint64

func (r *random) next() uint64 {
	*r += 0x9e3779b97f4a7c15
	z := uint64(*r)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below gives a number from 0 to n-1.
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// layout is where the fields of a float lie, and what they mean. Codes have the bits of the type and no unused ones.
type layout struct {
	exp, man, bias int
	inf            bool // the greatest exponent is kept for infinity and NaN
	unsigned       bool
}

var layouts = func() map[tileir.Elem]layout {
	all := map[tileir.Elem]layout{}
	for _, row := range elem.Table {
		if f := row.Format; f != nil {
			e, _ := tileir.ElemByName(row.IR)
			all[e] = layout{exp: f.Exp, man: f.Man, bias: 1<<(f.Exp-1) - 1, inf: f.Inf, unsigned: f.Unsigned}
		}
	}
	return all
}()

// code gives the magnitude of a number, rounded toward zero and kept in the range of normal numbers.
func (l layout) code(x float64) uint64 {
	bits := math.Float64bits(x)
	top := 1<<l.exp - 1
	if l.inf {
		top--
	}
	e := min(max(int(bits>>52&2047)-1023+l.bias, 1), top)
	return uint64(e)<<l.man | bits<<12>>12>>(52-l.man)
}

// sign puts a sign before a magnitude, if the type has one.
func (l layout) sign(code uint64, negative bool) uint64 {
	if negative && !l.unsigned {
		return code | 1<<(l.exp+l.man)
	}
	return code
}

// magnitude takes the sign away.
func (l layout) magnitude(code uint64) uint64 { return code & (1<<(l.exp+l.man) - 1) }

// value is the number that a code of a type with subnormal numbers stands for.
func (l layout) value(code uint64) float64 {
	m := l.magnitude(code)
	e, f := int(m>>l.man), float64(m&(1<<l.man-1))
	x := math.Ldexp(f, 1-l.bias-l.man)
	switch {
	case l.inf && e == 1<<l.exp-1 && f == 0:
		x = math.Inf(1)
	case l.inf && e == 1<<l.exp-1:
		x = math.NaN()
	case e > 0:
		x = math.Ldexp(f+math.Ldexp(1, l.man), e-l.bias-l.man)
	}
	if m != code {
		return -x
	}
	return x
}

// edges are the values at which a type and its operations turn, each with both signs.
func (l layout) edges() []uint64 {
	ulp, one, inf := uint64(1), uint64(l.bias)<<l.man, uint64(1<<l.exp-1)<<l.man
	normal := ulp << l.man
	power := func(e int) uint64 { return uint64(min(max(e+l.bias, 1), 1<<l.exp-2)) << l.man }
	out := []uint64{
		0, 1, 2, 3, normal - 1, normal, normal + 1, // subnormal numbers and the first normal ones
		one - 1, one, one + 1, one + 3, one + normal/2, power(-1), power(1), l.code(3), l.code(5),
		power(-l.man - 1), power(-l.man), power(l.man), power(l.man) + 1, power(l.man+1) + 1, // where integers end
		power(l.bias / 2), power(l.bias/2 + 1), power(-l.bias / 2), // squares at the ends of the range
		l.code(math.Pi), l.code(0.1), l.code(88.73), // functions turn here
		inf - 2, inf - 1, inf, inf + normal/2, inf + 1, // the largest numbers, infinity, NaN, signalling NaN
	}
	for _, m := range out {
		out = append(out, l.sign(m, true))
	}
	return out
}

// near gives a number whose fraction ends near a tie of some narrower type, most often with a moderate exponent.
func (l layout) near(r *random) uint64 {
	e := r.below(40) - 20
	switch r.below(4) {
	case 0:
		e = r.below(1<<l.exp) - l.bias
	case 1:
		e = r.below(300) - 160
	}
	e = min(max(e+l.bias, 0), 1<<l.exp-2)
	return l.sign(uint64(e)<<l.man|pattern(r, l.man), r.below(2) == 0)
}

// pattern gives n bits: some random ones, then a tie, its neighbours, zeros or ones.
func pattern(r *random, n int) uint64 {
	if n == 0 {
		return 0
	}
	tail := r.below(n + 1)
	half := uint64(1) << tail >> 1
	ends := []uint64{0, half, half + 1, half - 1, 1, ^uint64(0), r.next()}
	mask := uint64(1)<<tail - 1
	return r.next()&(1<<n-1)&^mask | ends[r.below(len(ends))]&mask
}

// close gives a number whose sum with another one cancels or nearly so, or just reaches its last place.
func (l layout) close(r *random, a uint64) uint64 {
	m := int(l.magnitude(a))
	switch r.below(3) {
	case 0:
		m += r.below(9) - 4
	case 1:
		m = (m>>l.man+r.below(2*l.man+6)-l.man-3)<<l.man | int(pattern(r, l.man))
	default:
		m = (m>>l.man+r.below(3)-1)<<l.man | int(r.next()&(1<<l.man-1))
	}
	return l.sign(uint64(min(max(m, 0), (1<<l.exp-1)<<l.man)), r.below(2) == 0)
}

// vanishing gives a number whose exponential is subnormal, or nearly so.
func (l layout) vanishing(r *random) uint64 {
	x := float64(l.bias-2) + float64(l.man+3)*float64(r.next()>>11)/(1<<53)
	if r.below(2) == 0 {
		x *= math.Ln2
	}
	return l.sign(l.code(x), true)
}

// tieProduct gives a product that is a tie, and a number far below it, which decides.
func (l layout) tieProduct(r *random) (p, q, s uint64) {
	n := 1 + r.below(l.man) // bits of one factor behind the first; both together have one too many for the type
	p = l.code(1) + (r.next()&(1<<n-1)|1)<<(l.man-n)
	q = l.code(1) + (r.next()&(1<<(l.man+1-n)-1)|1)<<(n-1)
	s = uint64(max(l.bias-l.man-r.below(3*l.man), 1))<<l.man | pattern(r, l.man)
	return l.sign(p, r.below(2) == 0), q, l.sign(s, r.below(2) == 0)
}

// tieSum gives a number and a product that is a little more or less than half of its last place.
func (l layout) tieSum(r *random) (p, q, s uint64) {
	n := uint64(1 + r.below(3))
	p, q = l.code(1)+n, l.code(1)-2*n // 1 + d and 1 - d
	if r.below(2) == 0 {
		q = l.code(1) - 2*n + 1
	}
	s = uint64(min(l.bias+l.man+1, 1<<l.exp-2))<<l.man | pattern(r, l.man)
	return l.sign(p, r.below(2) == 0), q, l.sign(s, r.below(2) == 0)
}

// intEdges are the values at which integers of a width and their operations turn.
func intEdges(r *random, bits int) []uint64 {
	most := int64(1)<<(bits-1) - 1
	half := int64(1) << (bits / 2)
	out := []int64{
		0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 16, 17, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257,
		-1, -2, -3, -4, -5, -7, -8, -9, -10, -31, -32, -63, -64, -100, -127, -128, -129, -255, -256,
		most, most - 1, most - 2, most + 1, most + 2, most / 2, most/2 + 1, half, half - 1, half + 1, -half,
		0x5555555555555555, -0x5555555555555556,
	}
	var codes []uint64
	for _, v := range out {
		codes = append(codes, uint64(v)&(1<<bits-1))
	}
	for len(codes) < 64 {
		codes = append(codes, r.next()&(1<<bits-1))
	}
	return codes
}

// nearInt gives an integer of random length whose end is near a tie of some float.
func nearInt(r *random, bits int) uint64 {
	n := 1 + r.below(bits)
	v := pattern(r, n) | 1<<(n-1)
	if r.below(2) == 0 {
		v = -v
	}
	return v & (1<<bits - 1)
}

// closeInt gives an integer that matters beside another one: a shift, a neighbour, a divisor of it or nearly so.
func closeInt(r *random, bits int, a uint64) uint64 {
	v := a
	switch r.below(5) {
	case 0:
		v = uint64(r.below(bits + 3))
	case 1:
		v = a + uint64(r.below(5)) - 2
	case 2:
		v = a/uint64(1+r.below(20)) + uint64(r.below(3)) - 1
	case 3:
		v = -a
	default:
		v = nearInt(r, bits)
	}
	return v & (1<<bits - 1)
}
