package bytecode

import (
	"encoding/binary"
	"hash/maphash"
)

// pool numbers distinct byte strings in the order in which they come.
type pool struct {
	data  []byte
	ends  []int
	slots []uint32 // a hash table of numbers, each plus one; its length is a power of two
}

// seed of the hash tables, which have no influence on the numbers.
var seed = maphash.MakeSeed()

// reset empties the pool, but keeps its room.
func (p *pool) reset() {
	p.data, p.ends = p.data[:0], p.ends[:0]
	clear(p.slots)
}

// entry gives the bytes of an entry.
func (p *pool) entry(i int) []byte {
	from := 0
	if i > 0 {
		from = p.ends[i-1]
	}
	return p.data[from:p.ends[i]]
}

// add numbers b.
func (p *pool) add(b []byte) int {
	p.data = append(p.data, b...)
	return p.intern()
}

func (p *pool) addString(s string) int {
	p.data = append(p.data, s...)
	return p.intern()
}

// last is where the last entry ends.
func (p *pool) last() int {
	if n := len(p.ends); n > 0 {
		return p.ends[n-1]
	}
	return 0
}

// drop removes the bytes after the last entry.
func (p *pool) drop() { p.data = p.data[:p.last()] }

// intern numbers the bytes after the last entry, and takes them away where there is such an entry.
func (p *pool) intern() int {
	from, n := p.last(), len(p.ends)
	if 2*n >= len(p.slots) {
		p.grow()
	}
	b := p.data[from:]
	slot := p.slot(b)
	if i := p.slots[slot]; i > 0 {
		p.data = p.data[:from]
		return int(i - 1)
	}
	p.ends = append(p.ends, len(p.data))
	p.slots[slot] = uint32(n + 1)
	return n
}

// slot finds the place of b in the hash table, which is empty where b is new.
func (p *pool) slot(b []byte) int {
	mask := len(p.slots) - 1
	at := int(maphash.Bytes(seed, b)) & mask
	for p.slots[at] > 0 && string(p.entry(int(p.slots[at]-1))) != string(b) {
		at = (at + 1) & mask
	}
	return at
}

func (p *pool) grow() {
	p.slots = make([]uint32, 2*max(len(p.slots), 32))
	for i := range p.ends {
		p.slots[p.slot(p.entry(i))] = uint32(i + 1)
	}
}

// tableSize is the length of the pool as a table that begins at a multiple of its width.
func (p *pool) tableSize(width int) int {
	head := uvarintLen(uint64(len(p.ends)))
	return head + -head&(width-1) + width*len(p.ends) + len(p.data)
}

// appendTable writes the number of entries, their offsets of width bytes, and the data. Alignment counts from start.
func (p *pool) appendTable(out []byte, start, width int) []byte {
	out = padFrom(binary.AppendUvarint(out, uint64(len(p.ends))), start, width)
	from := 0
	for _, end := range p.ends {
		if width == 4 {
			out = binary.LittleEndian.AppendUint32(out, uint32(from))
		} else {
			out = binary.LittleEndian.AppendUint64(out, uint64(from))
		}
		from = end
	}
	return append(out, p.data...)
}

// padFrom fills up to a multiple of align after start.
func padFrom(out []byte, start, align int) []byte {
	for (len(out)-start)&(align-1) != 0 {
		out = append(out, padByte)
	}
	return out
}

// uvarintLen is the length of a number.
func uvarintLen(x uint64) int {
	n := 1
	for ; x >= 0x80; x >>= 7 {
		n++
	}
	return n
}
