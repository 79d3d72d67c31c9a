package bytecode

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/tileir"
)

// debugTable holds the debug section: for each row a list of attribute numbers, one for the function and one for each
// of its operations, and the attributes. Numbers are 1-based; 0 is an unknown place.
type debugTable struct {
	rows  []uint32
	ids   []byte // 8 bytes each
	end   int    // offset of the section's end, for errors
	attrs []debugEntry
}

// debugEntry is an attribute; the fields that its tag does not use stay zero.
type debugEntry struct {
	entry
	state typeState
	tag   uint64
	depth int // of callers or of blocks
	file  *tileir.SourceFile
	scope *tileir.Scope
	loc   tileir.Loc
}

func (r *reader) readDebug() {
	c := r.section(debugSection)
	if c.left() == 0 {
		return
	}
	n := c.count("rows of the debug section", 4)
	c.align(4)
	for range n {
		b := c.bytes(4, "the start of a debug row")
		if c.err != nil {
			break
		}
		r.debug.rows = append(r.debug.rows, binary.LittleEndian.Uint32(b))
	}
	n = c.count("debug numbers", 8)
	c.align(8)
	r.debug.ids = c.bytes(n*8, "the debug numbers")
	r.debug.end = c.offset()
	// The table's own alignment counts from the start of the section.
	es := c.table("debug attributes", 4)
	if !r.take(c) {
		return
	}
	r.debug.attrs = make([]debugEntry, len(es))
	for i, e := range es {
		r.debug.attrs[i].entry = e
	}
	for i := range r.debug.attrs {
		if r.resolveDebug(i); r.err != nil {
			return
		}
	}
}

func (r *reader) resolveDebug(i int) *debugEntry {
	d := &r.debug.attrs[i]
	switch d.state {
	case unread:
		d.state = reading
		c := d.cursor()
		r.decodeDebug(c, d)
		c.end("the debug attribute")
		r.take(c)
		d.state = read
	case reading:
		if r.err == nil {
			r.err = &Error{Offset: d.offset, What: "a debug attribute that contains itself"}
		}
	}
	return d
}

// noDebug stands for attribute 0.
var noDebug = debugEntry{state: read}

// debugRef reads a reference to a debug attribute that must have one of two tags, or be 0.
func (r *reader) debugRef(c *cursor, what string, tag, orTag uint64) *debugEntry {
	start := c.offset()
	i := c.varint(what)
	d := r.debugAt(c, start, i)
	if c.err == nil && d.tag != unknownTag && d.tag != tag && d.tag != orTag {
		c.failAt(start, "%s is a debug attribute of kind %d", what, d.tag)
	}
	if d.depth > maxCallDepth {
		c.failAt(start, "more than %d debug attributes contain one another", maxCallDepth)
	}
	return d
}

func (r *reader) debugAt(c *cursor, start int, i uint64) *debugEntry {
	if i == 0 {
		return &noDebug
	}
	if i > uint64(len(r.debug.attrs)) {
		c.failAt(start, "debug attribute %d, but there are %d", i, len(r.debug.attrs))
		return &noDebug
	}
	d := r.resolveDebug(int(i - 1))
	if r.err != nil && c.err == nil {
		c.err = r.err
	}
	return d
}

func (r *reader) decodeDebug(c *cursor, d *debugEntry) {
	const max = 1<<31 - 1
	start := c.offset()
	tag := c.varint("the debug attribute's tag")
	switch tag {
	case unknownTag:
	case compileUnitTag:
		d.file = r.debugRef(c, "the unit's file", fileTag, fileTag).file
	case fileTag:
		d.file = &tileir.SourceFile{Name: r.text(c, "the file's name"), Dir: r.text(c, "the file's directory")}
	case lexicalBlockTag:
		p := r.debugRef(c, "the block's scope", subprogramTag, lexicalBlockTag)
		d.depth = p.depth + 1
		d.scope = &tileir.Scope{Parent: p.scope, File: r.debugRef(c, "the block's file", fileTag, fileTag).file}
		d.scope.Line, d.scope.Col = c.number("the block's line", max), c.number("the block's column", max)
	case subprogramTag:
		s := &tileir.Scope{File: r.debugRef(c, "the function's file", fileTag, fileTag).file}
		s.Line = c.number("the function's line", max)
		s.Name, s.Linkage = r.text(c, "the function's name"), r.text(c, "the function's linkage name")
		s.Unit = r.debugRef(c, "the function's unit", compileUnitTag, compileUnitTag).file
		s.ScopeLine = c.number("the function's scope line", max)
		d.scope = s
	case locTag:
		s := r.debugRef(c, "the place's scope", subprogramTag, lexicalBlockTag)
		d.loc = tileir.Loc{Scope: s.scope, File: r.text(c, "the place's file")}
		d.loc.Line, d.loc.Col = c.number("the place's line", max), c.number("the place's column", max)
	case callSiteTag:
		callee := r.debugRef(c, "the call's callee", locTag, callSiteTag)
		caller := r.debugRef(c, "the call's caller", locTag, callSiteTag)
		if d.depth = callee.depth + caller.depth + 1; d.depth > maxCallDepth {
			c.failAt(start, "more than %d calls in one another", maxCallDepth)
			return
		}
		d.loc = inlined(callee.loc, &caller.loc)
	default:
		c.failAt(start, "unknown debug attribute %d", tag)
	}
	d.tag = tag
}

// inlined puts the call that caller names outside of loc.
func inlined(loc tileir.Loc, caller *tileir.Loc) tileir.Loc {
	if loc.Caller != nil {
		c := inlined(*loc.Caller, caller)
		loc.Caller = &c
	} else {
		loc.Caller = caller
	}
	return loc
}

// debugRow walks the places of one function. A nil row knows none.
type debugRow struct {
	r     *reader
	c     *cursor // of the function, for errors
	next  uint64
	limit uint64
}

// debugRow finds row number i, which counts from 1; 0 is none.
func (r *reader) debugRow(c *cursor, start int, i uint64) *debugRow {
	if i == 0 {
		return nil
	}
	if i > uint64(len(r.debug.rows)) {
		// cuTile numbers rows even where it leaves the section out, so a file without one is fine.
		if r.sections[debugSection] == nil {
			return nil
		}
		c.failAt(start, "debug row %d, but there are %d", i, len(r.debug.rows))
		return nil
	}
	return &debugRow{r: r, c: c, next: uint64(r.debug.rows[i-1]), limit: uint64(len(r.debug.ids) / 8)}
}

// loc gives the place of the next thing in the row.
func (d *debugRow) loc() tileir.Loc {
	if d == nil {
		return tileir.Loc{}
	}
	if d.next >= d.limit {
		d.c.failAt(d.r.debug.end, "the debug row is shorter than its function")
		return tileir.Loc{}
	}
	id := binary.LittleEndian.Uint64(d.r.debug.ids[d.next*8:])
	e := d.r.debugAt(d.c, d.r.debug.end-len(d.r.debug.ids)+int(d.next)*8, id)
	d.next++
	if e.tag != unknownTag && e.tag != locTag && e.tag != callSiteTag {
		d.c.failAt(d.r.debug.end, "debug attribute %d is of kind %d, not a place", id, e.tag)
	}
	return e.loc
}
