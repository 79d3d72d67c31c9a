package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/tileir"
)

// The order of a reduction over n elements is fixed, whatever the shape of the rest of the tile: they are folded into
// min(n, 64) partial results, of which number j takes elements j, j+64, j+128 and so on in this order; then the upper
// half of the partial results is folded into the lower half until one is left. The identity takes no part.
//
// The order of a scan is fixed, too. Each 16 elements along its dimension are a group. For d = 1, 2, 4 and 8, element i of a group
// for which i&d is not 0 is combined with element i&^(2d-1) + d-1, which has the combination of the d elements before it then; and
// at the end, each element of a group with the last element of the group before it, group after group. When a scan is reversed,
// elements and groups are counted from the last one on.
//
// In each pair of the body's arguments the first is the accumulator, what comes from the earlier or lower elements, and
// the second is the element. So NVIDIA's assembler has it; the specification's text names them the other way round, its
// formula and its example of a scan do not.

// partials is how many partial results a reduction has at first.
const partials = 64

// fold is the body of a reduction, ready to combine many elements at a time.
type fold struct {
	op     *tileir.Op
	single *elementwise // of a body that is one operation
	steady *elementwise // the same for accumulators that change seldom, if there is one
	body   program
	lanes  int
	elem   []slot // block arguments
	acc    []slot
	out    []slot // yielded values
	splat  []bool // of them: one value for all
	sizes  []int
	room   int // bytes of scratch that the operation itself uses; the body has what lies behind
	nested int // bytes of scratch that the body uses
}

// newFold compiles the body of reduce or scan.
func (c *compiler) newFold(op *tileir.Op) (*fold, error) {
	block := op.Regions[0]
	fd := &fold{op: op, lanes: max(1, c.plan.laneOps[op])}
	if len(op.Operands) > maxFolds {
		return nil, unsupported(op, nil, "it has more than 8 operands")
	}
	lanes, scratch := c.lanes, c.scratch
	c.lanes, c.scratch = c.plan.laneOps[op] > 0, 0
	defer func() { c.lanes, c.scratch = lanes, max(scratch, c.scratch) }()
	for i, v := range op.Operands {
		fd.sizes = append(fd.sizes, elemBytes(tileType(v)))
		fd.acc, fd.elem = append(fd.acc, c.off(block.Args[2*i])), append(fd.elem, c.off(block.Args[2*i+1]))
	}
	yield := block.Ops[len(block.Ops)-1]
	for _, v := range yield.Operands {
		fd.out = append(fd.out, c.off(v))
		fd.splat = append(fd.splat, c.plan.places[v].splat)
	}
	if len(block.Ops) == 2 && shapeOf(block.Ops[0]).elementwise && c.lanes {
		if e, err := c.combination(block); err != nil || e != nil {
			if fd.single = e; e != nil {
				e.ready()
				if loop, ok := foldLoops[keyOf(block.Ops[0])]; ok && long(op) {
					if block.Ops[0].Operands[0] == block.Args[0] {
						loop = swapped(loop)
					}
					steady := *e
					steady.run, fd.steady = loop, &steady
				}
			}
			return fd, err
		}
	}
	p, err := c.block(&tileir.Block{Args: block.Args, Ops: block.Ops[:len(block.Ops)-1]})
	fd.body, fd.nested = p, c.scratch
	return fd, err
}

// combination recognises a body that is one operation on its two arguments.
func (c *compiler) combination(block *tileir.Block) (*elementwise, error) {
	op := block.Ops[0]
	acc, elem := block.Args[0], block.Args[1]
	if len(op.Operands) != 2 || len(block.Args) != 2 || block.Ops[1].Operands[0] != op.Results[0] {
		return nil, nil
	}
	direct := op.Operands[0] == elem && op.Operands[1] == acc
	turned := op.Operands[0] == acc && op.Operands[1] == elem
	if !direct && !turned {
		return nil, nil
	}
	e, err := shapeOf(op).loop(c, op)
	if err == nil && turned {
		e.run = swapped(e.run)
		e.in[0], e.in[1] = e.in[1], e.in[0]
	}
	return e, err
}

// long reports whether a reduction of float32 folds so many elements into each partial result that most change nothing.
func long(op *tileir.Op) bool {
	return tileType(op.Operands[0]).Elem == tileir.F32 && foldingOf(op).n >= 16*partials
}

// accumulate combines elements and accumulators in place.
func (fd *fold) accumulate(f *frame, acc, elem []ptr, n int) bool {
	if fd.steady != nil {
		fd.steady.apply(f, acc[0], elem[0], acc[0], nil, n, 0)
		return true
	}
	return fd.combine(f, acc, elem, acc, n)
}

// combine puts the combination of n elements and accumulators at dst, which may be either. It reports false after a
// fault.
func (fd *fold) combine(f *frame, dst, elem, acc []ptr, n int) bool {
	if fd.single != nil {
		fd.single.apply(f, dst[0], elem[0], acc[0], nil, n, 0) // many lanes at a time divide without a check
		return true
	}
	lanes, scratch := f.lanes, f.scratch
	f.scratch = unsafe.Add(f.scratch, fd.room)
	defer func() { f.lanes, f.scratch = lanes, scratch }()
	for lo := 0; lo < n; lo += fd.lanes {
		if lo&255 == 0 {
			f.poll()
		}
		m := min(fd.lanes, n-lo)
		for i, size := range fd.sizes {
			copyBytes(unsafe.Add(f.mem, fd.elem[i]), unsafe.Add(elem[i], lo*size), m*size)
			copyBytes(unsafe.Add(f.mem, fd.acc[i]), unsafe.Add(acc[i], lo*size), m*size)
		}
		f.lanes = m
		if fd.body.run(f) == sigFault {
			return false
		}
		for i, size := range fd.sizes {
			if fd.splat[i] && fd.lanes > 1 {
				fillBytes(unsafe.Add(dst[i], lo*size), unsafe.Add(f.mem, fd.out[i]), size, m)
				continue
			}
			copyBytes(unsafe.Add(dst[i], lo*size), unsafe.Add(f.mem, fd.out[i]), m*size)
		}
	}
	return true
}

// folding is a tile seen as outer by n by inner elements, of which the middle is reduced or scanned.
type folding struct {
	outer, n, inner int
}

func foldingOf(op *tileir.Op) folding {
	shape, dim := tileType(op.Operands[0]).Shape, int(op.Int("dim"))
	g := folding{1, shape[dim], 1}
	for _, n := range shape[:dim] {
		g.outer *= n
	}
	for _, n := range shape[dim+1:] {
		g.inner *= n
	}
	return g
}

// generateReduce compiles reduce.
func generateReduce(c *compiler, op *tileir.Op) (step, error) {
	fd, err := c.newFold(op)
	if err != nil {
		return nil, err
	}
	r := &reduction{fold: fd, folding: foldingOf(op)}
	r.width = min(r.n, partials)
	room := r.outer * r.width * r.inner
	at := 0
	for i, v := range op.Operands {
		r.src, r.dst = append(r.src, c.need(v)), append(r.dst, c.off(op.Results[i]))
		r.work, r.turned = append(r.work, at), append(r.turned, at+alignUp(room*fd.sizes[i], 8))
		at += 2 * alignUp(room*fd.sizes[i], 8)
	}
	fd.room = alignUp(at, 64)
	c.reserve(fd.room + fd.nested)
	r.narrow = r.width
	for r.narrow > 1 && (r.outer == 1 || r.narrow*r.inner >= 64) {
		r.narrow /= 2
	}
	rest := r.outer * r.inner
	r.turn = layout{[]int{r.narrow, r.outer, r.inner}, []int{rest, r.inner, 1}, []int{r.inner, r.width * r.inner, 1}}.squeeze()
	return r.run, nil
}

// reduction is a reduce operation.
type reduction struct {
	*fold
	folding
	width    int
	src, dst []slot
	work     []int // in scratch: the partial results
	turned   []int // in scratch: the same, with the reduced dimension first
	narrow   int   // how many partial results are left when they are turned
	turn     layout
}

// maxFolds is how many tiles a reduce or scan may take.
const maxFolds = nest.MostFolded

// run does the reduction.
func (r *reduction) run(f *frame) signal {
	var accs, elems [maxFolds]ptr
	acc, elem := accs[:len(r.sizes)], elems[:len(r.sizes)]
	row, part := r.n*r.inner, r.width*r.inner
	if row == part { // nothing to fold yet
		for i, size := range r.sizes {
			f.copyInParts(unsafe.Add(f.scratch, r.work[i]), unsafe.Add(f.mem, r.src[i]), r.outer*row*size)
		}
		return r.finish(f, acc, elem)
	}
	for o := range r.outer {
		for i, size := range r.sizes {
			acc[i] = unsafe.Add(f.scratch, r.work[i]+o*part*size)
			f.copyInParts(acc[i], unsafe.Add(f.mem, int(r.src[i])+o*row*size), part*size)
		}
		f.poll()
		for k := r.width; k < r.n; k += r.width {
			if k/r.width%64 == 0 {
				f.poll()
			}
			for i, size := range r.sizes {
				elem[i] = unsafe.Add(f.mem, int(r.src[i])+(o*row+k*r.inner)*size)
			}
			if !r.accumulate(f, acc, elem, part) {
				return sigFault
			}
		}
	}
	return r.finish(f, acc, elem)
}

// finish folds the partial results and stores the last of them.
func (r *reduction) finish(f *frame, acc, elem []ptr) signal {
	if !r.halve(f, acc, elem) {
		return sigFault
	}
	for i, size := range r.sizes {
		f.copyInParts(unsafe.Add(f.mem, r.dst[i]), acc[i], r.outer*r.inner*size)
	}
	return sigNext
}

// halve folds the partial results. While there are many in a row each row is folded by itself; then the reduced
// dimension is brought to the front and all rows are folded together.
func (r *reduction) halve(f *frame, acc, elem []ptr) bool {
	width := r.width
	for ; width > r.narrow; width /= 2 {
		for o := range r.outer {
			f.poll()
			for i, size := range r.sizes {
				acc[i] = unsafe.Add(f.scratch, r.work[i]+o*r.width*r.inner*size)
				elem[i] = unsafe.Add(acc[i], width/2*r.inner*size)
			}
			if !r.combine(f, acc, elem, acc, width/2*r.inner) {
				return false
			}
		}
	}
	rest := r.outer * r.inner
	for i, size := range r.sizes {
		acc[i] = unsafe.Add(f.scratch, r.turned[i])
		f.copyLayout(r.turn, acc[i], unsafe.Add(f.scratch, r.work[i]), size)
	}
	for ; width > 1; width /= 2 {
		for i, size := range r.sizes {
			elem[i] = unsafe.Add(acc[i], width/2*rest*size)
		}
		if !r.combine(f, acc, elem, acc, width/2*rest) {
			return false
		}
	}
	return true
}
