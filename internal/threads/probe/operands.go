package probe

import (
	"math"
	"math/rand/v2"

	"github.com/cutile-go/cutile/internal/native/vec"
)

// special are numbers that operations make exceptions for.
var special = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, 3, math.Inf(1), math.Inf(-1), math.NaN(), math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32,
	math.SmallestNonzeroFloat64, 0x1p-126, 0x1p-1022, 0x1.fffffep-127, math.MaxFloat32, -math.MaxFloat32, math.MaxFloat64, 0x1p23, 0x1p52, 0x1p24 - 1, 65504, 65520, 0x1p-24, 0x1p-25,
}

// Bits gives the bits of a float of a type, f16, f32 or f64.
func Bits(t vec.Type, x float64) uint64 {
	in := vec.Instr{Op: vec.FConvert, Type: t, From: vec.F64}
	return in.Element(math.Float64bits(x), 0, 0)
}

// Float is the reverse of Bits.
func Float(t vec.Type, bits uint64) float64 {
	if t == vec.F64 {
		return math.Float64frombits(bits)
	}
	in := vec.Instr{Op: vec.FConvert, Type: vec.F64, From: t}
	return math.Float64frombits(in.Element(bits, 0, 0))
}

// shapes are the bits of mantissas and the exponents of numbers.
var shapes = map[vec.Type]struct{ bits, least, most int }{vec.F16: {11, -24, 15}, vec.F32: {24, -149, 127}, vec.F64: {53, -1074, 1023}}

// number gives a number: a special one, one of few bits, whose products and sums are exact or ties, or any bits.
func number(r *rand.Rand, t vec.Type) uint64 {
	s := shapes[t]
	switch r.IntN(6) {
	case 0:
		return Bits(t, special[r.IntN(len(special))])
	case 1:
		return r.Uint64() >> (64 - 8*t.Bytes())
	case 2: // subnormal
		return r.Uint64()>>(65-s.bits) | uint64(r.IntN(2))<<(8*t.Bytes()-1)
	case 3:
		return Bits(t, math.Ldexp(float64(r.IntN(1<<(s.bits/2))-r.IntN(1<<(s.bits/2))), s.least+r.IntN(s.most-s.least)))
	default:
		return Bits(t, math.Ldexp(r.NormFloat64(), r.IntN(40)-20))
	}
}

// odd is a number from 1 to 2 in the middle between two of a type, for f64 nearly so.
func odd(r *rand.Rand, t vec.Type) float64 {
	n := min(shapes[t].bits+1, 53)
	return math.Ldexp(float64(r.Uint64()>>(64-n)|1<<(n-1)|1), 1-n)
}

// beside gives one of the floats around a number.
func beside(r *rand.Rand, t vec.Type, x float64) uint64 {
	bits := Bits(t, x)
	if x != x || math.IsInf(x, 0) || r.IntN(2) == 0 {
		return bits
	}
	return (bits + uint64(r.IntN(3)) - 1) & (1<<(8*t.Bytes()) - 1)
}

// Operands gives bits that an instruction takes, of which many are hard: their results lie in the middle between two floats, or beside it.
func Operands(r *rand.Rand, in *vec.Instr) (x [3]uint64) {
	if in.Op == vec.Const {
		return [3]uint64{r.Uint64() & 1}
	}
	t := in.Type
	if in.From != vec.NoType {
		t = in.From
	}
	for i, c := range in.SrcClasses() {
		if c != vec.None && (t.Float() || i > 0) {
			x[i] = number(r, t)
		}
	}
	if f := harder[in.Op]; f != nil && (r.IntN(3) > 0 || in.Op == vec.FScale || in.Op == vec.ToInt || in.Op == vec.FromInt) {
		f(r, in, t, &x)
	}
	return x
}

// harder changes operands so that an operation finds them hard; t is the type of the first one.
var harder map[vec.Op]func(r *rand.Rand, in *vec.Instr, t vec.Type, x *[3]uint64)

func init() {
	sum := func(r *rand.Rand, _ *vec.Instr, t vec.Type, x *[3]uint64) { // about half a unit in the last place of the other one, or its opposite
		s, f := shapes[t], Float(t, x[0])
		_, e := math.Frexp(f)
		x[1] = beside(r, t, []float64{math.Ldexp(1, e-s.bits-1), -f, -math.Ldexp(1, e-s.bits-2), math.Ldexp(f, r.IntN(2*s.bits)-s.bits)}[r.IntN(4)])
	}
	near := func(r *rand.Rand, _ *vec.Instr, t vec.Type, x *[3]uint64) { x[1] = beside(r, t, Float(t, x[0])) }
	harder = map[vec.Op]func(r *rand.Rand, in *vec.Instr, t vec.Type, x *[3]uint64){
		vec.FAdd: sum, vec.FSub: sum, vec.FCmp: near, vec.FMin: near, vec.FMax: near,
		vec.FMul: func(r *rand.Rand, _ *vec.Instr, t vec.Type, x *[3]uint64) { // the product is a tie, or subnormal
			s := shapes[t]
			e := s.least + r.IntN(s.most-s.least)
			x[0] = Bits(t, math.Ldexp(float64(2*r.IntN(1<<(s.bits/2))+1), e/2))
			x[1] = Bits(t, math.Ldexp(float64(2*r.IntN(1<<(s.bits/2))+1), e-e/2-r.IntN(s.bits)))
		},
		vec.FMulAdd: hardFused,
		vec.FDiv: func(r *rand.Rand, _ *vec.Instr, t vec.Type, x *[3]uint64) {
			s, d := shapes[t], 1+r.Float64()
			if r.IntN(3) == 0 { // the quotient is a subnormal tie
				d = math.Ldexp(float64(2*r.IntN(1<<(s.bits/2))+1), r.IntN(s.most/2))
				x[0], x[1] = Bits(t, math.Ldexp(float64(2*r.IntN(1<<(s.bits/2-2))+1), s.least-1)*d), Bits(t, d)
				return
			}
			x[0] = beside(r, t, math.Ldexp(odd(r, t)*Float(t, Bits(t, d)), r.IntN(3)-1))
			x[1] = Bits(t, math.Ldexp(d, r.IntN(2*s.most)-s.most))
		},
		vec.FSqrt: func(r *rand.Rand, _ *vec.Instr, t vec.Type, x *[3]uint64) {
			q := odd(r, t)
			x[0] = beside(r, t, math.Ldexp(q*q, 2*(r.IntN(shapes[t].most)-shapes[t].most/2)))
		},
		vec.FRound: func(r *rand.Rand, _ *vec.Instr, t vec.Type, x *[3]uint64) {
			x[0] = beside(r, t, math.Ldexp(float64(r.IntN(1<<20)-1<<19), r.IntN(shapes[t].bits)-20))
		},
		vec.FScale:   hardScale,
		vec.FConvert: hardConvert,
		vec.FromInt: func(r *rand.Rand, in *vec.Instr, t vec.Type, x *[3]uint64) { // ties of the float
			n := 8 * t.Bytes()
			v := int64(math.Ldexp(odd(r, in.Type), r.IntN(n-1))) + int64(r.IntN(3)-1)
			if r.IntN(2) == 0 {
				v = -v
			}
			if r.IntN(4) == 0 {
				v = []int64{0, 1, -1, math.MinInt64, math.MaxInt64, 1 << 53, 1<<31 - 1, -1 << 31}[r.IntN(8)]
			}
			x[0] = uint64(v) << (64 - n) >> (64 - n)
		},
		vec.ToInt: func(r *rand.Rand, in *vec.Instr, t vec.Type, x *[3]uint64) {
			most := math.Ldexp(1, 8*in.Type.Bytes()-1)
			f := math.Ldexp(2*r.Float64()-1, r.IntN(8*in.Type.Bytes()+3)-3)
			if r.IntN(4) == 0 {
				f = []float64{0, math.Copysign(0, -1), 0.5, -0.5, -most, 1, -1, 1e-40, -0x1p-149, 0x1p24 + 2}[r.IntN(10)]
			}
			if y := Float(t, Bits(t, f)); y >= -most && y < most {
				x[0] = Bits(t, f)
				return
			}
			x[0] = Bits(t, 1)
		},
	}
}

// hardFused has an addend near the product, near its opposite or its half, or far from it.
func hardFused(r *rand.Rand, _ *vec.Instr, t vec.Type, x *[3]uint64) {
	s := shapes[t]
	e := s.least + r.IntN(s.most-s.least)
	f, g := math.Ldexp(1+r.Float64(), e), math.Ldexp(1+r.Float64(), r.IntN(60)-30-e*r.IntN(2))
	if r.IntN(2) == 0 { // few bits: exact products and ties
		n := 1 << (s.bits/2 + 1)
		f, g = math.Ldexp(float64(r.IntN(n)), e), math.Ldexp(float64(r.IntN(n)), -r.IntN(80)-e*r.IntN(2))
	}
	f, g = Float(t, Bits(t, f)), Float(t, Bits(t, g))
	p := f * g
	_, at := math.Frexp(p)
	z := []float64{-p, math.Nextafter(-p, 0), math.Ldexp(p, r.IntN(5*s.bits)-2*s.bits), math.Ldexp(1, at+s.bits-1), math.Ldexp(r.NormFloat64(), s.least+r.IntN(15)),
		math.Ldexp(1, s.least+r.IntN(s.most-s.least))}[r.IntN(6)]
	x[0], x[1], x[2] = Bits(t, f), Bits(t, g), Bits(t, z)
	if r.IntN(2) == 0 {
		x[2] ^= 1 << (8*t.Bytes() - 1)
	}
}

// hardScale keeps to what vec.FScale takes.
func hardScale(r *rand.Rand, _ *vec.Instr, t vec.Type, x *[3]uint64) {
	most := map[vec.Type]int{vec.F32: vec.MaxScale32, vec.F64: vec.MaxScale64}[t]
	n := r.IntN(2*most+1) - most
	if r.IntN(2) == 0 { // subnormal
		n = shapes[t].least + r.IntN(shapes[t].bits)
	}
	f := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN()}[r.IntN(5)]
	if r.IntN(5) > 0 {
		f = math.Ldexp(odd(r, t), r.IntN(2*vec.MaxScaled-2)-vec.MaxScaled+1)
		if r.IntN(2) == 0 {
			f = math.Ldexp(float64(1+r.IntN(64)), r.IntN(12)-6)
		}
	}
	x[0], x[1] = Bits(t, f), uint64(int64(n))<<(64-8*t.Bytes())>>(64-8*t.Bytes())
}

// hardConvert has numbers in the middle between two of the narrower type, or beside it.
func hardConvert(r *rand.Rand, in *vec.Instr, t vec.Type, x *[3]uint64) {
	if in.Type.Bytes() >= t.Bytes() {
		return
	}
	s := shapes[in.Type]
	f := math.Ldexp(odd(r, in.Type), r.IntN(s.most+2-s.least+s.bits)+s.least-2)
	if r.IntN(3) == 0 { // subnormal
		f = math.Ldexp(float64(2*r.IntN(1<<(s.bits-1))+1), s.least-1)
	}
	x[0] = beside(r, t, f)
	if r.IntN(2) == 0 {
		x[0] ^= 1 << (8*t.Bytes() - 1)
	}
}
