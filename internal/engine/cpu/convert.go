package cpu

import (
	"math"
	"unsafe"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/native/vecmath/mathloops"
	"github.com/cutile-go/cutile/tileir"
)

// widening are the conversions to float32, which is exact, for the narrower floats.
var widening = map[tileir.Elem]kernel{
	tileir.F16: unary(widenF16), tileir.BF16: unary(widenBF16),
}

// toFloat64 are the conversions to float64, which is exact.
var toFloat64 = map[tileir.Elem]kernel{
	tileir.F16:  unary(func(d []float64, a []dtype.Float16) { eachTo64(d, a, dtype.Float16.Float64) }),
	tileir.BF16: unary(func(d []float64, a []dtype.BFloat16) { eachTo64(d, a, dtype.BFloat16.Float64) }),
	tileir.F32:  unary(convert[float64, float32]), tileir.TF32: unary(convert[float64, float32]),
	tileir.F64: unary(func(d, a []float64) { copy(d, a) }),
}

func eachTo64[A any](d []float64, a []A, f func(A) float64) {
	a = a[:len(d)]
	for i := range d {
		d[i] = f(a[i])
	}
}

// fromFloat64 makes the conversion from float64 in a rounding mode.
func fromFloat64(to tileir.Elem, mode rounding) kernel {
	switch to {
	case tileir.F64:
		return unary(func(d, a []float64) { copy(d, a) })
	case tileir.F32:
		if mode == tileir.RoundingNearestEven {
			return unary(convert[float32, float64])
		}
		return unary(func(d []float32, a []float64) {
			for i := range d {
				d[i] = round32(a[i], mode)
			}
		})
	}
	last := narrowing(to, mode)
	if last == nil {
		return nil
	}
	return func(d, a, _, _ ptr, n int) { // to odd first, so that the second rounding is the only one
		var wide [stripLen]float32
		src := slice[float64](a, n)
		for lo := 0; lo < n; lo += stripLen {
			m := min(stripLen, n-lo)
			for i, x := range src[lo : lo+m] {
				wide[i] = round32(x, toOdd)
			}
			last(unsafe.Add(d, lo*to.Bytes()), ptr(&wide), nil, nil, m)
		}
	}
}

// saturate converts to an integer as CUDA does: toward zero, out of range to the nearest integer there is, NaN to zero.
func saturate[D integer](least, greatest D) kernel {
	lo, hi := float64(least), float64(greatest)
	return unary(func(d []D, a []float64) {
		a = a[:len(d)]
		for i := range d {
			switch x := a[i]; {
			case x != x:
				d[i] = 0
			case x <= lo:
				d[i] = least
			case x >= hi:
				d[i] = greatest
			default:
				d[i] = D(x)
			}
		}
	})
}

// nonzero converts to i1 as NVIDIA's code does, whatever the signedness: true where x != 0, which holds for NaN.
var nonzero = unary(func(d []uint8, a []float64) {
	for i, x := range a[:len(d)] {
		d[i] = truth(x != 0)
	}
})

// saturations are those conversions by element type and signedness.
var saturations = map[tileir.Elem][2]kernel{
	tileir.I1:  {nonzero, nonzero},
	tileir.I8:  {saturate[uint8](0, math.MaxUint8), saturate[int8](math.MinInt8, math.MaxInt8)},
	tileir.I16: {saturate[uint16](0, math.MaxUint16), saturate[int16](math.MinInt16, math.MaxInt16)},
	tileir.I32: {saturate[uint32](0, math.MaxUint32), saturate[int32](math.MinInt32, math.MaxInt32)},
	tileir.I64: {saturate[uint64](0, math.MaxUint64), saturate[int64](math.MinInt64, math.MaxInt64)},
}

// toFloat are the conversions of integers to float64, rounded to odd where they do not fit, by signedness.
var toFloat = map[tileir.Elem][2]kernel{
	tileir.I1: {unary(convert[float64, uint8]), unary(func(d []float64, a []uint8) {
		for i, x := range a[:len(d)] {
			d[i] = -float64(x) + 0
		}
	})},
	tileir.I8:  {unary(convert[float64, uint8]), unary(convert[float64, int8])},
	tileir.I16: {unary(convert[float64, uint16]), unary(convert[float64, int16])},
	tileir.I32: {unary(convert[float64, uint32]), unary(convert[float64, int32])},
	tileir.I64: {unary(oddUint64), unary(oddInt64)},
}

func oddUint64(d []float64, a []uint64) {
	for i, x := range a[:len(d)] {
		d[i] = oddMagnitude(x)
	}
}

func oddInt64(d []float64, a []int64) {
	for i, x := range a[:len(d)] {
		if x < 0 {
			d[i] = -oddMagnitude(-uint64(x))
		} else {
			d[i] = oddMagnitude(uint64(x))
		}
	}
}

// oddMagnitude rounds to odd at 53 bits.
func oddMagnitude(x uint64) float64 {
	if x>>53 == 0 {
		return float64(x)
	}
	if x&0x7ff != 0 {
		x = x&^0x7ff | 0x800
	}
	return float64(x)
}

// exact64 are the conversions of 64-bit integers to float64 to the nearest.
var exact64 = [2]kernel{unary(convert[float64, uint64]), unary(convert[float64, int64])}

// loopFToI compiles ftoi.
func loopFToI(c *compiler, op *tileir.Op) (*elementwise, error) {
	from, to := tileType(op.Operands[0]), tileType(op.Results[0])
	widen, ok := toFloat64[from.Elem]
	if !ok {
		return nil, unsupported(op, from, "it cannot convert from this element type")
	}
	e := c.newElementwise(op, saturations[to.Elem][op.Int("signedness")], op.Operands[0])
	e.in[0].convert, e.in[0].wide = widen, 8
	return e, nil
}

// loopIToF compiles itof.
func loopIToF(c *compiler, op *tileir.Op) (*elementwise, error) {
	from, to := tileType(op.Operands[0]), tileType(op.Results[0])
	run := fromFloat64(to.Elem, tileir.RoundingNearestEven)
	if run == nil {
		return nil, unsupported(op, to, "it cannot convert to this element type")
	}
	signed := op.Int("signedness")
	if to.Elem == tileir.F64 && from.Elem == tileir.I64 {
		return c.newElementwise(op, exact64[signed], op.Operands[0]), nil
	}
	e := c.newElementwise(op, run, op.Operands[0])
	e.in[0].convert, e.in[0].wide = toFloat[from.Elem][signed], 8
	return e, nil
}

// loopFToF compiles ftof.
func loopFToF(c *compiler, op *tileir.Op) (*elementwise, error) {
	from, to, mode := tileType(op.Operands[0]).Elem, tileType(op.Results[0]).Elem, rounding(op.Int("rounding_mode"))
	single := func(e tileir.Elem) bool { return e == tileir.F32 || e == tileir.TF32 }
	switch widen, narrow := widening[from], narrowing(to, mode); {
	case widen != nil && single(to):
		return c.newElementwise(op, widen, op.Operands[0]), nil
	case single(from) && narrow != nil:
		return c.newElementwise(op, narrow, op.Operands[0]), nil
	case widen != nil && narrow != nil:
		e := c.newElementwise(op, narrow, op.Operands[0])
		e.in[0].convert, e.in[0].wide = widen, 4
		return e, nil
	}
	widen, narrow := toFloat64[from], fromFloat64(to, mode)
	if widen == nil {
		return nil, unsupported(op, op.Operands[0].Type, "it cannot convert from this element type")
	}
	if narrow == nil {
		return nil, unsupported(op, op.Results[0].Type, "it cannot convert to this element type")
	}
	e := c.newElementwise(op, narrow, op.Operands[0])
	if from != tileir.F64 {
		e.in[0].convert, e.in[0].wide = widen, 8
	}
	return e, nil
}

// intPair is the widths of an integer conversion in bytes, and whether the sign is kept.
type intPair struct {
	to, from int
	signed   bool
}

var intConversions = map[intPair]kernel{
	{2, 1, true}: unary(convert[int16, int8]), {2, 1, false}: unary(convert[uint16, uint8]),
	{4, 1, true}: unary(convert[int32, int8]), {4, 1, false}: unary(convert[uint32, uint8]),
	{8, 1, true}: unary(convert[int64, int8]), {8, 1, false}: unary(convert[uint64, uint8]),
	{4, 2, true}: unary(convert[int32, int16]), {4, 2, false}: unary(convert[uint32, uint16]),
	{8, 2, true}: unary(convert[int64, int16]), {8, 2, false}: unary(convert[uint64, uint16]),
	{8, 4, true}: unary(convert[int64, int32]), {8, 4, false}: unary(convert[uint64, uint32]),
	{1, 2, false}: unary(convert[uint8, uint16]), {1, 4, false}: unary(convert[uint8, uint32]),
	{1, 8, false}: unary(convert[uint8, uint64]), {2, 4, false}: unary(convert[uint16, uint32]),
	{2, 8, false}: unary(convert[uint16, uint64]), {4, 8, false}: unary(convert[uint32, uint64]),
	{1, 1, false}: unary(func(d, a []uint8) { copy(d, a) }), {1, 1, true}: unary(func(d, a []uint8) { copy(d, a) }),
}

// bitExtensions bring i1 and i4 to a byte, by signedness.
var bitExtensions = map[tileir.Elem][2]kernel{
	tileir.I1: {unary(lowBit), unary(neg[int8])},
	tileir.I4: {unary(func(d, a []uint8) {
		for i, x := range a[:len(d)] {
			d[i] = x & 15
		}
	}), unary(func(d, a []int8) {
		for i, x := range a[:len(d)] {
			d[i] = x << 4 >> 4
		}
	})},
}

// extension makes the kernel that widens integers.
func extension(from, to tileir.Elem, signed bool) kernel {
	if by, ok := bitExtensions[from]; ok {
		first := by[tileir.Int(truth(signed))]
		last := intConversions[intPair{to.Bytes(), 1, signed}]
		return func(d, a, _, _ ptr, n int) {
			var wide [stripLen]uint8
			for lo := 0; lo < n; lo += stripLen {
				m := min(stripLen, n-lo)
				first(ptr(&wide), unsafe.Add(a, lo), nil, nil, m)
				last(unsafe.Add(d, lo*to.Bytes()), ptr(&wide), nil, nil, m)
			}
		}
	}
	return intConversions[intPair{to.Bytes(), from.Bytes(), signed}]
}

// loopExtI compiles exti.
func loopExtI(c *compiler, op *tileir.Op) (*elementwise, error) {
	from, to := tileType(op.Operands[0]).Elem, tileType(op.Results[0]).Elem
	run := extension(from, to, op.Int("signedness") != 0)
	e := c.newElementwise(op, run, op.Operands[0])
	if to == tileir.I4 { // from i1
		e.out.convert, e.out.wide = bitExtensions[tileir.I4][0], 1
	}
	return e, nil
}

// loopTruncI compiles trunci.
func loopTruncI(c *compiler, op *tileir.Op) (*elementwise, error) {
	from, to := tileType(op.Operands[0]).Elem, tileType(op.Results[0]).Elem
	e := c.newElementwise(op, intConversions[intPair{to.Bytes(), from.Bytes(), false}], op.Operands[0])
	if by, ok := bitExtensions[to]; ok {
		e.out.convert = by[0]
	}
	return e, nil
}

// loopFPowI compiles fpowi: that of float64 with the powers of floats, others in float32.
func loopFPowI(c *compiler, op *tileir.Op) (*elementwise, error) {
	t, power := tileType(op.Results[0]).Elem, tileType(op.Operands[1]).Elem
	if t == tileir.F64 {
		e := c.newElementwise(op, floats64[key{op: tileir.OpFPowF}], op.Operands...)
		e.in[1].convert, e.in[1].wide = toFloat[power][1], 8
		return e, nil
	}
	widen, narrow := widening[t], narrowing(t, tileir.RoundingNearestEven)
	if t != tileir.F32 && (widen == nil || narrow == nil) {
		return nil, unsupported(op, op.Results[0].Type, "it has no arithmetic for this element type")
	}
	run := powers32
	if power == tileir.I64 {
		run = powers64
	}
	e := c.newElementwise(op, run, op.Operands...)
	if t != tileir.F32 {
		e.in[0].convert, e.in[0].wide = widen, 4
		e.out.convert, e.out.wide = narrow, 4
	}
	if power.Bytes() < 4 {
		e.in[1].convert, e.in[1].wide = extension(power, tileir.I32, true), 4
	}
	return e, nil
}

// powers32 and powers64 are the powers of float32 with integers of 32 and 64 bits.
var (
	powers32 = withInts(mathloops.PowI32)
	powers64 = withInts(mathloops.PowI64)
)

func withInts[T integer](loop func(d, a []float32, b []T)) kernel {
	return func(d, a, b, _ ptr, n int) { loop(slice[float32](d, n), slice[float32](a, n), slice[T](b, n)) }
}
