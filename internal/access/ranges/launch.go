package ranges

import (
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// Launch is what a launch knows: the grid, and the bits of the entry's parameters.
type Launch struct {
	Grid [3]uint32
	Bits []uint64
}

// Of finds the ranges that hold in one launch of an entry.
func Of(e *tileir.Entry, l Launch) *Ranges {
	r := New(e)
	for axis, n := range l.Grid {
		r.grid[axis] = number(int64(n))
	}
	for i, p := range e.Params {
		t, ok := p.Type.(*tileir.TileType)
		switch {
		case !ok || t.Pointer || !t.Elem.IsInt() || len(t.Shape) != 0:
		case t.Elem == tileir.I1:
			if s, ok := truthOf(l.Bits[i]); ok {
				r.of[p] = s
			}
		default:
			shift := 64 - t.Elem.Bits()
			r.of[p] = number(int64(l.Bits[i]) << shift >> shift)
		}
	}
	return r
}

// Limit says that a launch has at most so many blocks along an axis of the grid. It comes before the first [Ranges.Span].
func (r *Ranges) Limit(axis int, most uint32) {
	r.grid[axis], _ = r.grid[axis].Common(interval.Ints(1, int64(most)))
}

// Set says what is known of a value, such as one that a pass made.
func (r *Ranges) Set(v *tileir.Value, s interval.Range) { r.of[v] = s }

// Counter gives the loop whose counter a value is; nil for other values.
func (r *Ranges) Counter(v *tileir.Value) *tileir.Op { return r.iv[v] }

// Sources are the values that the range of another follows from: nil if there is no rule for it.
func (r *Ranges) Sources(v *tileir.Value) []*tileir.Value {
	if loop := r.iv[v]; loop != nil {
		return []*tileir.Value{loop.Operands[1], loop.Operands[0]}
	}
	switch {
	case transfer[v.Def.Info.Opcode] == nil:
		return nil
	case v.Def.Info.Opcode == tileir.OpIf:
		return r.yields(v, v.Def)
	}
	return v.Def.Operands
}

// Indices are the index operands of an access through a view.
func Indices(o *tileir.Op) []*tileir.Value { return o.Group(o.Info.OperandIndex("index")) }

// ViewOf is the operation that makes the view of an access, and the tensor view's: nil if the view comes from elsewhere.
func ViewOf(o *tileir.Op) (part, tensor *tileir.Op) {
	part = o.Operand("view").Def
	if part == nil || part.Info.Opcode != tileir.OpMakePartitionView && part.Info.Opcode != tileir.OpMakeStridedView {
		return nil, nil
	}
	tensor = part.Operands[0].Def
	if tensor == nil || tensor.Info.Opcode != tileir.OpMakeTensorView {
		return nil, nil
	}
	return part, tensor
}

// AxisOf says how the tiles of the view that an operation makes lie along an axis.
func AxisOf(part *tileir.Op, dim int) tileir.ViewAxis {
	return part.Results[0].Type.(tileir.ViewType).Axes()[dim]
}

// Inside reports whether a dimension of an access's tile lies inside the tensor for every index that there can be.
func (r *Ranges) Inside(o *tileir.Op, dim int) bool {
	part, tensor := ViewOf(o)
	if part == nil {
		return false
	}
	axis := AxisOf(part, dim)
	extent, ok := r.Extent(tensor, axis.Dim)
	index := r.Span(Indices(o)[dim])
	if !ok || !index.Within(interval.Ints(0, math.MaxInt32)) {
		return false
	}
	begin, ok1 := interval.Mul.Range(Int64s, index, number(axis.Step))
	end, ok2 := interval.Add.Range(Int64s, begin, number(axis.Extent))
	return ok1 && ok2 && end.Hi.Cmp(interval.Of(extent)) <= 0
}

// Extent is the exact extent of a tensor view along an axis.
func (r *Ranges) Extent(tensor *tileir.Op, axis int) (int64, bool) {
	t := tensor.Results[0].Type.(*tileir.TensorViewType)
	if n := t.Shape[axis]; n != tileir.Dynamic {
		return n, true
	}
	s := r.Span(Dynamic(tensor, "dynamicShape", t.Shape, axis))
	n, _ := s.Lo.Int64()
	return n, s.Single()
}

// Dynamic is the operand that gives an extent or a stride of a tensor view, one of those in list that its type leaves open.
func Dynamic(tensor *tileir.Op, operand string, list []int64, axis int) *tileir.Value {
	i := 0
	for _, n := range list[:axis] {
		if n == tileir.Dynamic {
			i++
		}
	}
	return tensor.Group(tensor.Info.OperandIndex(operand))[i]
}
