package plan

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/threads/ir"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// Plan is what was decided about an entry.
type Plan struct {
	Entry *tileir.Entry
	Block linear.Block
	Info  *access.Info
	Uses  map[*tileir.Value][]*tileir.Op

	Products map[*tileir.Op]*Product     // those that matrix instructions compute
	Feeds    map[*tileir.Op]*Feed        // by load that goes to shared memory ahead of its product
	Loops    map[*tileir.Op][]*Feed      // by loop, in the order of the text
	Early    map[*tileir.Op][]*tileir.Op // by loop, the loads that threads make a turn ahead, in the order of the text
	Reasons  map[*tileir.Op]Reason       // why something is not done: see [Why]

	Fetches  map[*tileir.Op]*Feed      // by load of a factor that comes as boxes where it is loaded
	Stores   map[*tileir.Op]*ir.Tensor // by store whose tile goes through shared memory, as boxes of a tensor
	Producer *Producer                 // of boxes; nil where the threads that compute begin the copies

	TensorColumns int // of tensor memory, that the entry needs

	target  Target
	layouts map[*tileir.Value]*linear.Layout
	vectors map[*tileir.Op]Vector
	singles map[*tileir.Op]*Product
	sums    int // the most registers that hold the sums of a block's products
}

// Target is what a plan has to know of a machine.
type Target struct {
	Block  linear.Block
	Units  []ir.Unit // its matrix instructions, the best ones first; nil for none
	Async  bool      // it copies from global to shared memory on its own
	Boxes  bool      // and boxes of tensors, which launches describe
	Stores bool      // it copies such boxes from shared to global memory
	Shared int       // bytes of shared memory of a block
	Tight  int       // how often the room for tiles that are copied ahead is halved

	Facts access.Facts // what is known of the launches
}

// Crowded reports whether the sums of products take more than half of a thread's registers, so that more threads should share them; less
// tells whether that helps, given the plan for them.
func (p *Plan) Crowded() bool { return p.sums > MostSums }

// Less reports whether products leave threads more registers than in another plan.
func (p *Plan) Less(q *Plan) bool { return p.sums < q.sums }

// InShared reports whether an instruction reads the factors of a product from shared memory.
func (p *Plan) InShared() bool {
	for _, x := range p.Products {
		if x.Unit.Kind.InShared() {
			return true
		}
	}
	return false
}

// New plans an entry, which [tileir.Verify] must accept, for a target.
func New(e *tileir.Entry, t Target) *Plan {
	p := &Plan{Entry: e, Block: t.Block, target: t, Info: access.Analyse(e, t.Facts), Uses: map[*tileir.Value][]*tileir.Op{},
		Products: map[*tileir.Op]*Product{}, Feeds: map[*tileir.Op]*Feed{}, Loops: map[*tileir.Op][]*Feed{},
		Early: map[*tileir.Op][]*tileir.Op{}, Reasons: map[*tileir.Op]Reason{}, singles: map[*tileir.Op]*Product{},
		layouts: map[*tileir.Value]*linear.Layout{}, vectors: map[*tileir.Op]Vector{}}
	for op := range e.All() {
		for _, v := range op.Operands {
			p.Uses[v] = append(p.Uses[v], op)
		}
	}
	p.products(e.Body, nil)
	p.assign()
	p.settle()
	p.columns()
	p.called()
	p.findEarly()
	p.Producer = p.producer()
	if t.Stores {
		p.Stores = p.boxed()
		p.Fetches = p.fetched(p.maps() + len(p.Stores))
		p.unlag()
	}
	return p
}

// Tile is the type of a value that is a tile of more than one element.
func Tile(v *tileir.Value) (t *tileir.TileType, ok bool) {
	t, ok = v.Type.(*tileir.TileType)
	return t, ok && t.Size() > 1
}

// ShapeOf is the shape of a value that is a tile.
func ShapeOf(v *tileir.Value) linear.Shape { return v.Type.(*tileir.TileType).Shape }

// Layout is the layout that a tile is to have.
func (p *Plan) Layout(v *tileir.Value) *linear.Layout {
	if l := p.layouts[v]; l != nil {
		return l
	}
	return p.fallback(v)
}

// fallback is the layout of tiles that nobody asks for: up to four neighbours in a thread.
func (p *Plan) fallback(v *tileir.Value) *linear.Layout {
	t, ok := Tile(v)
	if !ok {
		return p.Block.Uniform()
	}
	vec := min(4, max(1, t.Size()/p.Block.Threads()))
	return p.Block.Blocked(t.Shape, linear.RowMajor(t.Rank()), vec)
}

// Layouts lists the tiles with their layouts, in the order of the text.
func (p *Plan) Layouts() string {
	return p.list(func(op *tileir.Op) (lines []string) {
		for _, r := range op.Results {
			if t, ok := Tile(r); ok {
				lines = append(lines, fmt.Sprintf("%v: %v", t, p.Layout(r)))
			}
		}
		return slices.Compact(lines)
	})
}

// String lists the accesses with their widths, the products with their instructions, and what is copied ahead, or why not, in the order of the
// text.
func (p *Plan) String() string {
	return p.list(func(op *tileir.Op) (lines []string) {
		if v, ok := p.vectors[op]; ok {
			lines = append(lines, fmt.Sprintf("%d side by side", v.Elems))
		}
		if x := p.Products[op]; x != nil {
			lines = append(lines, x.String())
		}
		if p.Stores[op] != nil {
			lines = append(lines, "stored as a box")
		}
		if p.Fetches[op] != nil {
			lines = append(lines, "copied as a box")
		}
		for _, loads := range p.Early {
			if slices.Contains(loads, op) {
				lines = append(lines, "loaded a turn ahead")
			}
		}
		if f := p.Feeds[op]; f != nil {
			switch {
			case f.Tensor == nil:
				lines = append(lines, fmt.Sprintf("copied %d turns ahead, %d stages", p.Ahead(f.Loop), p.Stages(f.Loop)))
			case p.Producer == nil:
				lines = append(lines, fmt.Sprintf("copied as a box %d turns ahead, %d stages", p.Ahead(f.Loop), p.Stages(f.Loop)))
			default:
				lines = append(lines, fmt.Sprintf("copied as a box by a warp of its own, %d stages", p.Stages(f.Loop)))
			}
		}
		return append(lines, p.reason(op)...)
	})
}

// list lists what there is to say of operations.
func (p *Plan) list(of func(op *tileir.Op) []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d warps of %d lanes\n", p.Entry.Name, 1<<p.Block.Warps, 1<<p.Block.Lanes)
	for op := range p.Entry.All() {
		if lines := of(op); len(lines) > 0 {
			fmt.Fprintf(&b, "  %s%s  %s\n", op.Info.Mnemonic, place(op), strings.Join(lines, "; "))
		}
	}
	return b.String()
}

// place is the line of an operation, behind a space; nothing if it is not known.
func place(op *tileir.Op) string {
	if op.Loc.Line <= 0 {
		return ""
	}
	return fmt.Sprintf(" %s:%d", path.Base(op.Loc.File), op.Loc.Line)
}
