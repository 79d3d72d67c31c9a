package bind

import (
	"fmt"

	"github.com/cutile-go/cutile/internal/device/strided"
	"github.com/cutile-go/cutile/internal/tilec/compile"
)

// Grid is the number of blocks along x, y and z.
type Grid [3]int

const noGrid = "has no Out that says how many blocks to run: give the grid, as in cutile.Launch(ctx, dev.Grid(16), ...)"

// The limits of a grid are those of the CUDA driver, on every engine.
var limits = Grid{1<<31 - 1, 1<<16 - 1, 1<<16 - 1}

// Grid finds the grid of the launch: from the Outs, which must agree with each other and with a given one, or else from what the
// device runs at once, if tensors are persistent. A grid with a 0 has nothing to run: that is a mistake only where it was given and a
// persistent tensor has tiles.
func (c *Call) Grid(given *Grid) (g Grid, wrong []Mistake) {
	first, g, wrong := c.outGrid(given)
	persistent := c.persistent()
	switch {
	case given != nil:
		g = *given
	case first != nil:
	case persistent != nil && c.Resident != nil:
		g = Grid{min(c.Resident(), persistent.tiles()), 1, 1}
	default:
		wrong = append(wrong, Mistake{Text: noGrid})
	}
	for axis, n := range g {
		if n < 0 || n > limits[axis] {
			wrong = append(wrong, Mistake{Text: fmt.Sprintf("the grid %v is out of range: axis %d may have 0 to %d blocks", g, axis, limits[axis])})
		}
	}
	if persistent != nil && persistent.tiles() > limits[0] {
		wrong = append(wrong, Mistake{Text: fmt.Sprintf("%v, of shape %v in tiles of %v, has more than %d tiles: choose larger ones",
			persistent, persistent.tensor.View.Shape, persistent.param.Tile, limits[0])})
	}
	nothing := first != nil && g.Empty() // an Out without elements launches nothing, whatever is beside it
	if persistent != nil && wrong == nil && !nothing && persistent.tiles() > 0 && (g[0] == 0 || g[1] != 1 || g[2] != 1) {
		who, advice := fmt.Sprintf("the grid %v was given", g), "give a grid of one axis and one block at least, or none"
		if first != nil {
			who, advice = fmt.Sprintf("%v needs the grid %v", first, g), "its tiles must lie along its first axis"
		}
		wrong = append(wrong, Mistake{Text: fmt.Sprintf("%s, but %v, a tile.Persistent, is written by blocks along the first axis: %s", who, persistent, advice)})
	}
	return g, wrong
}

// outGrid finds the grid of the Outs. first is the first one; nil for none.
func (c *Call) outGrid(given *Grid) (first *slot, g Grid, wrong []Mistake) {
	for i := range c.slots {
		s := &c.slots[i]
		if s.param.Kind != compile.Out {
			continue
		}
		need := gridOf(s.tensor.View.Shape, s.param.Tile)
		switch {
		case given != nil && need != *given:
			wrong = append(wrong, Mistake{Text: fmt.Sprintf("the grid %v was given, but %v, of shape %v in tiles of %v, needs %v",
				*given, s, s.tensor.View.Shape, s.param.Tile, need)})
		case first != nil && need != g:
			wrong = append(wrong, Mistake{Text: fmt.Sprintf("%v needs the grid %v, but %v needs %v: the Outs of a launch must have the same number of tiles",
				first, g, s, need)})
		case first == nil:
			first, g = s, need
		}
	}
	return first, g, wrong
}

// persistent is the argument of a tile.Persistent with the most tiles; nil for none.
func (c *Call) persistent() (most *slot) {
	for i := range c.slots {
		if s := &c.slots[i]; s.param.Kind == compile.Persistent && (most == nil || s.tiles() > most.tiles()) {
			most = s
		}
	}
	return most
}

// tiles is how many tiles a tensor has. A number that is out of range for a grid may be too small, but is out of range.
func (s *slot) tiles() int {
	n := 1
	for axis, extent := range s.tensor.View.Shape {
		if extent == 0 {
			return 0
		}
		n = product(n, (extent-1)/s.param.Tile[axis]+1)
	}
	return n
}

// product multiplies numbers of tiles, without an overflow.
func product(n, tiles int) int {
	if n > 0 && tiles > limits[0]/n {
		tiles = limits[0]/n + 1
	}
	return n * tiles
}

// String is "(4, 1, 1)".
func (g Grid) String() string { return fmt.Sprintf("(%d, %d, %d)", g[0], g[1], g[2]) }

// Empty reports whether there is no block.
func (g Grid) Empty() bool { return g[0] == 0 || g[1] == 0 || g[2] == 0 }

// gridOf gives each tile of an Out a block: axes 0, 1 and 2 are x, y and z; above rank 3 the leading axes share x.
func gridOf(shape, tile []int) Grid {
	g := Grid{1, 1, 1}
	lead := max(len(shape)-3, 0)
	for axis, extent := range shape {
		tiles := extent / tile[axis]
		if extent%tile[axis] != 0 {
			tiles++
		}
		at := max(axis-lead, 0)
		g[at] = product(g[at], tiles)
	}
	return g
}

// Overlaps finds tensors that are written and share memory with another argument. writes says by parameter what is
// written; nil stands for what is known before the kernel is compiled.
func (c *Call) Overlaps(writes []bool) (wrong []Mistake) {
	for i := range c.slots {
		a := &c.slots[i]
		for j := range c.slots[:i] {
			b := &c.slots[j]
			if a.tensor == nil || b.tensor == nil || a.tensor.Spec || a.tensor.Memory != b.tensor.Memory {
				continue
			}
			w := b
			if a.written(writes) {
				w = a
			} else if !b.written(writes) {
				continue
			}
			if strided.Overlap(a.reach(), b.reach()) {
				other := a
				if w == a {
					other = b
				}
				wrong = append(wrong, Mistake{Text: sharedText(w, other)})
			}
		}
	}
	return wrong
}

func sharedText(written, other *slot) string {
	both := "InOut"
	if written.param.Kind == compile.Ptr && other.param.Kind == compile.Ptr {
		both = "Ptr"
	}
	return fmt.Sprintf("%v is written, but shares memory with %v: pass a copy, or use one %s for both", written, other, both)
}

func (s *slot) written(writes []bool) bool {
	return s.param.Kind.Writes() || s.param.Kind == compile.Ptr && writes != nil && writes[s.index]
}

// reach is what the kernel may touch through the argument: of a Ptr, the whole memory.
func (s *slot) reach() strided.View {
	if s.param.Kind != compile.Ptr {
		return s.tensor.View
	}
	n := int(s.tensor.Memory.Size()) / s.tensor.Elem.Size()
	return strided.View{Shape: []int{n}, Strides: []int{1}}
}
