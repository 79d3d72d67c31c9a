package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
)

// Elements that are far apart, such as those of a column of a large matrix, are often in the same few sets of a cache, so that
// gathering them evicts what the next line needs. So a part of the matrix is first copied to a stage, by rows, and turned there.
const (
	farApart   = 1024     // bytes from an element to the next
	stageBytes = 16 << 10 // half of a first-level cache
	stageGap   = 64       // bytes between its rows, since rows of a power of two would share sets again
	leastStage = 8        // lines, and elements of a line
)

// stage is where a frame turns parts of matrices.
type stage [stageBytes]byte

// staged reports whether a copy is better staged.
func (n *nativeCopy) staged(p *copyPlan) bool {
	return p.kind == nest.Gathered && p.line.src == 1 && max(p.step, -p.step) >= farApart && min(p.lines, p.cols) >= leastStage &&
		n.fn[nest.Lines][n.size] != 0
}

// stage copies lines by way of the stage.
func (n *nativeCopy) stage(f *frame, p *copyPlan, dst, src ptr) {
	if f.stage == nil {
		f.stage = new(stage)
	}
	at := ptr(f.stage)
	lines := min(p.lines, 256/n.size)
	cols := min(p.cols, stageBytes/(lines*n.size+stageGap))
	row := lines*n.size + stageGap
	for line := 0; line < p.lines; line += lines {
		for col := 0; col < p.cols; col += cols {
			part := *p
			part.lines, part.cols = min(lines, p.lines-line), min(cols, p.cols-col)
			from := unsafe.Add(src, line*n.size+col*p.step)
			rows := copyPlan{kind: nest.Lines, cols: part.lines, lines: part.cols, line: copyDim{part.cols, row / n.size, p.step / n.size}}
			n.linesOf(f, &rows, at, from)
			part.step, part.line.n = row, part.lines
			n.linesOf(f, &part, unsafe.Add(dst, (line*p.line.dst+col)*n.size), at)
		}
	}
}
