package graph

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/graph/ir"
)

// TopK returns the k greatest elements along an axis, the greatest first, or the k least if least is set, and their indices as int32. Of
// equal elements the first comes first, and a NaN is greater than any number. Of an axis with more than 65536 elements, k is at most 32768.
func TopK(x *Value, k, axis int, least bool) (values, indices *Value) {
	bad := check(func(in []*ir.Node) (err error) {
		if err := elements(in[0], ir.Numbers); err != nil {
			return err
		}
		if axis, err = ir.AxisOf(axis, in[0]); err != nil {
			return err
		}
		switch n := in[0].Shape[axis]; {
		case k < 0 || k > n:
			return fmt.Errorf("k is %d, expected 0 to %d, the extent of axis %d of %s", k, n, axis, in[0].Type())
		case n > ir.MaxSorted && k > ir.MaxSorted/2:
			return fmt.Errorf("k is %d, expected at most %d, as axis %d of %s has more than %d elements", k, ir.MaxSorted/2, axis, in[0].Type(), ir.MaxSorted)
		}
		return nil
	}, operand{"", x})
	if bad != nil {
		return bad, bad
	}
	t := topK{k, axis, least}
	indices = t.indices(x)
	return TakeAlong(x, indices, axis), indices
}

// topK finds the indices of the greatest or least elements along an axis.
type topK struct {
	k, axis int
	least   bool
}

// leastPart is the length of parts of an axis that are sorted by themselves.
const leastPart = 256

// indices sorts all elements, or first those of each part of the axis, of which the first k may be among the first k of all. Parts
// are four times as long as that, or longer, where an axis is not too long to be sorted otherwise.
func (t topK) indices(x *Value) *Value {
	n, part := x.Shape()[t.axis], max(leastPart, 1<<bits.Len(uint(4*t.k)))
	divides := n >= 2*part
	if n > ir.MaxSorted {
		part, divides = min(part, ir.MaxSorted), true
	}
	if !divides {
		return Narrow(ArgSort(x, t.axis, !t.least), t.axis, 0, t.k)
	}
	candidates, from := t.candidates(x, part)
	return TakeAlong(from, t.indices(candidates), t.axis)
}

// candidates gives the first elements of each part, part by part, and their indices in x. Of equal ones, those of earlier indices come
// first, as they do in x.
func (t topK) candidates(x *Value, part int) (elements, indices *Value) {
	shape := func(along ...int) []int { return slices.Concat(x.Shape()[:t.axis], along, x.Shape()[t.axis+1:]) }
	n, inner := x.Shape()[t.axis], t.axis+1
	parts := (n + part - 1) / part
	low, high := make([]int, x.Rank()), make([]int, x.Rank())
	high[t.axis] = parts*part - n
	divided := Reshape(Pad(x, t.worst(x), low, high, nil), shape(parts, part)...)
	order := Narrow(ArgSort(divided, inner, !t.least), inner, 0, t.k)
	first := Mul(Iota(x.Graph(), dtype.I32, t.axis, shape(parts, t.k)...), Number(x.Graph(), dtype.I32, float64(part)))
	all := shape(parts * t.k)
	return Reshape(TakeAlong(divided, order, inner), all...), Reshape(Add(order, first), all...)
}

// worst is an element that no other one comes behind; of equal ones it is the last, as it lies behind x.
func (t topK) worst(x *Value) *Value {
	elem := x.DType()
	w := ir.FoldNamed("max").Neutral(elem)
	switch {
	case t.least && elem.IsFloat():
		w = elem.FloatBits(math.NaN())
	case t.least:
		w = ir.FoldNamed("min").Neutral(elem)
	}
	return Raw(x.Graph(), elem, binary.LittleEndian.AppendUint64(nil, w)[:elem.Size()])
}
