package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/cutile-go/cutile/internal/access"
	"github.com/cutile-go/cutile/internal/threads/linear"
	"github.com/cutile-go/cutile/tileir"
)

// Plan is what was decided about an entry.
type Plan struct {
	Entry *tileir.Entry
	Block linear.Block
	Info  *access.Info
	Uses  map[*tileir.Value][]*tileir.Op

	layouts map[*tileir.Value]*linear.Layout
	vectors map[*tileir.Op]Vector
	order   []*tileir.Value
}

// New plans an entry, which [tileir.Verify] must accept, for blocks of a size.
func New(e *tileir.Entry, block linear.Block) *Plan {
	p := &Plan{Entry: e, Block: block, Info: access.Analyse(e, access.Facts{}), Uses: map[*tileir.Value][]*tileir.Op{},
		layouts: map[*tileir.Value]*linear.Layout{}, vectors: map[*tileir.Op]Vector{}}
	for op := range e.All() {
		for _, v := range op.Operands {
			p.Uses[v] = append(p.Uses[v], op)
		}
	}
	p.assign()
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

// String lists the tiles with their layouts, and the accesses with their widths, in the order of the text.
func (p *Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d warps of %d lanes\n", p.Entry.Name, 1<<p.Block.Warps, 1<<p.Block.Lanes)
	for op := range p.Entry.All() {
		var lines []string
		for _, r := range op.Results {
			if t, ok := Tile(r); ok {
				lines = append(lines, fmt.Sprintf("%v: %v", t, p.Layout(r)))
			}
		}
		if v, ok := p.vectors[op]; ok {
			lines = append(lines, fmt.Sprintf("%d side by side", v.Elems))
		}
		if len(lines) > 0 {
			fmt.Fprintf(&b, "  %s  %s\n", op.Info.Mnemonic, strings.Join(slices.Compact(lines), "; "))
		}
	}
	return b.String()
}
