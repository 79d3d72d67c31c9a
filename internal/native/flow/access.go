package flow

import (
	"fmt"
	"math/bits"

	"github.com/cutile-go/cutile/internal/native/lane"
	"github.com/cutile-go/cutile/internal/native/vec"
	"github.com/cutile-go/cutile/tileir"
)

// access is a load or store through a view.
type access struct {
	view   *view
	tile   []int
	axes   []tileir.ViewAxis
	order  []int // of its dimensions in the arena, from the outermost on
	size   int   // bytes of an element
	usual  vec.Reg
	left   []number  // by dimension: the elements of the tensor from the tile's first one on
	beyond []vec.Reg // by dimension: negative if the tile reaches beyond the tensor; 0 if it never does
	start  vec.Reg   // the address of the tile's first element, if all is usual
	end    vec.Reg   // behind its last one, as far as they lie in the tensor
	step   number    // bytes from a row to the next
	key    any       // the same for accesses of the same tile
}

// same tells accesses of the same place apart from others.
type same struct {
	view  *view
	index [4]*tileir.Value
	typ   string
	order string
}

// access finds the tile of a load or store; nil if the caller does all of them.
func (b *builder) access(op *tileir.Op, from *tileir.Value, index []*tileir.Value) *access {
	v := b.viewOf(from)
	if v == nil || op.Int("memory_ordering_semantics") != int64(tileir.MemoryWeak) {
		return nil
	}
	t := from.Type.(tileir.ViewType)
	a := &access{view: v, axes: t.Axes(), tile: t.TileType().Shape, order: b.Order(op), size: v.t.Elem.Bytes(), usual: v.usual}
	if len(index) != len(a.axes) || len(index) > 4 {
		return nil
	}
	k := same{view: v, typ: t.String(), order: fmt.Sprint(a.order)}
	for i, x := range index {
		if a.axes[i].Sparse || !isInteger(lane.TileOf(x)) || !b.uniform(x) {
			return nil
		}
		k.index[i] = x
	}
	a.key = k
	b.find(a, index)
	return a
}

// find computes where the tile is, and requires that none of it lies before the tensor; how much lies behind it, it notes.
func (b *builder) find(a *access, index []*tileir.Value) {
	offset, span := number{}, number{}
	for i, ax := range a.axes {
		n, stride, extent := int64(a.tile[i]), a.view.stride[ax.Dim], a.view.shape[ax.Dim]
		start := b.times(b.indexOf(a, index[i]), ax.Step)
		if start.reg != 0 || start.known < 0 {
			b.need(a, b.scalar(start))
		}
		left := b.minus(extent, start)
		a.left, a.beyond = append(a.left, left), append(a.beyond, b.less(left, n))
		offset = b.plus(offset, b.product(start, stride))
		span = b.plus(span, b.times(stride, n-1))
	}
	bytes := b.scalar(b.times(offset, int64(a.size)))
	length := b.scalar(b.plus(b.times(span, int64(a.size)), number{known: int64(a.size)}))
	a.start = b.add(a.view.data, bytes)
	a.end = b.Do(vec.SMin, vec.NoType, b.add(a.start, length), b.add(a.view.data, b.scalar(a.view.bytes)))
}

// indexOf is an index, which must not be so large that its product with a step overflows.
func (b *builder) indexOf(a *access, v *tileir.Value) number {
	if k, ok := b.number(v); ok && k < extentLimit && k > -extentLimit {
		return number{known: k}
	}
	x := b.integer(v)
	if lane.TileOf(v).Elem == tileir.I64 {
		b.need(a, b.sub(b.Int(extentLimit), x))
		x = b.Do(vec.SMin, vec.NoType, b.Do(vec.SMax, vec.NoType, x, b.Int(-1)), b.Int(extentLimit))
	}
	return number{reg: x}
}

func (b *builder) need(a *access, x vec.Reg) {
	a.usual = b.both(a.usual, x)
}

// equal requires that two numbers are equal; false if they never are.
func (b *builder) equal(a *access, x, y number) bool {
	if x.reg == 0 && y.reg == 0 {
		return x.known == y.known
	}
	p, q := b.scalar(x), b.scalar(y)
	b.need(a, b.sub(p, q))
	b.need(a, b.sub(q, p))
	return true
}

func (b *builder) times(x number, n int64) number {
	switch {
	case x.reg == 0:
		return number{known: x.known * n}
	case n == 1:
		return x
	case n > 0 && n&(n-1) == 0:
		return number{reg: b.DoImm(vec.SShlImm, vec.NoType, int64(bits.TrailingZeros64(uint64(n))), x.reg)}
	}
	return number{reg: b.Do(vec.SMul, vec.NoType, x.reg, b.Int(n))}
}

func (b *builder) minus(x, y number) number {
	if y.reg == 0 {
		return b.plus(x, number{known: -y.known})
	}
	return number{reg: b.sub(b.scalar(x), y.reg)}
}

// less is negative if a number is less than n; 0 if it never is.
func (b *builder) less(x number, n int64) vec.Reg {
	if x.reg == 0 && x.known >= n {
		return 0
	}
	return b.scalar(b.plus(x, number{known: -n}))
}

func (b *builder) product(x, y number) number {
	if y.reg == 0 {
		return b.times(x, y.known)
	}
	if x.reg == 0 {
		return b.times(y, x.known)
	}
	return number{reg: b.Do(vec.SMul, vec.NoType, x.reg, y.reg)}
}

func (b *builder) plus(x, y number) number {
	switch {
	case x.reg == 0 && y.reg == 0:
		return number{known: x.known + y.known}
	case x.reg == 0 && x.known == 0:
		return y
	case y.reg == 0:
		return number{reg: b.AddInt(x.reg, y.known)}
	case x.reg == 0:
		return number{reg: b.AddInt(y.reg, x.known)}
	}
	return number{reg: b.add(x.reg, y.reg)}
}

// dim gives the elements of the i-th dimension in the arena and their distance in memory.
func (a *access) dim(i int) (n int, stride number) {
	k := a.order[i]
	return a.tile[k], a.view.stride[a.axes[k].Dim]
}

// rows requires that the tile is rows of adjacent elements at one distance; false if it never is.
func (b *builder) rows(a *access, rows, cols int) bool {
	adjacent := 1 // elements that are adjacent so far
	i := len(a.tile) - 1
	for ; i >= 0 && adjacent < cols; i-- {
		if n, stride := a.dim(i); n > 1 {
			if !b.equal(a, stride, number{known: int64(adjacent)}) {
				return false
			}
			adjacent *= n
		}
	}
	a.step = number{known: int64(cols * a.size)}
	if adjacent%cols != 0 {
		return false
	}
	if adjacent > cols { // rows are parts of what is adjacent: then all of it is
		for ; i >= 0; i-- {
			if n, stride := a.dim(i); n > 1 {
				if !b.equal(a, stride, number{known: int64(adjacent)}) {
					return false
				}
				adjacent *= n
			}
		}
		return adjacent == rows*cols
	}
	count := 1
	for ; i >= 0; i-- {
		n, stride := a.dim(i)
		switch {
		case n == 1:
			continue
		case count == 1:
			a.step = b.times(stride, int64(a.size))
		case !b.equal(a, b.times(stride, int64(a.size)), b.times(a.step, int64(count))):
			return false
		}
		count *= n
	}
	return count == rows
}

// loadOne reads a single element.
func (b *builder) loadOne(op *tileir.Op) bool {
	v := op.Results[0]
	if lane.TileOf(v).Size() != 1 || !b.uniform(v) {
		return false
	}
	a := b.access(op, op.Operands[0], op.Group(1))
	if a == nil {
		return false
	}
	b.variables(op.Results[:1])
	b.unless(b.whole(a), []*tileir.Op{op}, op.Results)
	b.fetch(v, vec.Mem{Base: a.start})
	b.End()
	b.settle(op.Results[:1])
	return true
}

// storeOne writes a single element.
func (b *builder) storeOne(op *tileir.Op) bool {
	v := op.Operands[0]
	if lane.TileOf(v).Size() != 1 || !b.uniform(v) {
		return false
	}
	a := b.access(op, op.Operands[1], op.Group(2))
	if a == nil {
		return false
	}
	b.unless(b.whole(a), []*tileir.Op{op}, nil)
	b.store(v, vec.Mem{Base: a.start})
	b.End()
	return true
}
