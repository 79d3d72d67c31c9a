package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// nativeCopy copies elements of one size by machine code, line by line, in any layout where the elements of a line are
// adjacent in the source or in the result.
type nativeCopy struct {
	code *machineCode
	size int
	fn   [nest.CopyKinds][9]int // one more than the number of a function, by kind and size
}

// The bounds of what machine code copies. Package runtime copies long lines as fast, and a few elements are not worth a call.
const (
	leastCopied = 32
	longLine    = 2048    // bytes
	longestStep = 1 << 26 // bytes
)

// kindsOf are the kinds of copies by which elements of a size are copied, for one that is asked for.
func kindsOf(kind nest.CopyKind, size int) []nest.Copy {
	kinds := []nest.Copy{{Kind: kind, Size: size}}
	switch {
	case size < 4 && kind == nest.Lines: // of two or four elements
		kinds = append(kinds, nest.Copy{Kind: nest.Lines, Size: 4})
	case size < 4 && kind == nest.Gathered:
		kinds = append(kinds, nest.Copy{Kind: nest.Wide, Size: size})
	}
	if kind == nest.Gathered || kind == nest.Scattered {
		kinds = append(kinds, nest.Copy{Kind: nest.Turned, Size: size})
	}
	return kinds
}

// copies gives what copies elements of a size, with the given kinds of copies; nil if all is interpreted.
func (c *compiler) copies(size int, kinds ...nest.CopyKind) *nativeCopy {
	code := c.plan.code
	if code == nil {
		return nil
	}
	n := &nativeCopy{code: code, size: size}
	code.words = max(code.words, nest.CopyWords)
	for _, kind := range kinds {
		for _, k := range kindsOf(kind, size) {
			fn, ok := code.function(k, c.entry.Name)
			if !ok {
				return nil
			}
			n.fn[k.Kind][k.Size] = fn + 1
		}
	}
	return n
}

// copiesOf gives what copies a layout that is known, for the operation that is compiled; nil if it is interpreted.
func (c *compiler) copiesOf(l layout, size int) *nativeCopy {
	var p copyPlan
	if !p.plan(l, size) || p.kind != nest.Lines && !p.worth(size) {
		return nil
	}
	n := c.copies(size, p.kind)
	if n != nil {
		c.notes.copies(c.op, copyTexts[p.kind])
	}
	return n
}

// copyTexts explain copies.
var copyTexts = [nest.CopyKinds]string{
	nest.Lines: "lines are copied", nest.Fill: "lines are filled", nest.Gathered: "elements are gathered", nest.Scattered: "elements are scattered",
}

// copyLayout copies as a layout says; n may be nil.
func (n *nativeCopy) copyLayout(f *frame, l layout, dst, src ptr, size int) {
	var p copyPlan
	if n == nil || !p.plan(l, size) || n.fn[p.kind][size] == 0 || !p.worth(size) {
		f.copyLayout(l, dst, src, size)
		return
	}
	n.run(f, &p, dst, src)
}

// worth reports whether machine code is the better way.
func (p *copyPlan) worth(size int) bool {
	if p.kind == nest.Lines && (p.lines == 1 || p.cols*size >= longLine) {
		return false
	}
	return p.elems >= leastCopied && p.cols <= pollElems
}

// copyDim is a dimension of a copy: its elements, and the distances of neighbours in the result and the source, in elements.
type copyDim struct{ n, dst, src int }

// copyPlan is how a layout is copied: lines, and what lies outside them.
type copyPlan struct {
	kind  nest.CopyKind
	elems int
	cols  int // elements of a line
	step  int // from one to the next where they are apart
	lines int
	line  copyDim
	outer [maxRank]copyDim
	rank  int // of outer
}

// plan finds the lines of a layout; false if there are none.
func (p *copyPlan) plan(l layout, size int) bool {
	if !p.squeeze(l) {
		return false
	}
	inner := p.find(func(d copyDim) bool { return d.dst == 1 && d.src == 1 })
	p.kind = nest.Lines
	if inner < 0 {
		if inner = p.find(func(d copyDim) bool { return d.dst == 1 }); inner >= 0 {
			p.kind = nest.Gathered
			if p.outer[inner].src == 0 {
				p.kind = nest.Fill
			}
		} else if inner = p.find(func(d copyDim) bool { return d.src == 1 }); inner >= 0 {
			p.kind = nest.Scattered
		}
	}
	if inner < 0 {
		return p.single()
	}
	d := p.take(inner)
	p.cols = d.n
	if p.step = d.src; p.kind == nest.Scattered {
		p.step = d.dst
	}
	p.step *= size
	p.chooseLines()
	return max(p.step, -p.step) < longestStep
}

// single is a copy of at most one element.
func (p *copyPlan) single() bool {
	p.cols, p.lines = 1, 1
	return p.rank == 0
}

// squeeze lists the dimensions of a layout, without those of one element; neighbours that are one in both arrays are joined.
func (p *copyPlan) squeeze(l layout) bool {
	p.elems = 1
	for i, n := range l.shape {
		p.elems *= n
		if n == 1 {
			continue
		}
		if k := p.rank - 1; k >= 0 && p.outer[k].dst == n*l.dst[i] && p.outer[k].src == n*l.src[i] {
			p.outer[k] = copyDim{p.outer[k].n * n, l.dst[i], l.src[i]}
			continue
		}
		if p.rank == maxRank {
			return false
		}
		p.outer[p.rank] = copyDim{n, l.dst[i], l.src[i]}
		p.rank++
	}
	return true
}

// find gives the number of the last dimension for which ok, or -1.
func (p *copyPlan) find(ok func(d copyDim) bool) int {
	for i := p.rank - 1; i >= 0; i-- {
		if ok(p.outer[i]) {
			return i
		}
	}
	return -1
}

// take removes a dimension.
func (p *copyPlan) take(i int) copyDim {
	d := p.outer[i]
	copy(p.outer[i:p.rank-1], p.outer[i+1:p.rank])
	p.rank--
	return d
}

// chooseLines takes a dimension as that of lines: the one whose neighbours are adjacent where the elements of a line are not,
// and else the largest.
func (p *copyPlan) chooseLines() {
	p.lines, p.line = 1, copyDim{1, 0, 0}
	if p.rank == 0 {
		return
	}
	best := p.find(func(d copyDim) bool {
		return p.kind == nest.Gathered && d.src == 1 || p.kind == nest.Scattered && d.dst == 1
	})
	if best < 0 {
		best = p.rank - 1
		for i := range p.rank {
			if p.outer[i].n > p.outer[best].n {
				best = i
			}
		}
	}
	p.line = p.take(best)
	p.lines = p.line.n
}

// run copies what a plan says.
func (n *nativeCopy) run(f *frame, p *copyPlan, dst, src ptr) {
	var at [maxRank]int
	to, from := 0, 0 // bytes from dst and src on: a pointer must not leave the memory, even for a moment
	done := 0
	for {
		if p.turns() {
			n.turn(f, p, unsafe.Add(dst, to), unsafe.Add(src, from))
		} else {
			n.linesOf(f, p, unsafe.Add(dst, to), unsafe.Add(src, from))
		}
		if done += p.lines * p.cols; done >= pollElems {
			f.poll()
			done = 0
		}
		i := p.rank - 1
		for ; i >= 0; i-- {
			d := &p.outer[i]
			to, from = to+d.dst*n.size, from+d.src*n.size
			if at[i]++; at[i] < d.n {
				break
			}
			to, from = to-d.n*d.dst*n.size, from-d.n*d.src*n.size
			at[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

// turns reports whether a copy exchanges rows and columns of whole squares.
func (p *copyPlan) turns() bool {
	return min(p.lines, p.cols) >= vec.Lanes && (p.kind == nest.Gathered && p.line.src == 1 || p.kind == nest.Scattered && p.line.dst == 1)
}

// turn copies whole squares of rows and columns, and then what is left: lines behind these, and elements beside them.
func (n *nativeCopy) turn(f *frame, p *copyPlan, dst, src ptr) {
	lines, cols := p.lines&^(vec.Lanes-1), p.cols&^(vec.Lanes-1)
	words, size := f.words, n.size
	words[nest.SourceBytes], words[nest.ResultBytes] = uint64(uintptr(src)), uint64(uintptr(dst))
	toElem, fromElem := size, p.step
	if p.kind == nest.Gathered {
		words[nest.LineElems], words[nest.SourceStep], words[nest.ResultLine] = uint64(cols), uint64(p.step), uint64(p.line.dst*size)
		n.call(f, nest.Copy{Kind: nest.Turned, Size: size}, 0, lines, cols)
	} else { // elements of a line lie in different lines of the result
		toElem, fromElem = p.step, size
		words[nest.LineElems], words[nest.SourceStep], words[nest.ResultLine] = uint64(lines), uint64(p.line.src*size), uint64(p.step)
		n.call(f, nest.Copy{Kind: nest.Turned, Size: size}, 0, cols, lines)
	}
	rest := *p
	if rest.lines = p.lines - lines; rest.lines > 0 {
		n.linesOf(f, &rest, unsafe.Add(dst, lines*p.line.dst*size), unsafe.Add(src, lines*p.line.src*size))
	}
	if rest.lines, rest.cols = lines, p.cols-cols; rest.cols > 0 {
		n.linesOf(f, &rest, unsafe.Add(dst, cols*toElem), unsafe.Add(src, cols*fromElem))
	}
}

// linesOf copies lines. Of lines that are read with what follows them, the last ones are read element by element, since
// nothing follows them that may be read.
func (n *nativeCopy) linesOf(f *frame, p *copyPlan, dst, src ptr) {
	k, cols := nest.Copy{Kind: p.kind, Size: n.size}, p.cols
	if k.Kind == nest.Lines && n.size < 4 && cols*n.size%4 == 0 {
		k.Size, cols = 4, cols*n.size/4
	}
	words := f.words
	words[nest.LineElems] = uint64(cols)
	words[nest.SourceBytes], words[nest.ResultBytes] = uint64(uintptr(src)), uint64(uintptr(dst))
	words[nest.SourceLine], words[nest.ResultLine] = uint64(p.line.src*n.size), uint64(p.line.dst*n.size)
	words[nest.SourceStep], words[nest.ResultStep] = uint64(p.step), uint64(p.step)
	lo := 0
	if behind := 4/n.size - 1; k.Kind == nest.Gathered && behind > 0 && p.line.src == 1 && p.lines > behind {
		lo = p.lines - behind
		n.call(f, nest.Copy{Kind: nest.Wide, Size: n.size}, 0, lo, cols)
	}
	n.call(f, k, lo, p.lines, cols)
}

// call copies lines lo to hi.
func (n *nativeCopy) call(f *frame, k nest.Copy, lo, hi, cols int) {
	fn, perCall := n.fn[k.Kind][k.Size]-1, max(1, pollElems/cols)
	if k.Kind == nest.Turned {
		perCall = alignUp(perCall, vec.Lanes)
	}
	for ; lo < hi; lo += perCall {
		f.words[nest.FirstLine], f.words[nest.LastLine] = uint64(lo), uint64(min(lo+perCall, hi))
		n.code.call(fn, f.words)
		if lo+perCall < hi {
			f.poll()
		}
	}
}
