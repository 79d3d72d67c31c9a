package bytecode

import (
	"encoding/binary"
	"fmt"
)

// cursor reads a part of a file. The first failure sticks: every later read gives zero, so callers may look at err
// once, where they would act on what they read.
type cursor struct {
	data []byte
	pos  int
	base int // offset of data in the file
	err  *Error
}

func (c *cursor) offset() int { return c.base + c.pos }

func (c *cursor) left() int { return len(c.data) - c.pos }

// fail records an error at the current position, unless there is one already.
func (c *cursor) fail(format string, args ...any) { c.failAt(c.offset(), format, args...) }

func (c *cursor) failAt(offset int, format string, args ...any) {
	if c.err == nil {
		what := fmt.Sprintf(format, args...)
		c.err = &Error{Offset: offset, What: what[:min(len(what), maxMessage)]}
	}
	c.pos = len(c.data)
}

// bytes gives the next n bytes, which alias the file.
func (c *cursor) bytes(n int, what string) []byte {
	if n < 0 || n > c.left() {
		c.fail("%s needs %d bytes, but only %d are left", what, n, c.left())
		return nil
	}
	b := c.data[c.pos : c.pos+n]
	c.pos += n
	return b
}

func (c *cursor) byte(what string) byte {
	if c.pos >= len(c.data) {
		c.fail("%s is cut off", what)
		return 0
	}
	c.pos++
	return c.data[c.pos-1]
}

// varint reads an unsigned LEB128 number of at most ten bytes. Bits above the 64th are dropped, as NVIDIA's reader does.
// Errors name what is read in two parts, so that nothing is put together where all is well.
func (c *cursor) varint(what string) uint64 { return c.varintOf("", what) }

func (c *cursor) varintOf(pre, what string) uint64 {
	if c.pos < len(c.data) && c.data[c.pos] < 0x80 {
		c.pos++
		return uint64(c.data[c.pos-1])
	}
	return c.longVarint(pre, what)
}

func (c *cursor) longVarint(pre, what string) uint64 {
	var x uint64
	start := c.offset()
	for shift := uint(0); shift < 70; shift += 7 {
		if c.pos >= len(c.data) {
			c.failAt(start, "%s%s is cut off", pre, what)
			return 0
		}
		b := c.data[c.pos]
		c.pos++
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x
		}
	}
	c.failAt(start, "%s%s: a number takes more than ten bytes", pre, what)
	return 0
}

// svarint reads a zigzag number.
func (c *cursor) svarint(what string) int64 {
	u := c.varint(what)
	return int64(u>>1) ^ -int64(u&1)
}

// number reads a varint that must be at most limit.
func (c *cursor) number(what string, limit int) int {
	start := c.offset()
	n := c.varint(what)
	if n > uint64(limit) {
		c.failAt(start, "%s is %d, more than %d", what, n, limit)
		return 0
	}
	return int(n)
}

// count reads how many things follow, each of which takes size bytes or more; so a small file cannot ask for much room.
func (c *cursor) count(what string, size int) int { return c.countOf(what, "", size) }

// countOf is count for things with a name of two parts.
func (c *cursor) countOf(what, of string, size int) int {
	start := c.offset()
	n := c.varintOf("the number of ", what)
	if n > uint64(c.left()/size) {
		c.failAt(start, "%d %s%s do not fit into the %d bytes that are left", n, what, of, c.left())
		return 0
	}
	return int(n)
}

// align skips to a multiple of n from the start of the data.
func (c *cursor) align(n int) {
	if gap := -c.pos & (n - 1); gap > 0 {
		c.bytes(gap, "padding")
	}
}

// end fails when something is left over.
func (c *cursor) end(what string) {
	if c.err == nil && c.left() > 0 {
		c.fail("%d bytes are left over after %s", c.left(), what)
	}
}

// table is what strings, types, constants and debug attributes lie in: a number of entries, their offsets of width
// bytes, and the data.
type table struct {
	n, width int
	starts   []byte
	data     []byte
	base     int // offset of data in the file
}

// start is the offset of entry i from the start of the data.
func (t *table) start(i int) uint64 {
	switch {
	case i == t.n:
		return uint64(len(t.data))
	case t.width == 4:
		return uint64(binary.LittleEndian.Uint32(t.starts[i*4:]))
	}
	return binary.LittleEndian.Uint64(t.starts[i*8:])
}

// entry gives the bytes of entry i.
func (t *table) entry(i int) []byte { return t.data[t.start(i):t.start(i+1)] }

// cursor reads entry i.
func (t *table) cursor(i int) cursor { return cursor{data: t.entry(i), base: t.base + int(t.start(i))} }

// table reads a table up to the end of the data, and checks the offsets.
func (c *cursor) table(what string, width int) table {
	n := c.count(what, width)
	if n == 0 {
		if c.err == nil && c.left() >= width {
			c.fail("%d bytes follow an empty table of %s", c.left(), what)
		}
		return table{}
	}
	c.align(width)
	starts := c.bytes(n*width, "the offsets of the table")
	if c.err != nil {
		return table{}
	}
	t := table{n: n, width: width, starts: starts, base: c.offset()}
	t.data = c.bytes(c.left(), what)
	for i := range n {
		from, to := t.start(i), t.start(i+1)
		if i == 0 && from != 0 || from > to || to > uint64(len(t.data)) {
			c.failAt(t.base-(n-i)*width, "offset %d of the %s is out of order or outside", i, what)
			return table{}
		}
	}
	return t
}
