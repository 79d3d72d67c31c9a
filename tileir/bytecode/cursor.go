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
		c.err = &Error{Offset: offset, What: fmt.Sprintf(format, args...)}
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
func (c *cursor) varint(what string) uint64 {
	var x uint64
	start := c.offset()
	for shift := uint(0); shift < 70; shift += 7 {
		if c.pos >= len(c.data) {
			c.failAt(start, "%s is cut off", what)
			return 0
		}
		b := c.data[c.pos]
		c.pos++
		x |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return x
		}
	}
	c.failAt(start, "%s: a number takes more than ten bytes", what)
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
func (c *cursor) count(what string, size int) int {
	start := c.offset()
	n := c.varint("the number of " + what)
	if n > uint64(c.left()/size) {
		c.failAt(start, "%d %s do not fit into the %d bytes that are left", n, what, c.left())
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

func (c *cursor) i64s(what string, limit int) []int64 {
	start := c.offset()
	n := c.count(what, 8)
	if n > limit {
		c.failAt(start, "%d %s are more than %d", n, what, limit)
		return nil
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(binary.LittleEndian.Uint64(c.bytes(8, what)))
	}
	return out
}

func (c *cursor) i32s(what string, limit int) []int {
	start := c.offset()
	n := c.count(what, 4)
	if n > limit {
		c.failAt(start, "%d %s are more than %d", n, what, limit)
		return nil
	}
	out := make([]int, n)
	for i := range out {
		out[i] = int(int32(binary.LittleEndian.Uint32(c.bytes(4, what))))
	}
	return out
}

// end fails when something is left over.
func (c *cursor) end(what string) {
	if c.err == nil && c.left() > 0 {
		c.fail("%d bytes are left over after %s", c.left(), what)
	}
}

// entry is one row of a table.
type entry struct {
	data   []byte
	offset int // in the file
}

func (e entry) cursor() *cursor { return &cursor{data: e.data, base: e.offset} }

// table reads the shape that strings, types, constants and debug attributes share: a number of entries, their offsets
// of width bytes, and the data.
func (c *cursor) table(what string, width int) []entry {
	n := c.count(what, width)
	if n == 0 {
		if c.err == nil && c.left() >= width {
			c.fail("%d bytes follow an empty table of %s", c.left(), what)
		}
		return nil
	}
	c.align(width)
	starts := c.bytes(n*width, "the offsets of the "+what)
	if c.err != nil {
		return nil
	}
	base := c.offset()
	data := c.bytes(c.left(), what)
	at := func(i int) uint64 {
		if i == n {
			return uint64(len(data))
		}
		if width == 4 {
			return uint64(binary.LittleEndian.Uint32(starts[i*4:]))
		}
		return binary.LittleEndian.Uint64(starts[i*8:])
	}
	out := make([]entry, n)
	for i := range out {
		from, to := at(i), at(i+1)
		if i == 0 && from != 0 || from > to || to > uint64(len(data)) {
			c.failAt(base-(n-i)*width, "offset %d of the %s is out of order or outside", i, what)
			return nil
		}
		out[i] = entry{data[from:to], base + int(from)}
	}
	return out
}
