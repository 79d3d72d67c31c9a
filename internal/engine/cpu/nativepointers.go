package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/internal/native/vec"
)

// nativePointers moves elements through a tile of pointers by machine code, as far as they lie in the buffer that was
// used last. The others go one by one, sixteen at a time; they may be in another buffer, which is the last one then, or a
// fault.
type nativePointers struct {
	*pointers
	code *machineCode
	fn   int
	rest func(p *pointers, f *frame, lo, hi int, tile ptr) bool
}

// nativeMove gives what moves the elements of an operation by machine code; nil if it is interpreted.
func (c *compiler) nativeMove(p *pointers, store bool) func(p *pointers, f *frame, tile ptr) bool {
	code := c.plan.code
	if code == nil || p.n < vec.Lanes || strong(p.op) || p.elem.PerByte() > 1 {
		return nil
	}
	fn, ok := code.function(nest.Pointers{Size: p.size, Masked: p.masked, Store: store, Indexed: p.indexed}, c.entry.Name)
	if !ok {
		return nil
	}
	n := &nativePointers{pointers: p, code: code, fn: fn, rest: gathers[p.size]}
	if store {
		n.rest = scatters[p.size]
	}
	c.reserve(8)
	c.notes.copies(p.op, "sixteen elements at a time")
	return n.move
}

// gathers and scatters move elements lo to hi of a part one by one, by element size.
var (
	gathers = map[int]func(p *pointers, f *frame, lo, hi int, tile ptr) bool{
		1: gatherSome[uint8], 2: gatherSome[uint16], 4: gatherSome[uint32], 8: gatherSome[uint64],
	}
	scatters = map[int]func(p *pointers, f *frame, lo, hi int, tile ptr) bool{
		1: scatterSome[uint8], 2: scatterSome[uint16], 4: scatterSome[uint32], 8: scatterSome[uint64],
	}
)

// move moves all elements; false after a fault.
func (n *nativePointers) move(_ *pointers, f *frame, tile ptr) bool {
	return n.inParts(f, func(part *pointers) bool {
		at := unsafe.Add(tile, part.first*part.size)
		for lo := 0; lo < part.n; lo += vec.Lanes {
			if lo = n.call(f, part, lo, at); lo == part.n {
				break
			}
			if !n.rest(part, f, lo, lo+vec.Lanes, at) {
				return false
			}
		}
		return true
	})
}

// call runs the function for a part from an element on, and gives the element before which it ended.
func (n *nativePointers) call(f *frame, part *pointers, lo int, tile ptr) int {
	return n.code.throughPointers(n.fn, f, part, f.window(part.size), lo, tile)
}

// words says to machine code where the addresses are, and the mask.
func (p *pointers) words(f *frame) {
	f.words[nest.Addresses], f.words[nest.MaskBytes] = f.address(p.address), f.address(p.mask)
	if p.indexed {
		f.words[nest.Origin] = *at[uint64](f, p.origin)
	}
}

// throughPointers runs a function of [nest.Pointers] for a part from an element on, for places in a window, and gives the element
// before which it ended.
func (m *machineCode) throughPointers(fn int, f *frame, part *pointers, w window, lo int, tile ptr) int {
	words := f.words
	words[nest.FirstElem], words[nest.LastElem] = uint64(lo), uint64(part.n)
	part.words(f)
	words[nest.TileBytes], words[nest.Done] = uint64(uintptr(tile)), uint64(uintptr(f.scratch))
	words[nest.WindowBase], words[nest.WindowSize], words[nest.WindowData] = w.base, w.size, uint64(uintptr(w.data))
	m.call(fn, words)
	return int(*(*int64)(f.scratch))
}
