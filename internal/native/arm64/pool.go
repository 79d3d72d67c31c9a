package arm64

import "encoding/binary"

// pool holds the constants behind the code.
type pool struct {
	list  []constant
	index map[string]int // by their bytes
}

type constant struct {
	data  string
	align int
	label Label
}

func (p pool) reset() pool {
	clear(p.index)
	return pool{list: p.list[:0], index: p.index}
}

// Const gives the label of read-only data with these bytes, which Finish places behind the code at a multiple of align
// bytes. LDR reaches it if it lies at a multiple of 4. Equal constants are placed once.
func (a *Assembler) Const(bytes []byte, align int) Label {
	if align <= 0 || align&(align-1) != 0 {
		a.mistake("a constant at a multiple of %d bytes, which is no power of two", align)
		align = 1
	}
	a.align = max(a.align, align)
	if i, ok := a.pool.index[string(bytes)]; ok {
		c := &a.pool.list[i]
		c.align = max(c.align, align)
		return c.label
	}
	if a.pool.index == nil {
		a.pool.index = map[string]int{}
	}
	c := constant{data: string(bytes), align: align, label: a.Label()}
	a.pool.index[c.data] = len(a.pool.list)
	a.pool.list = append(a.pool.list, c)
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

// placePool writes the constants. The zeros between them stop a processor that gets there: they are UDF.
func (a *Assembler) placePool() {
	for _, c := range a.pool.list {
		for len(a.code)&(c.align-1) != 0 {
			a.code = append(a.code, 0)
		}
		*a.place(c.label) = int32(len(a.code))
		if a.Record {
			a.lines = append(a.lines, line{at: len(a.code), label: c.label, data: c.data})
		}
		a.code = append(a.code, c.data...)
	}
}
