package cost

import (
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// integer finds what an operation's first result is.
type integer func(e *evaluator, op *tileir.Op) number

// rule is how a binary operation is done.
type rule struct {
	f       binary
	corners bool
}

var rules = map[int]rule{
	tileir.OpAddI: {addInts, true}, tileir.OpSubI: {subInts, true}, tileir.OpMulI: {mulInts, true},
	tileir.OpMinI: {minInts, true}, tileir.OpMaxI: {maxInts, true}, tileir.OpShLI: {shiftLeft, true},
	tileir.OpShRI: {shiftRight, true}, tileir.OpDivI: {divInts, false}, tileir.OpRemI: {remInts, false},
	tileir.OpAndI: {andInts, false}, tileir.OpOrI: {orInts, false}, tileir.OpXOrI: {xorInts, false},
}

// integers has the operations that are evaluated; the results of others are unknown. init fills it in, as some refer to
// the evaluator.
var integers map[int]integer

func init() {
	integers = map[int]integer{
		tileir.OpConstant: (*evaluator).constant, tileir.OpIota: (*evaluator).iota, tileir.OpCmpI: (*evaluator).compare,
		tileir.OpSelect: (*evaluator).selected, tileir.OpExtI: (*evaluator).extend, tileir.OpTruncI: (*evaluator).truncate,
		tileir.OpBroadcast: (*evaluator).broadcast, tileir.OpNegI: (*evaluator).negate,
		tileir.OpAssume: same, tileir.OpReshape: same,
	}
	for code := range rules {
		integers[code] = (*evaluator).binary
	}
}

func same(e *evaluator, op *tileir.Op) number { return e.nums[op.Operands[0]] }

// intTile gives the type of a value that is a tile of integers.
func intTile(v *tileir.Value) (*tileir.TileType, bool) {
	t, ok := v.Type.(*tileir.TileType)
	return t, ok && !t.Pointer && t.Elem.IsInt()
}

// reads says how an operation reads its operands.
func reads(op *tileir.Op) operand {
	t, _ := intTile(op.Operands[0])
	in := operand{bits: t.Elem.Bits(), unsigned: op.Info.AttrIndex("signedness") >= 0 && tileir.Int(op.Int("signedness")) == tileir.Unsigned}
	for _, name := range []string{"rounding", "comparison_predicate"} {
		if op.Info.AttrIndex(name) >= 0 {
			in.mode = op.Int(name)
		}
	}
	return in
}

func (e *evaluator) binary(op *tileir.Op) number {
	t, _ := intTile(op.Results[0])
	a, b, r, in := e.nums[op.Operands[0]], e.nums[op.Operands[1]], rules[op.Info.Opcode], reads(op)
	code, ranges := op.Info.Opcode, a.known && b.known && !(a.listed() && b.listed())
	truths := t.Elem == tileir.I1 && (code == tileir.OpAndI || code == tileir.OpOrI)
	switch {
	case truths && (a.exact() && a.lo == truth(code == tileir.OpOrI) || b.exact() && b.lo == truth(code == tileir.OpOrI)):
		return exactly(truth(code == tileir.OpOrI)) // whatever the other is
	case truths && ranges:
		return combine(a, b, r.f, in, true, t.Size())
	case code == tileir.OpDivI && ranges:
		return combine(a, b, r.f, in, b.lo > 0, t.Size())
	case code == tileir.OpRemI && ranges && b.exact() && b.lo > 0 && a.lo >= 0:
		out := number{known: true, hi: min(a.hi, b.lo-1), deps: a.deps}
		if a.lo/b.lo == a.hi/b.lo {
			out.lo, out.hi = a.lo%b.lo, a.hi%b.lo
		}
		return out
	}
	return combine(a, b, r.f, in, r.corners, t.Size())
}

func (e *evaluator) constant(op *tileir.Op) number {
	c, ok := op.Attr("value").(*tileir.Constant)
	t, isInt := intTile(op.Results[0])
	if !ok || !isInt {
		return number{}
	}
	read := func(bits uint64) int64 { return wrap(int64(bits), t.Elem.Bits()) }
	if bits, splat := c.Splat(); splat {
		return exactly(read(bits))
	}
	if t.Size() > maxElems {
		return number{}
	}
	elems := make([]int64, t.Size())
	for i := range elems {
		elems[i] = read(c.Element(i))
	}
	return list(elems)
}

func (e *evaluator) iota(op *tileir.Op) number {
	t, _ := intTile(op.Results[0])
	if n, ok := e.iotas[t.Size()]; ok {
		return n
	}
	if t.Size() > maxElems || bits.Len(uint(t.Size()-1)) >= t.Elem.Bits() {
		return number{}
	}
	elems := make([]int64, t.Size())
	for i := range elems {
		elems[i] = int64(i)
	}
	n := list(elems)
	e.iotas[t.Size()] = n
	return n
}

func (e *evaluator) compare(op *tileir.Op) number {
	t, _ := intTile(op.Results[0])
	a, b, in := e.nums[op.Operands[0]], e.nums[op.Operands[1]], reads(op)
	if a.listed() && b.listed() && t.Size() <= maxElems {
		in.bits = 64 // of the operands, which are in range: the results are not
		return combine(a, b, compareInts, in, false, t.Size())
	}
	return compareRanges(a, b, in)
}

func (e *evaluator) selected(op *tileir.Op) number {
	c, a, b := e.nums[op.Operands[0]], e.nums[op.Operands[1]], e.nums[op.Operands[2]]
	t, isInt := intTile(op.Results[0])
	switch {
	case !isInt || !c.known:
		return number{}
	case c.exact() && c.lo != 0:
		return a
	case c.exact():
		return b
	case c.listed() && a.listed() && b.listed():
		elems := make([]int64, t.Size())
		for i := range elems {
			if elems[i] = b.at(i); c.at(i) != 0 {
				elems[i] = a.at(i)
			}
		}
		return list(elems)
	}
	out := hull(a, b)
	out.deps |= c.deps
	return out
}

// extend does exti: a number keeps its value, but for the one that is read as unsigned.
func (e *evaluator) extend(op *tileir.Op) number {
	n := e.nums[op.Operands[0]]
	from, _ := intTile(op.Operands[0])
	signed := tileir.Int(op.Int("signedness")) == tileir.Signed
	switch {
	case !n.known || from.Elem == tileir.I1 && !signed || from.Elem != tileir.I1 && (signed || n.lo >= 0):
		return n
	case n.exact() && from.Elem == tileir.I1:
		return exactly(-n.lo)
	case n.exact():
		return exactly(int64(operand{bits: from.Elem.Bits()}.raw(n.lo)))
	}
	return anything(n.deps)
}

// truncate does trunci: a number that fits keeps its value.
func (e *evaluator) truncate(op *tileir.Op) number {
	n := e.nums[op.Operands[0]]
	to, _ := intTile(op.Results[0])
	width := to.Elem.Bits()
	switch {
	case !n.known || wrap(n.lo, width) == n.lo && wrap(n.hi, width) == n.hi:
		return n
	case n.exact():
		return exactly(wrap(n.lo, width))
	}
	return anything(n.deps)
}

func (e *evaluator) negate(op *tileir.Op) number {
	t, _ := intTile(op.Results[0])
	return combine(exactly(0), e.nums[op.Operands[0]], subInts, operand{bits: t.Elem.Bits()}, true, t.Size())
}

// broadcast repeats elements along dimensions of one.
func (e *evaluator) broadcast(op *tileir.Op) number {
	n := e.nums[op.Operands[0]]
	from, isInt := intTile(op.Operands[0])
	to := op.Results[0].Type.(*tileir.TileType)
	if n.elems == nil || slices.Equal(from.Shape, to.Shape) {
		return n
	}
	if !isInt || to.Size() > maxElems {
		return number{}
	}
	elems := make([]int64, to.Size())
	index := make([]int, to.Rank())
	for i := range elems {
		at := 0
		for d, k := range index {
			at = at*from.Shape[d] + min(k, from.Shape[d]-1)
		}
		elems[i] = n.elems[at]
		for d := len(index) - 1; d >= 0; d-- {
			if index[d]++; index[d] < to.Shape[d] {
				break
			}
			index[d] = 0
		}
	}
	return list(elems)
}
