package passes

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/access/ranges"
	"github.com/cutile-go/cutile/tileir"
)

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
func Explain(e *tileir.Entry, l ranges.Launch) (out []Check) {
	r := ranges.Of(e, l)
	for _, o := range Accesses(e) {
		for dim := range ranges.Indices(o) {
			c := Check{Op: o, Dim: dim, Inside: r.Inside(o, dim)}
			c.Text = reason(r, o, dim)
			out = append(out, c)
		}
	}
	return out
}

// reason says what the ranges of an access are.
func reason(r *ranges.Ranges, o *tileir.Op, dim int) string {
	part, tensor := ranges.ViewOf(o)
	if part == nil {
		return "the view gathers, or comes from a loop or branch"
	}
	axis := ranges.AxisOf(part, dim)
	extent, ok := r.Extent(tensor, axis.Dim)
	index := r.Span(ranges.Indices(o)[dim])
	if !ok {
		return "the extent is computed by the kernel"
	}
	if v := ranges.Indices(o)[dim]; open(r, v) {
		return lost(r, o, v)
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
func Prove(e *tileir.Entry, l ranges.Launch) Proof {
	r := ranges.Of(e, l)
	var out []byte
	for _, o := range Accesses(e) {
		for dim := range ranges.Indices(o) {
			mark := byte(masked)
			if r.Inside(o, dim) {
				mark = inside
			}
			out = append(out, mark)
		}
	}
	return Proof(out) + Proof(alone(e, l.Grid))
}
