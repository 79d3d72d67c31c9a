package amd64

import (
	"encoding/binary"
	"fmt"
)

// A pool has the constants that lie behind the code.
type pool struct {
	data  []constant
	index map[string]int // by their bytes
}

type constant struct {
	bytes string
	align int
	label Label
}

func (p pool) reset() pool {
	clear(p.index)
	return pool{data: p.data[:0], index: p.index}
}

// Const gives the label of read-only data with these bytes, which Finish places behind the code at a multiple of align
// bytes. Equal constants are placed once.
func (a *Assembler) Const(bytes []byte, align int) Label {
	if align <= 0 || align&(align-1) != 0 {
		a.errs = append(a.errs, fmt.Errorf("amd64: a constant at a multiple of %d bytes, which is no power of two", align))
		align = 1
	}
	a.align = max(a.align, align)
	if i, ok := a.pool.index[string(bytes)]; ok {
		c := &a.pool.data[i]
		c.align = max(c.align, align)
		return c.label
	}
	if a.pool.index == nil {
		a.pool.index = map[string]int{}
	}
	c := constant{bytes: string(bytes), align: align, label: a.Label()}
	a.pool.index[c.bytes] = len(a.pool.data)
	a.pool.data = append(a.pool.data, c)
	return c.label
}

// Const32 is Const for a number of 32 bits, aligned.
func (a *Assembler) Const32(bits uint32) Label {
	var b [4]byte
	binary.LittleEndian.PutUint32(b[:], bits)
	return a.Const(b[:], len(b))
}

// Const64 is Const for a number of 64 bits, aligned.
func (a *Assembler) Const64(bits uint64) Label {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], bits)
	return a.Const(b[:], len(b))
}

// placePool writes the constants. The bytes between them stop a processor that gets there.
func (a *Assembler) placePool() {
	for _, c := range a.pool.data {
		for len(a.buf)&(c.align-1) != 0 {
			a.buf = append(a.buf, 0xCC)
		}
		a.labels[c.label-1] = int32(len(a.buf))
		if a.Record {
			a.record = append(a.record, record{offset: int32(len(a.buf)), label: c.label, data: c.bytes})
		}
		a.buf = append(a.buf, c.bytes...)
	}
	a.pool = a.pool.reset()
}
