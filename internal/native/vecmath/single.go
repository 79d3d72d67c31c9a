package vecmath

import "github.com/cutile-go/cutile/internal/native/vec"

// Away is the direction of rounding to the nearest with ties away from zero, which only conversions have.
const Away = vec.Trunc + 1

// OddSingle emits the rounding of float64 to odd at float32: where something is lost, the last bit is set. Rounding that to a
// narrower float gives the same as rounding the float64.
func OddSingle(b *vec.Builder, x vec.Reg) vec.Reg {
	o, y := singles(b), toSingle(b, x)
	less, more := misses(b, x, y)
	lost := b.Do(vec.MOr, vec.NoType, less, more)
	towards := o.do(vec.Sub, y, o.pick(more, o.int(1), o.int(0)))
	return o.pick(lost, o.do(vec.Or, towards, o.int(1)), y)
}

// misses tells where the float32 y is nearer to zero than the float64 x, which was rounded to it, and where it is farther.
func misses(b *vec.Builder, x, y vec.Reg) (less, more vec.Reg) {
	d := doubles(b)
	exact, got := d.abs(x), d.abs(toDouble(b, y))
	return d.is(got, vec.LT, exact), d.is(got, vec.GT, exact)
}

// Single emits the rounding of float64 to float32.
func Single(b *vec.Builder, mode vec.Rounding, x vec.Reg) vec.Reg {
	y := toSingle(b, x)
	if mode == vec.Nearest {
		return y
	}
	less, more := misses(b, x, y)
	return singles(b).towards(mode, y, less, more)
}

// towards moves a number, which was rounded to the nearest, to its other neighbour where the direction asks for it: less and
// more tell where it is nearer to zero or farther than the exact one. Magnitudes are in the order of the bits.
func (o floats) towards(mode vec.Rounding, y, less, more vec.Reg) vec.Reg {
	move := o.pick(more, o.int(-1), o.int(0))
	if mode != vec.Trunc {
		grows := o.isInt(y, vec.LT, o.int(0)) // where the direction leads away from zero
		if mode == vec.Ceil {
			grows = o.Do(vec.MXor, vec.NoType, grows, o.DoImm(vec.MConst, vec.NoType, 1))
		}
		move = o.pick(grows, o.pick(less, o.int(1), o.int(0)), move)
	}
	return o.do(vec.Add, y, move)
}

// Cut emits the rounding of float32 to numbers whose last n bits are zero: in a direction, or to the nearest with ties away
// from zero. NaN stays NaN.
func Cut(b *vec.Builder, mode vec.Rounding, n int64, x vec.Reg) vec.Reg {
	o := singles(b)
	if mode == vec.Nearest {
		return roundTo(b, x, n)
	}
	var more vec.Reg
	switch all := o.int(1<<n - 1); mode {
	case vec.Trunc:
		more = o.int(0)
	case Away:
		more = o.int(1 << (n - 1))
	case vec.Ceil:
		more = o.pick(o.isInt(x, vec.LT, o.int(0)), o.int(0), all)
	default:
		more = o.pick(o.isInt(x, vec.LT, o.int(0)), all, o.int(0))
	}
	quiet := o.do(vec.Or, x, o.int(1<<22))
	return o.do(vec.And, o.pick(o.is(x, vec.Unordered, x), quiet, o.do(vec.Add, x, more)), o.int(-1<<n))
}

// Half emits the rounding of float32 to numbers that f16 has.
func Half(b *vec.Builder, mode vec.Rounding, x vec.Reg) vec.Reg {
	o := singles(b)
	h := b.Convert(vec.FConvert, vec.F16, vec.F32, x)
	y := b.Convert(vec.FConvert, vec.F32, vec.F16, h)
	if mode == vec.Nearest {
		return y
	}
	// The same bits of 16 lanes are in wider ones, so that the move is that of float32.
	less, more := o.is(o.abs(y), vec.LT, o.abs(x)), o.is(o.abs(y), vec.GT, o.abs(x))
	wide := b.Convert(vec.SignExtend, vec.I32, vec.I16, h)
	h = b.Convert(vec.Truncate, vec.I16, vec.I32, o.towards(mode, wide, less, more))
	return b.Convert(vec.FConvert, vec.F32, vec.F16, h)
}

// Wide emits an operation on float64 that come from float32, for a result that is rounded to float32 or fewer bits
// afterwards: where that could round a second time, it is rounded to odd. down is set for rounding down, when a sum that
// cancels is -0.
func Wide(b *vec.Builder, op vec.Op, down bool, args []vec.Reg) vec.Reg {
	d := doubles(b)
	switch op {
	case vec.FAdd:
		return d.oddSum(args[0], args[1], down)
	case vec.FSub:
		return d.oddSum(args[0], d.neg(args[1]), down)
	case vec.FMulAdd:
		return d.oddSum(d.mul(args[0], args[1]), args[2], down)
	}
	return b.Do(op, vec.F64, args...) // exact, or so far from the next float32 that rounding twice is right
}

func (o floats) oddSum(x, y vec.Reg, down bool) vec.Reg {
	s := odd(o, o.exactSum(x, y))
	if !down {
		return s
	}
	signs := o.do(vec.And, o.do(vec.Or, x, y), o.sign())
	return o.pick(o.is(s, vec.EQ, o.num(0)), o.do(vec.Or, s, signs), s)
}

// odd is a pair as a float64 that is rounded to odd: where something is lost, the last bit is set. Rounding that to two bits
// fewer, or more, gives the same as rounding the pair.
func odd(o floats, x pair) vec.Reg {
	zero := o.num(0)
	less, more := o.is(x.lo, vec.LT, zero), o.is(x.lo, vec.GT, zero)
	away := o.Do(vec.MXor, vec.NoType, more, o.isInt(x.hi, vec.LT, o.int(0)))
	next := o.pick(away, o.int(1), o.int(-1))
	even := o.isInt(o.do(vec.And, x.hi, o.int(1)), vec.EQ, o.int(0))
	moves := o.Do(vec.MAnd, vec.NoType, even, o.Do(vec.MOr, vec.NoType, less, more))
	return o.pick(moves, o.do(vec.Add, x.hi, next), x.hi)
}
