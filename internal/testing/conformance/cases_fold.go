package conformance

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cutile-go/cutile/dtype"
)

// Tiles of these shapes are folded, by rank.
var foldTiles = [][]int{nil, {16}, {4, 8}, {2, 4, 8}, {2, 2, 4, 4}}

// folds are the cases of reductions and scans: every rank and axis for three element types, rank 2 for the others.
func folds() []Case {
	return slices.Concat(
		folding[dtype.Float16](2, 0, inst("fold0", "F16T2[D4, D8]", "F16T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "F16T2[D4, D8]", "F16T2[D1, D8]", "F16")),
		folding[dtype.Float16](2, 1, inst("fold1", "F16T2[D4, D8]", "F16T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "F16T2[D4, D8]", "F16T2[D4, D1]", "F16")),
		folding[dtype.BFloat16](2, 0, inst("fold0", "BF16T2[D4, D8]", "BF16T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "BF16T2[D4, D8]", "BF16T2[D1, D8]", "BF16")),
		folding[dtype.BFloat16](2, 1, inst("fold1", "BF16T2[D4, D8]", "BF16T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "BF16T2[D4, D8]", "BF16T2[D4, D1]", "BF16")),
		folding[float32](1, 0, inst("fold0", "F32T1[D16]", "F32T1[D1]", "I32T1[D1]"), inst("scan0", "F32T1[D16]", "F32T1[D1]", "F32")),
		folding[float32](2, 0, inst("fold0", "F32T2[D4, D8]", "F32T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "F32T2[D4, D8]", "F32T2[D1, D8]", "F32")),
		folding[float32](2, 1, inst("fold1", "F32T2[D4, D8]", "F32T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "F32T2[D4, D8]", "F32T2[D4, D1]", "F32")),
		folding[float32](3, 0, inst("fold0", "F32T3[D2, D4, D8]", "F32T3[D1, D4, D8]", "I32T3[D1, D4, D8]"), inst("scan0", "F32T3[D2, D4, D8]", "F32T3[D1, D4, D8]", "F32")),
		folding[float32](3, 1, inst("fold1", "F32T3[D2, D4, D8]", "F32T3[D2, D1, D8]", "I32T3[D2, D1, D8]"), inst("scan1", "F32T3[D2, D4, D8]", "F32T3[D2, D1, D8]", "F32")),
		folding[float32](3, 2, inst("fold2", "F32T3[D2, D4, D8]", "F32T3[D2, D4, D1]", "I32T3[D2, D4, D1]"), inst("scan2", "F32T3[D2, D4, D8]", "F32T3[D2, D4, D1]", "F32")),
		folding[float32](4, 0, inst("fold0", "F32T4[D2, D2, D4, D4]", "F32T4[D1, D2, D4, D4]", "I32T4[D1, D2, D4, D4]"), inst("scan0", "F32T4[D2, D2, D4, D4]", "F32T4[D1, D2, D4, D4]", "F32")),
		folding[float32](4, 1, inst("fold1", "F32T4[D2, D2, D4, D4]", "F32T4[D2, D1, D4, D4]", "I32T4[D2, D1, D4, D4]"), inst("scan1", "F32T4[D2, D2, D4, D4]", "F32T4[D2, D1, D4, D4]", "F32")),
		folding[float32](4, 2, inst("fold2", "F32T4[D2, D2, D4, D4]", "F32T4[D2, D2, D1, D4]", "I32T4[D2, D2, D1, D4]"), inst("scan2", "F32T4[D2, D2, D4, D4]", "F32T4[D2, D2, D1, D4]", "F32")),
		folding[float32](4, 3, inst("fold3", "F32T4[D2, D2, D4, D4]", "F32T4[D2, D2, D4, D1]", "I32T4[D2, D2, D4, D1]"), inst("scan3", "F32T4[D2, D2, D4, D4]", "F32T4[D2, D2, D4, D1]", "F32")),
		folding[float64](2, 0, inst("fold0", "F64T2[D4, D8]", "F64T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "F64T2[D4, D8]", "F64T2[D1, D8]", "F64")),
		folding[float64](2, 1, inst("fold1", "F64T2[D4, D8]", "F64T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "F64T2[D4, D8]", "F64T2[D4, D1]", "F64")),
		folding[int8](2, 0, inst("fold0", "I8T2[D4, D8]", "I8T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "I8T2[D4, D8]", "I8T2[D1, D8]", "I8")),
		folding[int8](2, 1, inst("fold1", "I8T2[D4, D8]", "I8T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "I8T2[D4, D8]", "I8T2[D4, D1]", "I8")),
		folding[int16](2, 0, inst("fold0", "I16T2[D4, D8]", "I16T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "I16T2[D4, D8]", "I16T2[D1, D8]", "I16")),
		folding[int16](2, 1, inst("fold1", "I16T2[D4, D8]", "I16T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "I16T2[D4, D8]", "I16T2[D4, D1]", "I16")),
		folding[int32](1, 0, inst("fold0", "I32T1[D16]", "I32T1[D1]", "I32T1[D1]"), inst("scan0", "I32T1[D16]", "I32T1[D1]", "I32")),
		folding[int32](2, 0, inst("fold0", "I32T2[D4, D8]", "I32T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "I32T2[D4, D8]", "I32T2[D1, D8]", "I32")),
		folding[int32](2, 1, inst("fold1", "I32T2[D4, D8]", "I32T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "I32T2[D4, D8]", "I32T2[D4, D1]", "I32")),
		folding[int32](3, 0, inst("fold0", "I32T3[D2, D4, D8]", "I32T3[D1, D4, D8]", "I32T3[D1, D4, D8]"), inst("scan0", "I32T3[D2, D4, D8]", "I32T3[D1, D4, D8]", "I32")),
		folding[int32](3, 1, inst("fold1", "I32T3[D2, D4, D8]", "I32T3[D2, D1, D8]", "I32T3[D2, D1, D8]"), inst("scan1", "I32T3[D2, D4, D8]", "I32T3[D2, D1, D8]", "I32")),
		folding[int32](3, 2, inst("fold2", "I32T3[D2, D4, D8]", "I32T3[D2, D4, D1]", "I32T3[D2, D4, D1]"), inst("scan2", "I32T3[D2, D4, D8]", "I32T3[D2, D4, D1]", "I32")),
		folding[int32](4, 0, inst("fold0", "I32T4[D2, D2, D4, D4]", "I32T4[D1, D2, D4, D4]", "I32T4[D1, D2, D4, D4]"), inst("scan0", "I32T4[D2, D2, D4, D4]", "I32T4[D1, D2, D4, D4]", "I32")),
		folding[int32](4, 1, inst("fold1", "I32T4[D2, D2, D4, D4]", "I32T4[D2, D1, D4, D4]", "I32T4[D2, D1, D4, D4]"), inst("scan1", "I32T4[D2, D2, D4, D4]", "I32T4[D2, D1, D4, D4]", "I32")),
		folding[int32](4, 2, inst("fold2", "I32T4[D2, D2, D4, D4]", "I32T4[D2, D2, D1, D4]", "I32T4[D2, D2, D1, D4]"), inst("scan2", "I32T4[D2, D2, D4, D4]", "I32T4[D2, D2, D1, D4]", "I32")),
		folding[int32](4, 3, inst("fold3", "I32T4[D2, D2, D4, D4]", "I32T4[D2, D2, D4, D1]", "I32T4[D2, D2, D4, D1]"), inst("scan3", "I32T4[D2, D2, D4, D4]", "I32T4[D2, D2, D4, D1]", "I32")),
		folding[int64](2, 0, inst("fold0", "I64T2[D4, D8]", "I64T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "I64T2[D4, D8]", "I64T2[D1, D8]", "I64")),
		folding[int64](2, 1, inst("fold1", "I64T2[D4, D8]", "I64T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "I64T2[D4, D8]", "I64T2[D4, D1]", "I64")),
		folding[uint8](1, 0, inst("fold0", "U8T1[D16]", "U8T1[D1]", "I32T1[D1]"), inst("scan0", "U8T1[D16]", "U8T1[D1]", "U8")),
		folding[uint8](2, 0, inst("fold0", "U8T2[D4, D8]", "U8T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "U8T2[D4, D8]", "U8T2[D1, D8]", "U8")),
		folding[uint8](2, 1, inst("fold1", "U8T2[D4, D8]", "U8T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "U8T2[D4, D8]", "U8T2[D4, D1]", "U8")),
		folding[uint8](3, 0, inst("fold0", "U8T3[D2, D4, D8]", "U8T3[D1, D4, D8]", "I32T3[D1, D4, D8]"), inst("scan0", "U8T3[D2, D4, D8]", "U8T3[D1, D4, D8]", "U8")),
		folding[uint8](3, 1, inst("fold1", "U8T3[D2, D4, D8]", "U8T3[D2, D1, D8]", "I32T3[D2, D1, D8]"), inst("scan1", "U8T3[D2, D4, D8]", "U8T3[D2, D1, D8]", "U8")),
		folding[uint8](3, 2, inst("fold2", "U8T3[D2, D4, D8]", "U8T3[D2, D4, D1]", "I32T3[D2, D4, D1]"), inst("scan2", "U8T3[D2, D4, D8]", "U8T3[D2, D4, D1]", "U8")),
		folding[uint8](4, 0, inst("fold0", "U8T4[D2, D2, D4, D4]", "U8T4[D1, D2, D4, D4]", "I32T4[D1, D2, D4, D4]"), inst("scan0", "U8T4[D2, D2, D4, D4]", "U8T4[D1, D2, D4, D4]", "U8")),
		folding[uint8](4, 1, inst("fold1", "U8T4[D2, D2, D4, D4]", "U8T4[D2, D1, D4, D4]", "I32T4[D2, D1, D4, D4]"), inst("scan1", "U8T4[D2, D2, D4, D4]", "U8T4[D2, D1, D4, D4]", "U8")),
		folding[uint8](4, 2, inst("fold2", "U8T4[D2, D2, D4, D4]", "U8T4[D2, D2, D1, D4]", "I32T4[D2, D2, D1, D4]"), inst("scan2", "U8T4[D2, D2, D4, D4]", "U8T4[D2, D2, D1, D4]", "U8")),
		folding[uint8](4, 3, inst("fold3", "U8T4[D2, D2, D4, D4]", "U8T4[D2, D2, D4, D1]", "I32T4[D2, D2, D4, D1]"), inst("scan3", "U8T4[D2, D2, D4, D4]", "U8T4[D2, D2, D4, D1]", "U8")),
		folding[uint16](2, 0, inst("fold0", "U16T2[D4, D8]", "U16T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "U16T2[D4, D8]", "U16T2[D1, D8]", "U16")),
		folding[uint16](2, 1, inst("fold1", "U16T2[D4, D8]", "U16T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "U16T2[D4, D8]", "U16T2[D4, D1]", "U16")),
		folding[uint32](2, 0, inst("fold0", "U32T2[D4, D8]", "U32T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "U32T2[D4, D8]", "U32T2[D1, D8]", "U32")),
		folding[uint32](2, 1, inst("fold1", "U32T2[D4, D8]", "U32T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "U32T2[D4, D8]", "U32T2[D4, D1]", "U32")),
		folding[uint64](2, 0, inst("fold0", "U64T2[D4, D8]", "U64T2[D1, D8]", "I32T2[D1, D8]"), inst("scan0", "U64T2[D4, D8]", "U64T2[D1, D8]", "U64")),
		folding[uint64](2, 1, inst("fold1", "U64T2[D4, D8]", "U64T2[D4, D1]", "I32T2[D4, D1]"), inst("scan1", "U64T2[D4, D8]", "U64T2[D4, D1]", "U64")),
	)
}

// maskFolds are the cases of Any and All, and of sums that no order adds up exactly.
func maskFolds() []Case {
	return []Case{
		foldNear[dtype.Float16](inst("sums", "dtype.Float16", "D4", "D256")),
		foldNear[dtype.BFloat16](inst("sums", "dtype.BFloat16", "D4", "D256")),
		foldNear[float32](inst("sums", "float32", "D4", "D256")),
		foldNear[float64](inst("sums", "float64", "D4", "D256")),
		foldingMasks(1, 0, inst("any10", "D16")),
		foldingMasks(2, 0, inst("any20", "D4", "D8")),
		foldingMasks(2, 1, inst("any21", "D4", "D8")),
		foldingMasks(3, 0, inst("any30", "D2", "D4", "D8")),
		foldingMasks(3, 1, inst("any31", "D2", "D4", "D8")),
		foldingMasks(3, 2, inst("any32", "D2", "D4", "D8")),
		foldingMasks(4, 0, inst("any40", "D2", "D2", "D4", "D4")),
		foldingMasks(4, 1, inst("any41", "D2", "D2", "D4", "D4")),
		foldingMasks(4, 2, inst("any42", "D2", "D2", "D4", "D4")),
		foldingMasks(4, 3, inst("any43", "D2", "D2", "D4", "D4")),
	}
}

// along applies a function to each line of a tensor along an axis: its results take the line's place.
func along[A, B any](x []A, shape []int, axis int, f func(line []A) []B) []B {
	inner := 1
	for _, n := range shape[axis+1:] {
		inner *= n
	}
	n := shape[axis]
	var out []B
	for at := range x {
		if at/inner%n != 0 {
			continue
		}
		line := make([]A, n)
		for i := range line {
			line[i] = x[at+i*inner]
		}
		res := f(line)
		if out == nil {
			out = make([]B, len(x)/n*len(res))
		}
		base := at/(inner*n)*(inner*len(res)) + at%inner
		for i, v := range res {
			out[base+i*inner] = v
		}
	}
	return out
}

// one makes a function of along that gives one result.
func one[A, B any](f func(line []A) B) func(line []A) []B {
	return func(line []A) []B { return []B{f(line)} }
}

// chained folds a line from the left.
func chained[E any](f func(a, b E) E) func(line []E) E {
	return func(line []E) E {
		acc := line[0]
		for _, v := range line[1:] {
			acc = f(acc, v)
		}
		return acc
	}
}

// running gives each fold of the line's beginning.
func running[E any](f func(a, b E) E) func(line []E) []E {
	return func(line []E) []E {
		out := slices.Clone(line)
		for i := 1; i < len(out); i++ {
			out[i] = f(out[i-1], out[i])
		}
		return out
	}
}

func plus[E dtype.Elem](a, b E) E {
	return arithmetic(a, b, func(a, b float64) float64 { return a + b }, func(a, b uint64) uint64 { return a + b })
}

func times[E dtype.Elem](a, b E) E {
	return arithmetic(a, b, func(a, b float64) float64 { return a * b }, func(a, b uint64) uint64 { return a * b })
}

// arithmetic does floats as float64 and integers modulo 2^64, of which the low bits are right for every width.
func arithmetic[E dtype.Elem](a, b E, f func(a, b float64) float64, i func(a, b uint64) uint64) E {
	if dtype.Of[E]().IsFloat() {
		return fromF64[E](f(toF64(a), toF64(b)))
	}
	return fromBits[E](i(bits(a), bits(b)))
}

// bits is the element's bits, extended with zeros.
func bits[E dtype.Elem](v E) (n uint64) {
	for i, b := range bytesOf([]E{v}) {
		n |= uint64(b) << (8 * i)
	}
	return n
}

func greater[E dtype.Elem](a, b E) E {
	if less, _ := order(a, b); less {
		return b
	}
	return a
}

func lesser[E dtype.Elem](a, b E) E {
	if less, _ := order(b, a); less {
		return b
	}
	return a
}

// place is where a line first has what f picks of it.
func place[E dtype.Elem](f func(a, b E) E) func(line []E) int32 {
	return func(line []E) int32 {
		best := chained(f)(line)
		return int32(slices.IndexFunc(line, func(v E) bool { _, same := order(v, best); return same }))
	}
}

// folded gives a shape with an extent of 1 along an axis.
func folded(shape []int, axis int) []int {
	out := slices.Clone(shape)
	out[axis] = 1
	return out
}

// foldShape is a tensor of ragged tiles, but for the axis that is folded.
func foldShape(rank, axis int) []int {
	shape := slices.Clone(foldTiles[rank])
	for a := range shape {
		if a != axis {
			shape[a] = shape[a]*2 + 1
		}
	}
	return shape
}

// foldData has integers over their whole range, and floats whose sums and products are exact in any order.
func foldData[E dtype.Elem](r *rand.Rand, n int) []E {
	if !dtype.Of[E]().IsFloat() {
		x := random[E](r, n)
		for i, v := range edges[E]() {
			x[(i*5)%n] = v
		}
		return x
	}
	x := make([]E, n)
	for i := range x {
		x[i] = fromF64[E]([]float64{-1, 1, 2, -2, 1, -1, 1, -1, 0.5}[r.IntN(9)])
	}
	return x
}

func folding[E dtype.Elem](rank, axis int, fold, scan any) []Case {
	shape := foldShape(rank, axis)
	return []Case{
		{Name: fmt.Sprintf("%s/rank%d/axis%d", label[E]("fold"), rank, axis), Kernel: fold, Setup: func(r *rand.Rand) Setup {
			x := foldData[E](r, product(shape))
			s := Setup{Args: []any{arr(x, shape...)}}
			for _, f := range []func(a, b E) E{plus[E], times[E], greater[E], lesser[E]} {
				z := blank[E](folded(shape, axis)...)
				s.Args, s.Want = append(s.Args, z), append(s.Want, exactly(z, along(x, shape, axis, one(chained(f)))))
			}
			for _, f := range []func(a, b E) E{greater[E], lesser[E]} {
				z := blank[int32](folded(shape, axis)...)
				s.Args, s.Want = append(s.Args, z), append(s.Want, exactly(z, along(x, shape, axis, one(place(f)))))
			}
			return s
		}},
		{Name: fmt.Sprintf("%s/rank%d/axis%d", label[E]("scan"), rank, axis), Kernel: scan, Setup: func(r *rand.Rand) Setup {
			x := small[E](r, product(shape), 0, 9)
			low := fromF64[E](6)
			sum, most, floor := blank[E](shape...), blank[E](shape...), blank[E](folded(shape, axis)...)
			return Setup{Args: []any{arr(x, shape...), sum, most, floor, low}, Want: []Want{
				exactly(sum, along(x, shape, axis, running(plus[E]))),
				exactly(most, along(x, shape, axis, running(greater[E]))),
				exactly(floor, along(x, shape, axis, func(line []E) []E { return []E{greater(chained(greater[E])(line), low)} })),
			}}
		}},
	}
}

func product(shape []int) int {
	n := 1
	for _, e := range shape {
		n *= e
	}
	return n
}

func foldingMasks(rank, axis int, kernel any) Case {
	shape := foldShape(rank, axis)
	count := func(line []int8) (n int) {
		for _, v := range line {
			if v > 0 {
				n++
			}
		}
		return n
	}
	return Case{Name: fmt.Sprintf("fold/bool/rank%d/axis%d", rank, axis), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		x := small[int8](r, product(shape), 0, 1)
		for i := range x {
			if i%3 == 0 || r.IntN(4) > 0 { // lines of one kind must come up, too
				x[i] = x[0]
			}
		}
		some, every := blank[int8](folded(shape, axis)...), blank[int8](folded(shape, axis)...)
		return Setup{Args: []any{arr(x, shape...), some, every}, Want: []Want{
			exactly(some, along(x, shape, axis, one(func(line []int8) int8 { return flags[int8](count(line) > 0) }))),
			exactly(every, along(x, shape, axis, one(func(line []int8) int8 { return flags[int8](count(line) == len(line)) }))),
		}}
	}}
}

// foldNear sums random numbers. In whatever order, each of the n-1 additions is off by half a unit in the last place of a
// sum that is at most that of the magnitudes.
func foldNear[E floatElem](kernel any) Case {
	return Case{Name: label[E]("fold/near"), Kernel: kernel, Setup: func(r *rand.Rand) Setup {
		shape := []int{9, 256}
		x := random[E](r, product(shape))
		sum, prefix := blank[E](folded(shape, 1)...), blank[E](shape...)
		var tolSum, tolPrefix, wantSum, wantPrefix []float64
		for i := range shape[0] {
			s, magnitude := 0.0, 0.0
			for _, v := range x[i*shape[1] : (i+1)*shape[1]] {
				s, magnitude = s+toF64(v), magnitude+math.Abs(toF64(v))
				wantPrefix = append(wantPrefix, s)
				tolPrefix = append(tolPrefix, float64(shape[1])*magnitude*formats[dtype.Of[E]()].ulp(1)/2)
			}
			wantSum, tolSum = append(wantSum, s), append(tolSum, tolPrefix[len(tolPrefix)-1])
		}
		return Setup{Args: []any{arr(x, shape...), sum, prefix}, Want: []Want{{Array: sum, Near: wantSum, Tol: tolSum}, {Array: prefix, Near: wantPrefix, Tol: tolPrefix}}}
	}}
}
