package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/spoken"
	"github.com/cutile-go/cutile/tileir"
)

// pointers is a load, store or atomic operation through a tile of pointers, or a part of one.
type pointers struct {
	op      *tileir.Op
	elem    tileir.Elem
	first   int // element of the tile
	n       int
	size    int
	address slot
	indexed bool // there are offsets from an origin, and no addresses
	origin  slot
	mask    slot
	masked  bool
	parts   []*pointers // of which none is so large that the launch could not wait for its end
}

func (c *compiler) newPointers(op *tileir.Op, address, mask *tileir.Value) *pointers {
	t := tileType(address)
	p := &pointers{op: op, elem: t.Elem, n: t.Size(), size: t.Elem.Bytes(), address: c.need(address)}
	if mask != nil {
		p.mask, p.masked = c.need(mask), true
	}
	bytes := 8 // of an address
	if v := c.plan.indexed.of(op); v != nil {
		p.indexed, p.origin, bytes = true, c.off(v), 4
	}
	p.parts = []*pointers{p}
	if p.n > pollElems {
		p.parts = nil
		for lo := 0; lo < p.n; lo += pollElems {
			part := *p
			part.first, part.n = lo, min(pollElems, p.n-lo)
			part.address, part.mask = p.address+slot(bytes*lo), p.mask+slot(lo)
			p.parts = append(p.parts, &part)
		}
	}
	return p
}

// inParts calls do for each part, with a look whether the launch is to end between them; false after a fault.
func (p *pointers) inParts(f *frame, do func(part *pointers) bool) bool {
	for i, part := range p.parts {
		if i > 0 {
			f.poll()
		}
		if !do(part) {
			return false
		}
	}
	return true
}

// find gives the memory of element i of a part; false after a fault.
func (p *pointers) find(f *frame, i int, address uint64) (ptr, bool) {
	if b := f.cache.buf; b != nil && address>>offsetBits == f.cache.id {
		if off := address - b.base; off <= uint64(b.size)-uint64(p.size) && b.size >= int64(p.size) && address&uint64(p.size-1) == 0 {
			return unsafe.Add(b.data, off), true
		}
	}
	return p.findSlow(f, i, address)
}

func (p *pointers) findSlow(f *frame, i int, address uint64) (ptr, bool) {
	unit := int64(p.size)
	if p.elem.Bits() < 8 && p.elem != tileir.I1 {
		unit = 0
	}
	m, text := f.resolve(address, int64(p.size), unit)
	if text != "" {
		f.fail(p.op, "element %d: %s", p.first+i, outside(spoken.Op(p.op), p.elem, text))
		return nil, false
	}
	if address&uint64(p.size-1) != 0 {
		f.fail(p.op, "element %d: %s of %s at address %#x, which is not aligned to %d bytes", p.first+i, spoken.Op(p.op), p.elem, address, p.size)
		return nil, false
	}
	return m, true
}

// each calls visit for every element that the mask lets through; false after a fault.
func (p *pointers) each(f *frame, visit func(f *frame, i int, m ptr)) bool {
	return p.inParts(f, func(part *pointers) bool { return part.eachOf(f, 0, part.n, visit) })
}

// eachOf calls visit for elements lo to hi of a part that the mask lets through, with their numbers in the tile; false after a fault.
func (p *pointers) eachOf(f *frame, lo, hi int, visit func(f *frame, i int, m ptr)) bool {
	addresses, mask := p.operands(f)
	for i := lo; i < hi; i++ {
		if mask != nil && mask[i] == 0 {
			continue
		}
		m, ok := p.find(f, i, addresses.at(i))
		if !ok {
			return false
		}
		visit(f, p.first+i, m)
	}
	return true
}

// generateLoadPtr compiles load_ptr_tko. Elements that the mask holds back are the padding value, or zero.
func generateLoadPtr(c *compiler, op *tileir.Op) (step, error) {
	p := c.newPointers(op, op.Operand("source"), op.Operand("mask"))
	padding := op.Operand("paddingValue")
	d, bytes := c.off(op.Results[0]), p.n*p.size
	load := loaders[p.size]
	switch {
	case p.elem.PerByte() > 1:
		load = gatherHalves
	case strong(op):
		move := strongLoads[p.size]
		load = func(p *pointers, f *frame, dst ptr) bool {
			return p.each(f, func(_ *frame, i int, m ptr) { move(unsafe.Add(dst, i*p.size), m) })
		}
	}
	if move := c.nativeMove(p, false); move != nil {
		load = move
	}
	isBool := p.elem == tileir.I1
	var pad slot
	if padding != nil {
		pad = c.need(padding)
	}
	return c.watched(p, func(f *frame) signal {
		dst := unsafe.Add(f.mem, d)
		switch {
		case p.masked && padding != nil:
			f.copyInParts(dst, unsafe.Add(f.mem, pad), bytes)
		case p.masked:
			f.clearInParts(slice[byte](dst, bytes))
		}
		if !load(p, f, dst) {
			return sigFault
		}
		if isBool {
			f.normalise(slice[uint8](dst, p.n))
		}
		return sigNext
	}), nil
}

// generateStorePtr compiles store_ptr_tko. Where pointers are equal the last element stays.
func generateStorePtr(c *compiler, op *tileir.Op) (step, error) {
	p := c.newPointers(op, op.Operand("destination"), op.Operand("mask"))
	src := c.need(op.Operand("value"))
	store := storers[p.size]
	switch {
	case p.elem.PerByte() > 1:
		store = scatterHalves
	case strong(op):
		move := strongStores[p.size]
		store = func(p *pointers, f *frame, from ptr) bool {
			return p.each(f, func(_ *frame, i int, m ptr) { move(m, unsafe.Add(from, i*p.size)) })
		}
	}
	if move := c.nativeMove(p, true); move != nil {
		store = move
	}
	return c.watched(p, func(f *frame) signal {
		if !store(p, f, unsafe.Add(f.mem, src)) {
			return sigFault
		}
		return sigNext
	}), nil
}

// strong reports whether an access takes part in synchronisation between blocks.
func strong(op *tileir.Op) bool {
	return op.Int("memory_ordering_semantics") != int64(tileir.MemoryWeak)
}

// loaders and storers move the elements that the mask lets through between memory and a tile, by element size; false
// after a fault.
var (
	loaders = map[int]func(p *pointers, f *frame, tile ptr) bool{
		1: gather[uint8], 2: gather[uint16], 4: gather[uint32], 8: gather[uint64],
	}
	storers = map[int]func(p *pointers, f *frame, tile ptr) bool{
		1: scatter[uint8], 2: scatter[uint16], 4: scatter[uint32], 8: scatter[uint64],
	}
)

func gather[T unsigned](p *pointers, f *frame, tile ptr) bool {
	return p.inParts(f, func(part *pointers) bool {
		return gatherSome[T](part, f, 0, part.n, unsafe.Add(tile, part.first*part.size))
	})
}

// gatherSome loads elements lo to hi of a part, whose tile begins at a place.
func gatherSome[T unsigned](p *pointers, f *frame, lo, hi int, tile ptr) bool {
	addresses, mask := p.operands(f)
	dst, w := slice[T](tile, p.n), f.window(p.size)
	for i := lo; i < hi; i++ {
		address := addresses.at(i)
		if mask != nil && mask[i] == 0 {
			continue
		}
		if off := address - w.base; off < w.size && off&uint64(p.size-1) == 0 {
			dst[i] = *(*T)(unsafe.Add(w.data, off))
			continue
		}
		m, ok := p.find(f, i, address)
		if !ok {
			return false
		}
		dst[i], w = *(*T)(m), f.window(p.size)
	}
	return true
}

func scatter[T unsigned](p *pointers, f *frame, tile ptr) bool {
	return p.inParts(f, func(part *pointers) bool {
		return scatterSome[T](part, f, 0, part.n, unsafe.Add(tile, part.first*part.size))
	})
}

// scatterSome stores elements lo to hi of a part.
func scatterSome[T unsigned](p *pointers, f *frame, lo, hi int, tile ptr) bool {
	addresses, mask := p.operands(f)
	src, w := slice[T](tile, p.n), f.window(p.size)
	for i := lo; i < hi; i++ {
		address := addresses.at(i)
		if mask != nil && mask[i] == 0 {
			continue
		}
		if off := address - w.base; off < w.size && off&uint64(p.size-1) == 0 {
			*(*T)(unsafe.Add(w.data, off)) = src[i]
			continue
		}
		m, ok := p.find(f, i, address)
		if !ok {
			return false
		}
		*(*T)(m), w = src[i], f.window(p.size)
	}
	return true
}

// operands gives the addresses and the mask, nil for none.
func (p *pointers) operands(f *frame) (addresses addresses, mask []uint8) {
	if p.masked {
		mask = tile[uint8](f, p.mask, p.n)
	}
	if p.indexed {
		addresses.offsets, addresses.origin, addresses.size = tile[int32](f, p.address, p.n), *at[uint64](f, p.origin), int64(p.size)
	} else {
		addresses.list = tile[uint64](f, p.address, p.n)
	}
	return addresses, mask
}

// addresses are a list, or offsets from an origin in elements of a size.
type addresses struct {
	list    []uint64
	offsets []int32
	origin  uint64
	size    int64
}

// at gives address i.
func (a *addresses) at(i int) uint64 {
	if a.list != nil {
		return a.list[i]
	}
	return a.origin + uint64(int64(a.offsets[i])*a.size)
}

// window is where elements may begin in the buffer that was used last.
type window struct {
	base, size uint64
	data       ptr
}

func (f *frame) window(elem int) window {
	if b := f.cache.buf; b != nil && b.size >= int64(elem) {
		return window{b.base, uint64(b.size) - uint64(elem) + 1, b.data}
	}
	return window{}
}

func moveElem[T any](dst, src ptr) { *(*T)(dst) = *(*T)(src) }
