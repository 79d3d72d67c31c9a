package emu

import (
	"fmt"
	"math"

	"github.com/cutile-go/cutile/internal/simt"
)

// at names a location in a buffer by the tensor of the source that has it as an element, as far as the kernel's parameters
// tell.
func (r *run) at(p *mapping, off uint64) string {
	t, start := r.tensor(p, p.addr+off)
	if t == nil || start > p.addr+off {
		return fmt.Sprintf("byte %d of %s", off, p.name)
	}
	size := uint64(t.ElemBits / 8)
	off += p.addr - start
	if off%size != 0 {
		return fmt.Sprintf("byte %d of element %d of %s", off%size, off/size, t.Tensor)
	}
	return fmt.Sprintf("element %d of %s", off/size, t.Tensor)
}

// tensor gives the parameter that is the address of the tensor with an address in or beside a buffer, and its argument: of
// those in the buffer the last that begins before the address, else the first. It is nil if no parameter is one.
func (r *run) tensor(p *mapping, addr uint64) (best *simt.Param, start uint64) {
	least := uint64(math.MaxUint64)
	for i := range r.fn.def.Params {
		t, at := &r.fn.def.Params[i], r.Args[i]
		if t.Tensor == "" || at < p.addr || at > p.addr+uint64(len(p.data)) {
			continue
		}
		distance := addr - at
		if at > addr {
			distance = 1<<63 + (at - addr)
		}
		if distance < least {
			best, start, least = t, at, distance
		}
	}
	return best, start
}

// beside describes an address that is in no buffer by the nearest one, and by the tensor in it.
func (r *run) beside(addr uint64, n int) string {
	p := r.Memory.nearest(addr)
	if p == nil {
		return "there is no buffer"
	}
	end := p.addr + uint64(len(p.data))
	if t, start := r.tensor(p, addr); t != nil {
		size := int64(t.ElemBits / 8)
		return fmt.Sprintf("offset %d of %s, whose memory has %d elements", int64(addr-start)/size, t.Tensor, int64(end-start)/size)
	}
	what := fmt.Sprintf("the nearest is %s, %d bytes at 0x%x", p.name, len(p.data), p.addr)
	switch {
	case addr < p.addr:
		return fmt.Sprintf("%s: %d bytes before it", what, p.addr-addr)
	case addr >= end:
		return fmt.Sprintf("%s: %d bytes after its end", what, addr-end)
	}
	return fmt.Sprintf("%s: byte %d of it, %d bytes too many", what, addr-p.addr, addr+uint64(n)-end)
}
