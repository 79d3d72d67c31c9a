package passes

import (
	"fmt"
	"math"

	"github.com/cutile-go/cutile/internal/goval/interval"
	"github.com/cutile-go/cutile/tileir"
)

// Launch is what a launch knows: the grid, and the bits of the entry's parameters.
type Launch struct {
	Grid [3]uint32
	Bits []uint64
}

// Proof says, for each access through a view in the order of the operations and for each dimension of its tile, whether
// the tile lies inside the tensor, in every block and iteration. A launch's numbers prove it, at no cost to the kernel; what
// is not proved is masked, element by element, by the machine code. After that it names the axes of the grid along which the
// blocks' number is 0.
type Proof string

// The letters of a proof.
const (
	inside = '1'
	masked = '0'
)

// Any reports whether something is proved.
func (p Proof) Any() bool {
	for _, c := range p {
		if c != masked {
			return true
		}
	}
	return false
}

// All reports whether every access is proved.
func (p Proof) All() bool {
	for _, c := range p {
		if c == masked {
			return false
		}
	}
	return true
}

// Check is what is known of one dimension of an access.
type Check struct {
	Op     *tileir.Op
	Dim    int
	Inside bool
	Text   string // why, or why not
}

// Explain is [Prove] with reasons.
func Explain(e *tileir.Entry, l Launch) (out []Check) {
	r := launched(e, l)
	for _, o := range Accesses(e) {
		for dim := range indices(o) {
			c := Check{Op: o, Dim: dim, Inside: r.inside(o, dim)}
			c.Text = r.reason(o, dim)
			out = append(out, c)
		}
	}
	return out
}

// reason says what the ranges of an access are.
func (r *ranges) reason(o *tileir.Op, dim int) string {
	part, tensor := viewOf(o)
	if part == nil {
		return "the view gathers, or comes from a loop or branch"
	}
	axis := axisOf(part, dim)
	extent, ok := r.extent(tensor, axis.Dim)
	index := r.span(indices(o)[dim])
	if !ok {
		return "the extent is computed by the kernel"
	}
	if v := indices(o)[dim]; r.open(v) {
		return r.lost(o, v)
	}
	if !index.NonNegative() {
		return fmt.Sprintf("the index may be negative: %v to %v", index.Lo, index.Hi)
	}
	if axis.Step != axis.Extent {
		return fmt.Sprintf("indices %v to %v of tiles of %d, %d apart, in an extent of %d", index.Lo, index.Hi, axis.Extent, axis.Step, extent)
	}
	return fmt.Sprintf("indices %v to %v of tiles of %d in an extent of %d", index.Lo, index.Hi, axis.Extent, extent)
}

// Accesses lists the loads and stores of a kernel through views, in the order of a [Proof].
func Accesses(e *tileir.Entry) (out []*tileir.Op) {
	for o := range e.All() {
		if o.Info.AttrIndex("inbounds") >= 0 {
			out = append(out, o)
		}
	}
	return out
}

// Prove proves what it can for a launch.
func Prove(e *tileir.Entry, l Launch) Proof {
	r := launched(e, l)
	var out []byte
	for _, o := range Accesses(e) {
		for dim := range indices(o) {
			mark := byte(masked)
			if r.inside(o, dim) {
				mark = inside
			}
			out = append(out, mark)
		}
	}
	return Proof(out) + Proof(alone(e, l.Grid))
}

// launched are the ranges of a kernel's values in a launch.
func launched(e *tileir.Entry, l Launch) *ranges {
	r := newRanges(e)
	r.grid = &l.Grid
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

// indices are the index operands of an access.
func indices(o *tileir.Op) []*tileir.Value { return o.Group(o.Info.OperandIndex("index")) }

// viewOf is the operation that makes the view of an access, and the tensor view's: nil if the view comes from elsewhere.
func viewOf(o *tileir.Op) (part, tensor *tileir.Op) {
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

// axisOf says how the tiles of the view that an operation makes lie along an axis.
func axisOf(part *tileir.Op, dim int) tileir.ViewAxis {
	return part.Results[0].Type.(tileir.ViewType).Axes()[dim]
}

// inside reports whether a dimension of an access's tile lies inside the tensor for every index that there can be.
func (r *ranges) inside(o *tileir.Op, dim int) bool {
	part, tensor := viewOf(o)
	if part == nil {
		return false
	}
	axis := axisOf(part, dim)
	extent, ok := r.extent(tensor, axis.Dim)
	index := r.span(indices(o)[dim])
	if !ok || !index.Within(interval.Ints(0, math.MaxInt32)) {
		return false
	}
	begin, ok1 := interval.Mul.Range(int64s, index, number(axis.Step))
	end, ok2 := interval.Add.Range(int64s, begin, number(axis.Extent))
	return ok1 && ok2 && end.Hi.Cmp(interval.Of(extent)) <= 0
}

// extent is the exact extent of a tensor view along an axis.
func (r *ranges) extent(tensor *tileir.Op, axis int) (int64, bool) {
	t := tensor.Results[0].Type.(*tileir.TensorViewType)
	if n := t.Shape[axis]; n != tileir.Dynamic {
		return n, true
	}
	i := 0
	for _, n := range t.Shape[:axis] {
		if n == tileir.Dynamic {
			i++
		}
	}
	s := r.span(tensor.Group(tensor.Info.OperandIndex("dynamicShape"))[i])
	n, _ := s.Lo.Int64()
	return n, s.Single()
}
