package gemm

import "unsafe"

// A geometry says how a part of C is divided into blocks that fit in registers.
type geometry struct {
	lanes        int // of a vector register
	rows, vecs   int // of a block
	blocks, rest int // blocks, and the rows of a smaller one, or 0
	panels       int // panels, each as wide as a block
	edge, tail   int // vector registers of a smaller panel, or 0, and the columns in its last one, or 0 for all
}

// A shape is a size of blocks: rows, and vector registers in a row. With a row of B and what a kernel needs besides, a block
// fills the registers.
type shape struct{ rows, vecs int }

// shapeFor chooses the shape for so many rows, and vector registers in a row.
func (l *levelRow) shapeFor(rows, vecs int) shape {
	if vecs == 1 {
		return l.narrow
	}
	for _, wide := range l.wide {
		if rows <= wide.rows {
			return wide
		}
	}
	best := l.wide[len(l.wide)-1]
	if l.triple && vecs == 3 {
		best.vecs = 3 // one panel instead of one and a half
	}
	return best
}

// geometryOf divides m rows and n columns into blocks of a given size.
func (l *levelRow) geometryOf(lane, m, n, rows, vecs int) geometry {
	g := geometry{lanes: l.bytes / lane, rows: rows, vecs: vecs, blocks: m / rows, rest: m % rows}
	width := g.width()
	g.panels = n / width
	if left := n % width; left > 0 {
		g.edge, g.tail = (left+g.lanes-1)/g.lanes, left%g.lanes
	}
	return g
}

// tileGeometry chooses the blocks of a tile of any size. All of them have about as many rows as fit.
func (l *levelRow) tileGeometry(lane, m, n int) geometry {
	vecs := ceil(n, l.bytes/lane)
	s := l.shapeFor(m, vecs)
	rows := ceil(m, ceil(m, s.rows))
	return l.geometryOf(lane, m, n, ceil(rows, l.unit)*l.unit, min(s.vecs, vecs))
}

// width is the columns of a panel.
func (g *geometry) width() int { return g.vecs * g.lanes }

// allPanels and allBlocks count the smaller ones, too.
func (g *geometry) allPanels() int { return g.panels + min(g.edge, 1) }
func (g *geometry) allBlocks() int { return g.blocks + min(g.rest, 1) }

// reuse is how many products an element must take part in for memory not to limit the speed: with fewer, calls do less.
const reuse = 16

// kChunk is how many lanes of k a call goes through at most, so that the panel of B stays in the nearest cache.
const kChunk = 256

// limits gives how many blocks and how many panels a call may go through.
func (g *geometry) limits(k, budget int) (blocks, panels int) {
	blocks = max(1, budget/max(g.width(), reuse)/(g.rows*k))
	return blocks, max(1, min(blocks/g.allBlocks(), budget/reuse/(g.width()*k)))
}

// fits says whether one call is enough.
func (g *geometry) fits(k, budget int) bool {
	blocks, panels := g.limits(k, budget)
	return blocks >= g.allBlocks() && panels >= g.allPanels()
}

// run calls a kernel for all blocks and panels. The frame has the operands; its counts are set here.
func (g *geometry) run(fn *function, f frame, budget int) {
	blocks, panels := g.limits(f.k, budget)
	start := f
	for j := 0; j < g.allPanels(); j += panels {
		f.panels = min(g.panels-j, panels)
		f.edge = b2i(j+panels > g.panels && g.edge > 0)
		f.b = start.b + uintptr(j*f.bPanel)
		for i := 0; i < g.allBlocks(); i += blocks {
			f.blocks = min(g.blocks-i, blocks)
			f.rest = b2i(i+blocks > g.blocks && g.rest > 0)
			f.a = start.a + uintptr(i*f.aBlock)
			f.from.at, f.to.at = start.from.block(i*g.rows, j), start.to.block(i*g.rows, j)
			fn.call(unsafe.Pointer(&f))
		}
	}
}

func (p part) block(row, panel int) uintptr { return p.at + uintptr(row*p.row+panel*p.panel) }

// fewUses is how often an element is used at most where packing would cost more than it saves.
const fewUses = 4

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
