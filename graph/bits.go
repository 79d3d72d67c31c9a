package graph

import (
	"fmt"

	"github.com/cutile-go/cutile/dtype"
)

// unsigned gives the integers without a sign of a number of bytes.
var unsigned = map[int]dtype.Type{1: dtype.U8, 2: dtype.U16, 4: dtype.U32, 8: dtype.U64}

// JoinBits returns the bits of the elements along the last axis, which the result lacks, as one larger element, of which the first has
// the lowest bits. The axis has as many elements as make one.
func JoinBits(x *Value, to dtype.Type) *Value {
	have, want, bad := widths(x, to)
	if bad != nil {
		return bad
	}
	last := x.Rank() - 1
	if last < 0 || have >= want || x.node.Shape[last]*have != want {
		return x.g.fail(fmt.Errorf("%s to %v: expected a last axis of elements that have %d bytes together", x, to, want))
	}
	words := Convert(Bitcast(x, unsigned[have]), unsigned[want])
	var sum *Value
	for i := range want / have {
		part := Squeeze(Narrow(words, last, i, i+1), last)
		if sum == nil {
			sum = part
			continue
		}
		sum = Or(sum, ShiftLeft(part, like(part, float64(8*have*i))))
	}
	return Bitcast(sum, to)
}

// SplitBits returns the bits of each element as smaller ones along a new last axis, of which the first has the lowest bits.
func SplitBits(x *Value, to dtype.Type) *Value {
	have, want, bad := widths(x, to)
	if bad != nil {
		return bad
	}
	if have <= want {
		return x.g.fail(fmt.Errorf("%s to %v: expected smaller elements", x, to))
	}
	word := Bitcast(x, unsigned[have])
	parts := make([]*Value, have/want)
	for i := range parts {
		parts[i] = Convert(ShiftRight(word, like(word, float64(8*want*i))), unsigned[want])
	}
	return Bitcast(Stack(-1, parts...), to)
}

// widths gives the bytes of elements. bad stands for a mistake, else it is nil.
func widths(x *Value, to dtype.Type) (have, want int, bad *Value) {
	g, in, ok := nodes(x)
	switch {
	case !ok:
		return 0, 0, &Value{g: g}
	case in[0].Elem == dtype.Bool || !to.IsInt() && !to.IsFloat() || unsigned[to.Size()] == dtype.Invalid:
		return 0, 0, g.fail(fmt.Errorf("%s to %v, expected numbers", x, to))
	}
	return in[0].Elem.Size(), to.Size(), nil
}
