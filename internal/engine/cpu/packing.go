package cpu

import (
	"unsafe"

	"github.com/cutile-go/cutile/internal/native/nest"
	"github.com/cutile-go/cutile/tileir"
)

// keepsBytes reports whether an operation is a pack or unpack whose elements have whole bytes: those are the result's.
func keepsBytes(op *tileir.Op) bool {
	if op.Info.Opcode != tileir.OpPack && op.Info.Opcode != tileir.OpUnpack {
		return false
	}
	_, _, apart := nest.PackingOf(op)
	return !apart
}

// generatePack compiles pack and unpack: elements of at least a byte are their bytes, smaller ones lie in a byte from
// the low bits up.
func generatePack(c *compiler, op *tileir.Op) (step, error) {
	p, bytes, apart := nest.PackingOf(op)
	if !apart {
		return nil, nil
	}
	packed, elems := c.off(op.Results[0]), c.need(op.Operands[0])
	if !p.Pack {
		packed, elems = c.need(op.Operands[0]), c.off(op.Results[0])
	}
	some := c.packing(p)
	return func(f *frame) signal {
		f.eachPart(bytes*8/p.Bits, func(lo, n int) bool {
			some(f, unsafe.Add(f.mem, int(packed)+lo*p.Bits/8), unsafe.Add(f.mem, int(elems)+lo), n*p.Bits/8)
			return true
		})
		return sigNext
	}, nil
}

// packing gives what packs some bytes, or takes them apart: machine code, if there is any.
func (c *compiler) packing(p nest.Packing) func(f *frame, packed, elems ptr, n int) {
	if code := c.plan.code; code != nil {
		if fn, ok := code.function(p, c.entry.Name); ok {
			code.words = max(code.words, nest.PackingWords)
			c.notes.copies(c.op, "sixteen bytes at a time")
			return func(f *frame, packed, elems ptr, n int) {
				f.words[nest.FirstPacked], f.words[nest.LastPacked] = 0, uint64(n)
				f.words[nest.PackedBytes], f.words[nest.PackedElems] = uint64(uintptr(packed)), uint64(uintptr(elems))
				code.call(fn, f.words)
			}
		}
	}
	if p.Pack {
		return func(_ *frame, packed, elems ptr, n int) {
			join(slice[uint8](packed, n), slice[uint8](elems, n*8/p.Bits), p.Bits)
		}
	}
	return func(_ *frame, packed, elems ptr, n int) {
		split(slice[uint8](elems, n*8/p.Bits), slice[uint8](packed, n), p.Bits)
	}
}

// join packs elements of a few bits into bytes; split takes them apart.
func join(d, a []uint8, bits int) {
	per, mask := 8/bits, uint8(1)<<bits-1
	for i := range d {
		var v uint8
		for k := range per {
			v |= a[i*per+k] & mask << (k * bits)
		}
		d[i] = v
	}
}

func split(d, a []uint8, bits int) {
	per, mask := 8/bits, uint8(1)<<bits-1
	for i := range d {
		d[i] = a[i/per] >> (i % per * bits) & mask
	}
}
