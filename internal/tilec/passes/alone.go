package passes

import (
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// gridAxes are the letters after those of a [Proof]'s accesses: the axes along which the grid is one block, of those along
// which the kernel asks for the block's number. That number is 0 then, and an Out whose axis is one tile wide is stored at 0.
const gridAxes = "xyz"

// Alone are the axes, of x, y and z, along which blocks are alone, as far as that matters to the kernel.
func (p Proof) Alone() string { return strings.Trim(string(p), string([]rune{inside, masked})) }

// alone lists the axes of a launch along which a block is alone. A launch of a single block is not told apart along axis x
// from one of many: most kernels have only that axis, and would be compiled once more to save a few instructions of one block.
func alone(e *tileir.Entry, grid [3]uint32) string {
	used := uses(e.Body)
	axes := ""
	for o := range e.All() {
		if o.Info.Opcode != tileir.OpGetTileBlockId {
			continue
		}
		for axis, v := range o.Results {
			if used[v] > 0 && grid[axis] == 1 {
				axes += gridAxes[axis : axis+1]
			}
		}
	}
	out := ""
	for axis, c := range gridAxes {
		if strings.ContainsRune(axes, c) && (axis > 0 || grid[1] > 1 || grid[2] > 1) {
			out += string(c)
		}
	}
	return out
}

// settle replaces the numbers of blocks by 0 along the axes where the block is alone.
func settle(e *tileir.Entry, axes string) {
	if axes == "" {
		return
	}
	t := tileir.Tile(tileir.I32)
	zero := tileir.NewOp(tileir.LookupOpcode(tileir.OpConstant), nil, []tileir.Attr{tileir.IntConstant(t, 0)}, []tileir.Type{t}, nil, tileir.Loc{})
	known := map[*tileir.Value]bool{}
	for o := range e.All() {
		for i, v := range o.Operands {
			if known[v] {
				o.Operands[i] = zero.Results[0]
			}
		}
		if o.Info.Opcode == tileir.OpGetTileBlockId {
			zero.Loc = o.Loc
			for axis, v := range o.Results {
				known[v] = strings.Contains(axes, gridAxes[axis:axis+1])
			}
		}
	}
	e.Body.Ops = append([]*tileir.Op{zero}, e.Body.Ops...)
}
