package bytecode

import (
	"encoding/binary"

	"github.com/cutile-go/cutile/tileir"
)

// debugData holds the debug section: for each row a list of attribute numbers, one for the function and one for each of
// its operations, and the attributes. Numbers are 1-based; 0 is an unknown place.
type debugData struct {
	rows  []byte // 4 bytes each
	ids   []byte // 8 bytes each
	at    int    // offset of ids in the file
	table table
	attrs []debugEntry
}

// debugEntry is an attribute; the fields that its tag does not use stay nil.
type debugEntry struct {
	state typeState
	tag   uint8
	depth uint16 // of callers or of blocks
	file  *tileir.SourceFile
	scope *tileir.Scope
	loc   *tileir.Loc
}

// isPlace reports whether operations may have the attribute.
func (d *debugEntry) isPlace() bool {
	return d.tag == unknownTag || d.tag == locTag || d.tag == callSiteTag
}

func (d *debugEntry) place() tileir.Loc {
	if d.loc == nil {
		return tileir.Loc{}
	}
	return *d.loc
}

func (r *reader) readDebug(*tileir.Module) {
	c := r.section(debugSection)
	if c.left() == 0 {
		return
	}
	n := c.count("rows of the debug section", 4)
	c.align(4)
	r.debug.rows = c.bytes(n*4, "the starts of debug rows")
	n = c.count("debug numbers", 8)
	c.align(8)
	r.debug.at = c.offset()
	r.debug.ids = c.bytes(n*8, "the debug numbers")
	// The table's own alignment counts from the start of the section.
	t := c.table("debug attributes", 4)
	if !r.take(c) {
		return
	}
	r.debug.table = t
	r.debug.attrs = reuse(&r.budget, r.debug.attrs, t.n)
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
		c := r.debug.table.cursor(i)
		if r.depth++; r.depth > maxDebugDepth {
			c.fail("more than %d nested debug attributes", maxDebugDepth)
		} else {
			r.decodeDebug(&c, d)
		}
		r.depth--
		c.end("the debug attribute")
		r.take(&c)
		d.state = read
	case reading:
		if r.err == nil {
			r.err = &Error{Offset: r.debug.table.cursor(i).base, What: "a debug attribute that contains itself"}
		}
	}
	return d
}

// noDebug stands for attribute 0.
var noDebug = debugEntry{state: read}

// debugRef reads a reference to a debug attribute that must have one of two tags, or be 0.
func (r *reader) debugRef(c *cursor, what string, tag, orTag uint8) *debugEntry {
	start := c.offset()
	i := c.varint(what)
	d := r.debugAt(c, start, i)
	if c.err == nil && d.tag != unknownTag && d.tag != tag && d.tag != orTag {
		c.failAt(start, "%s is a debug attribute of kind %d", what, d.tag)
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

// debugText reads a reference to a string that is used only with the attribute.
func (r *reader) debugText(c *cursor, what string) string {
	if i := r.textID(c, what); i >= 0 {
		return r.strings[i]
	}
	return ""
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
		d.file = r.mem.files.one(&r.budget)
		d.file.Name, d.file.Dir = r.debugText(c, "the file's name"), r.debugText(c, "the file's directory")
	case lexicalBlockTag:
		p := r.debugRef(c, "the block's scope", subprogramTag, lexicalBlockTag)
		d.deeper(c, start, "blocks", int(p.depth))
		d.scope = r.mem.scopes.one(&r.budget)
		d.scope.Parent, d.scope.File = p.scope, r.debugRef(c, "the block's file", fileTag, fileTag).file
		d.scope.Line, d.scope.Col = c.number("the block's line", max), c.number("the block's column", max)
	case subprogramTag:
		s := r.mem.scopes.one(&r.budget)
		s.File = r.debugRef(c, "the function's file", fileTag, fileTag).file
		s.Line = c.number("the function's line", max)
		s.Name, s.Linkage = r.debugText(c, "the function's name"), r.debugText(c, "the function's linkage name")
		s.Unit = r.debugRef(c, "the function's unit", compileUnitTag, compileUnitTag).file
		s.ScopeLine = c.number("the function's scope line", max)
		d.scope = s
	case locTag:
		s := r.debugRef(c, "the position's scope", subprogramTag, lexicalBlockTag)
		d.loc = r.mem.locs.one(&r.budget)
		d.loc.Scope, d.loc.File = s.scope, r.debugText(c, "the position's file")
		d.loc.Line, d.loc.Col = c.number("the position's line", max), c.number("the position's column", max)
	case callSiteTag:
		callee := r.debugRef(c, "the call's callee", locTag, callSiteTag)
		caller := r.debugRef(c, "the call's caller", locTag, callSiteTag)
		if d.deeper(c, start, "calls", int(callee.depth)+int(caller.depth)); c.err == nil {
			d.loc = r.inlined(callee.place(), caller)
		}
	default:
		c.failAt(start, "unknown debug attribute %d", tag)
	}
	d.tag = uint8(tag)
}

// deeper counts nested calls or blocks.
func (d *debugEntry) deeper(c *cursor, start int, what string, inner int) {
	if inner++; inner > maxCallDepth {
		c.failAt(start, "more than %d nested %s", maxCallDepth, what)
	}
	d.depth = uint16(min(inner, maxCallDepth))
}

// inlined puts the call that caller names outside of loc.
func (r *reader) inlined(loc tileir.Loc, caller *debugEntry) *tileir.Loc {
	out := r.mem.locs.one(&r.budget)
	*out = loc
	switch {
	case loc.Caller != nil:
		out.Caller = r.inlined(*loc.Caller, caller)
	case caller.loc != nil:
		out.Caller = caller.loc
	default:
		out.Caller = new(tileir.Loc)
	}
	return out
}

// debugRow is what is left of the places of one function.
type debugRow struct {
	known   bool // there is a row
	at, end int  // in the numbers of the section
}

// debugRow finds row number i, which counts from 1; 0 is none.
func (r *reader) debugRow(c *cursor, start int, i uint64) debugRow {
	switch {
	case i == 0:
	case i <= uint64(len(r.debug.rows)/4):
		return debugRow{true, int(binary.LittleEndian.Uint32(r.debug.rows[i*4-4:])), len(r.debug.ids) / 8}
	case r.found[debugSection]: // cuTile numbers rows even where it leaves the section out, so a file without one is fine
		c.failAt(start, "debug row %d, but there are %d", i, len(r.debug.rows)/4)
	}
	return debugRow{}
}

// place gives the next place of a row: that of the entry, then that of each operation.
func (f *funcReader) place() tileir.Loc {
	at := f.debug.at + f.row.at*8
	switch {
	case !f.row.known:
		return tileir.Loc{}
	case f.row.at >= f.row.end:
		f.c.failAt(f.debug.at+len(f.debug.ids), "the debug row is shorter than its function")
		return tileir.Loc{}
	}
	id := binary.LittleEndian.Uint64(f.debug.ids[f.row.at*8:])
	f.row.at++
	d := f.debugAt(f.c, at, id)
	if !d.isPlace() {
		f.c.failAt(at, "debug attribute %d is of kind %d, not a position", id, d.tag)
	}
	if f.c.err != nil || id == 0 {
		return tileir.Loc{}
	}
	f.usePlace(int(id - 1))
	return d.place()
}
