package cpu

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/cutile-go/cutile/internal/emulate/races"
	"github.com/cutile-go/cutile/internal/engine"
	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/tileir"
)

// watcher watches one operation of a kernel.
type watcher struct {
	effect
	op     *tileir.Op
	number int32 // by which the detector knows the operation
}

// watcher gives the watcher of an operation; nil if the device does not check.
func (c *compiler) watcher(op *tileir.Op) *watcher {
	if !c.device.assumes {
		return nil
	}
	e, ok := effectOf(op)
	if !ok {
		panic("BUG: cpu: " + op.Info.Mnemonic + " touches memory, but the table of effects lacks it")
	}
	c.touching = append(c.touching, op)
	return &watcher{e, op, int32(len(c.touching) - 1)}
}

// watched makes a step that accesses memory through pointers a watched one.
func (c *compiler) watched(p *pointers, s step) step {
	w := c.watcher(p.op)
	if w == nil {
		return s
	}
	return func(f *frame) signal {
		if f.watch == nil {
			return s(f)
		}
		if !w.pointers(f, p) {
			return sigFault
		}
		sig := s(f)
		if sig == sigNext && w.acquires {
			w.acquirePointers(f, p)
		}
		return sig
	}
}

// pointers checks each element against its tensor and notes it; false after a fault.
func (w *watcher) pointers(f *frame, p *pointers) bool {
	if d := f.watch.races; d != nil {
		d.Lock()
		defer d.Unlock()
	}
	return p.inParts(f, func(part *pointers) bool { return w.part(f, part) })
}

// part is pointers for a part of the tile. The detector is locked.
func (w *watcher) part(f *frame, p *pointers) bool {
	addresses, mask := p.operands(f)
	for i := range p.n {
		address := addresses.at(i)
		if mask != nil && mask[i] == 0 {
			continue
		}
		b := f.buffer(address &^ upperHalf)
		if b == nil {
			continue // the access itself will say so
		}
		off := int64(address&^upperHalf) - int64(b.base)
		if b.of != nil && (off < 0 || off+int64(p.size) > b.size) {
			f.fail(p.op, "element %d: %s outside the tensor: %s", p.first+i, spoken.Op(p.op), b.beyond(off, p.size))
			return false
		}
		if off < 0 || off+int64(p.size) > b.size {
			continue
		}
		if !w.touch(f, b, off, int64(p.size)) {
			return false
		}
	}
	return true
}

// acquirePointers lets the block know what was released where it looked.
func (w *watcher) acquirePointers(f *frame, p *pointers) {
	if f.watch.races == nil {
		return
	}
	f.watch.races.Lock()
	defer f.watch.races.Unlock()
	p.inParts(f, func(part *pointers) bool {
		addresses, mask := part.operands(f)
		for i := range part.n {
			address := addresses.at(i)
			if mask != nil && mask[i] == 0 {
				continue
			}
			if b := f.buffer(address); b != nil {
				if root, off := b.root(int64(address - b.base)); f.watch.cells(root) != nil {
					f.thread.Acquire(f.watch.cells(root), off)
				}
			}
		}
		return true
	})
}

// touch notes an access to bytes of a buffer; false after a fault. The detector is locked.
func (w *watcher) touch(f *frame, b *Buffer, off, bytes int64) bool {
	root, at := b.root(off)
	m := f.watch.cells(root)
	if m == nil {
		return true
	}
	if f.watch.find == root && at <= f.watch.findAt && f.watch.findAt < at+bytes && w.op.Info.Writes {
		f.watch.Find.Note(f.block, w.op.Loc, spoken.Op(w.op))
	}
	if with, where, raced := f.thread.Touch(m, at, bytes, w.number, w.kind); raced {
		f.raced(w, b, with, off+where-at)
		return false
	}
	if w.releases {
		f.thread.Release(m, at)
	}
	return true
}

// raced is the fault of an access that races with an earlier one at a byte of a buffer.
func (f *frame) raced(w *watcher, b *Buffer, with races.Access, at int64) {
	other := f.kernel.touching[with.Op]
	where := ""
	if !other.Loc.IsZero() {
		where = fmt.Sprintf(" at %s:%d:%d", other.Loc.File, other.Loc.Line, other.Loc.Col)
	}
	f.fail(w.op, "data race at %s: this %s and the %s of %s%s: nothing orders the two blocks", b.place(at), spoken.Op(w.op),
		spoken.Op(other), f.watch.who(with.Block), where)
}

// buffer is the buffer that an address belongs to; nil for none.
func (f *frame) buffer(address uint64) *Buffer {
	if b := f.cache.buf; b != nil && f.cache.id == address>>offsetBits {
		return b
	}
	b := f.kernel.device.table.find(address)
	if b != nil {
		f.cache = bufferCache{address >> offsetBits, b}
	}
	return b
}

// note watches an access through a view; false after a fault.
func (w *watcher) note(f *frame, a *access, r *region) bool {
	if r.empty {
		return f.watch.Outside || !w.outside(f, a, r)
	}
	d := f.watch.races
	if d == nil {
		return true
	}
	d.Lock()
	defer d.Unlock()
	return w.eachRun(f, a, r, func(b *Buffer, off, bytes int64) bool { return w.touch(f, b, off, bytes) })
}

// acquire lets the block know what was released where a tile was loaded.
func (w *watcher) acquire(f *frame, a *access, r *region) {
	if f.watch == nil || !w.acquires || r.empty || f.watch.races == nil {
		return
	}
	f.watch.races.Lock()
	defer f.watch.races.Unlock()
	w.eachRun(f, a, r, func(b *Buffer, off, _ int64) bool {
		if root, at := b.root(off); f.watch.cells(root) != nil {
			f.thread.Acquire(f.watch.cells(root), at)
		}
		return true
	})
}

// eachRun visits the bytes of a region, a row at a time where its elements lie side by side and nothing is released or
// acquired, which happens by element; it ends where visit gives false.
func (w *watcher) eachRun(f *frame, a *access, r *region, visit func(b *Buffer, off, bytes int64) bool) bool {
	b := f.cache.buf // locate has found the memory there
	first := int64(uintptr(r.memory) - uintptr(b.data))
	size, ok := int64(a.size), true
	if b.of == nil && f.watch.cells(b) == nil || b.of != nil && f.watch.cells(b.of) == nil {
		return true
	}
	a.each(f, r, 0, 0, r.zero, func(_, inMemory, n, stride int) {
		switch at := int64(inMemory); {
		case !ok:
		case stride == 1 && !w.strong && a.halves:
			ok = visit(b, first+at/2, (at+int64(n)-1)/2-at/2+1)
		case stride == 1 && !w.strong:
			ok = visit(b, first+at*size, int64(n)*size)
		default:
			for i := int64(0); i < int64(n) && ok; i++ {
				if at := at + i*int64(stride); a.halves {
					ok = visit(b, first+at/2, 1)
				} else {
					ok = visit(b, first+at*size, size)
				}
			}
		}
	})
	return ok
}

// outside is the fault of a tile that lies wholly outside its view; false if it only lacks elements, as where a list of
// indices names none inside.
func (w *watcher) outside(f *frame, a *access, r *region) bool {
	view := tile[int64](f, a.view, 1+2*a.rank)
	allow := cmp.Or(f.watch.Allow, "put //cutile:outside above the kernel")
	for i := range a.tile {
		if i == a.sparse || r.lo[i] < r.hi[i] {
			continue
		}
		extent := view[1+a.axes[i].Dim]
		name, index := "the view", a.read[i](f, a.index[i])
		if b := f.buffer(uint64(view[0])); b != nil && b.tensor != nil {
			name = b.tensor.Name
		}
		if extent == 0 {
			f.fail(w.op, "%s of a tile of %s, which has no elements: its extent along axis %d is 0, so that every tile lies outside, which a GPU "+
				"leaves undefined; test its Len first, or %s if it is intended", spoken.Op(w.op), name, i, allow)
			return true
		}
		f.fail(w.op, "%s of a tile wholly outside %s: index %d along axis %d is %s of %d, which a GPU leaves undefined; "+
			"test the index first, or %s if it is intended", spoken.Op(w.op), name, index, i, a.elements(i, index), extent, allow)
		return true
	}
	return false
}

// root gives the buffer that an alias is a part of, and the place there.
func (b *Buffer) root(off int64) (*Buffer, int64) {
	if b.of != nil {
		return b.of, off + b.from
	}
	return b, off
}

// beyond says where an access that leaves an alias lies.
func (b *Buffer) beyond(off int64, size int) string {
	t := b.tensor
	if n := int64(t.Size); off%n == 0 && size == t.Size {
		return fmt.Sprintf("offset %d of %d elements of %s", off/n, b.size/n, t.Name)
	}
	return fmt.Sprintf("bytes %d to %d of %d of %s", off, off+int64(size)-1, b.size, t.Name)
}

// place names a byte of a buffer in the terms of its tensor.
func (b *Buffer) place(off int64) string {
	t := b.tensor
	switch {
	case t == nil && b.name != "":
		return fmt.Sprintf("byte %d of %s", off, b.name)
	case t == nil:
		return fmt.Sprintf("byte %d of a tensor's memory", off)
	case t.Pointer:
		return fmt.Sprintf("element %d of %s", off/int64(t.Size), t.Name)
	}
	return fmt.Sprintf("element %s of %s", coordinates(t, int(off)/t.Size), t.Name)
}

// coordinates finds the index of the element at an offset: along each axis, the one with the widest stride first, as many
// steps as fit.
func coordinates(t *engine.Tensor, off int) string {
	axes := make([]int, len(t.Shape))
	for i := range axes {
		axes[i] = i
	}
	slices.SortStableFunc(axes, func(a, b int) int { return t.Strides[b] - t.Strides[a] })
	at := make([]int, len(t.Shape))
	for _, axis := range axes {
		if s := t.Strides[axis]; s > 0 && t.Shape[axis] > 1 {
			at[axis] = min(off/s, t.Shape[axis]-1)
			off -= at[axis] * s
		}
	}
	text := ""
	for i, n := range at {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint(n)
	}
	return "(" + text + ")"
}
