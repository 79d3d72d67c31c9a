package cost

import (
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// integer finds what an operation's first result is.
type integer func(e *evaluator, op *tileir.Op) number

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
	for _, in := range tileir.Infos() {
		if ranges.Computes(in) {
			integers[in.Opcode] = (*evaluator).binary
		}
	}
}

func same(e *evaluator, op *tileir.Op) number { return e.nums[op.Operands[0]] }

// intTile gives the type of a value that is a tile of integers.
func intTile(v *tileir.Value) (*tileir.TileType, bool) {
	t, ok := v.Type.(*tileir.TileType)
	return t, ok && !t.Pointer && t.Elem.IsInt()
}

func (e *evaluator) binary(op *tileir.Op) number {
	t, _ := intTile(op.Results[0])
	how, _ := ranges.ArithmeticOf(op)
	return combine(how, e.nums[op.Operands[0]], e.nums[op.Operands[1]], numbers(t), t.Size())
}

func (e *evaluator) constant(op *tileir.Op) number {
	c, ok := op.Attr("value").(*tileir.Constant)
	t, isInt := intTile(op.Results[0])
	if !ok || !isInt {
		return number{}
	}
	read := func(bits uint64) int64 { return held(numbers(t), interval.OfUint(bits)) }
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
	return compared(ranges.ComparisonOf(op), e.nums[op.Operands[0]], e.nums[op.Operands[1]], t.Size())
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

// extend evaluates exti: a number keeps its value, as the operation reads it.
func (e *evaluator) extend(op *tileir.Op) number {
	to, _ := intTile(op.Results[0])
	return converted(e.nums[op.Operands[0]], ranges.Reads(op), numbers(to))
}

// truncate evaluates trunci: a number that fits keeps its value.
func (e *evaluator) truncate(op *tileir.Op) number {
	from, _ := intTile(op.Operands[0])
	to, _ := intTile(op.Results[0])
	return converted(e.nums[op.Operands[0]], numbers(from), numbers(to))
}

func (e *evaluator) negate(op *tileir.Op) number {
	t, _ := intTile(op.Results[0])
	return combine(ranges.Arithmetic{Op: interval.Sub, Type: numbers(t)}, exactly(0), e.nums[op.Operands[0]], numbers(t), t.Size())
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
