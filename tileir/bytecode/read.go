package bytecode

import (
	"bytes"
	"fmt"
	"slices"
	"sync"

	"github.com/cutile-go/cutile/tileir"
)

// Read decodes a file and returns its version. If the file violates the format, the error is an [*Error] with the offset. Read
// does not check the rules of operations and types: see [tileir.Verify]. Fields that an old version does not have are absent.
// Operations from a file without a debug section have no source positions. The module keeps no bytes of the file; table entries
// that are not in the order of first use are in [tileir.Module.Listed].
func Read(data []byte) (*tileir.Module, tileir.Version, error) {
	r := readers.Get().(*reader)
	defer r.release()
	r.file = data
	m := r.module()
	if r.err != nil {
		return nil, 0, r.err
	}
	return m, r.version, nil
}

// readers keeps the room of tables for the next file. Modules hold nothing of it.
var readers = sync.Pool{New: func() any { return new(reader) }}

// release forgets a file; the room of a large one is left to the collector.
func (r *reader) release() {
	if len(r.file) > largeFile {
		return
	}
	clear(r.strings)
	clear(r.types)
	clear(r.constants)
	clear(r.debug.attrs)
	clear(r.values[:cap(r.values)])
	clear(r.ops[:cap(r.ops)])
	clear(r.pending[:cap(r.pending)])
	clear(r.known.attrs)
	r.known.keys.reset()
	*r = reader{strings: r.strings[:0], types: r.types[:0], constants: r.constants[:0], debug: debugData{attrs: r.debug.attrs[:0]},
		values: r.values[:0], ops: r.ops[:0], pending: r.pending[:0], known: knownAttrs{r.known.keys, r.known.attrs[:0]}}
	readers.Put(r)
}

// reader holds the tables while functions are read.
type reader struct {
	file     []byte
	version  tileir.Version
	sections [numSections]cursor
	found    [numSections]bool
	now      *cursor // what is being read, for errors
	depth    int     // of types or debug attributes that are being resolved
	err      *Error

	strings   []string
	typeTable table
	types     []typeEntry
	constants [][]byte
	debug     debugData
	ordering
	budget
	mem arena

	values  []*tileir.Value // in scope, by number
	pending []*tileir.Value // the operands that are being read
	ops     []*tileir.Op    // of the blocks that are being read
	recent  [tileir.PredicateAttr + 1]recentAttrs
	known   knownAttrs
	fn      funcReader
	body    cursor // of the function
}

// take keeps the first error of a cursor, and reports whether all is well.
func (r *reader) take(c *cursor) bool {
	if r.err == nil {
		r.err = c.err
	}
	return r.err == nil
}

// module reads the sections in the order in which Write numbers what they refer to.
func (r *reader) module() (m *tileir.Module) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case tooLarge:
			r.err = &Error{Offset: r.now.offset(), What: fmt.Sprintf("the module takes more than %d MiB of memory", maxMemory>>20)}
		default:
			panic(e)
		}
	}()
	c := &cursor{data: r.file}
	r.header(c)
	r.split(c)
	r.take(c)
	m = &tileir.Module{}
	for _, step := range [...]func(*tileir.Module){
		r.readStrings, r.readTypes, r.readConstants, r.readDebug, r.functions, r.globals, r.producer, r.rest,
	} {
		if r.err != nil {
			return nil
		}
		step(m)
	}
	return m
}

func (r *reader) header(c *cursor) {
	if string(c.bytes(len(magic), "the magic number")) != magic && c.err == nil {
		c.failAt(0, "not Tile IR bytecode: the magic number is missing")
	}
	major, minor := c.byte("the version"), c.byte("the version")
	r.version = tileir.Version(major)<<8 | tileir.Version(minor)
	if c.err == nil && !slices.Contains(tileir.Versions(), r.version) {
		c.failAt(len(magic), "version %d.%d is not one of %v", major, minor, tileir.Versions())
	}
	c.bytes(2, "the version's tag")
}

// split finds the payload of each section.
func (r *reader) split(c *cursor) {
	for c.err == nil {
		s := nextSection(c)
		switch {
		case c.err != nil:
			return
		case s.ID == endMark:
			c.end("the end mark")
			for id, s := range sections {
				if s.required && !r.found[id] {
					c.fail("the %s section is missing", s.name)
				}
			}
			return
		case r.found[s.ID]:
			c.failAt(s.Start, "a second %s section", s.Name)
			return
		}
		r.found[s.ID] = true
		r.sections[s.ID] = cursor{data: r.file[s.Payload:s.End], base: s.Payload}
	}
}

// section gives the payload of a section, empty where it is missing.
func (r *reader) section(id int) *cursor {
	r.now = &r.sections[id]
	return r.now
}

// readStrings makes the strings, which share one copy of their bytes.
func (r *reader) readStrings(*tileir.Module) {
	c := r.section(stringSection)
	t := c.table("strings", 4)
	if !r.take(c) {
		return
	}
	r.strings = reuse(&r.budget, r.strings, t.n)
	r.spend(len(t.data))
	all := string(t.data)
	for i := range r.strings {
		if r.strings[i] = all[t.start(i):t.start(i+1)]; len(r.strings[i]) > maxText {
			c.failAt(t.base+int(t.start(i)), "string %d has %d bytes, more than %d", i, len(r.strings[i]), maxText)
			r.take(c)
			return
		}
	}
}

// textID reads a reference to a string, text also gives the string, and notes that it is used.
func (r *reader) textID(c *cursor, what string) int {
	start := c.offset()
	i := c.varint(what)
	if i >= uint64(len(r.strings)) {
		c.failAt(start, "%s is string %d, but there are %d", what, i, len(r.strings))
		return -1
	}
	return int(i)
}

func (r *reader) text(c *cursor, what string) string {
	i := r.textID(c, what)
	if i < 0 {
		return ""
	}
	r.useString(i)
	return r.strings[i]
}

// readConstants makes the pool, whose entries share one copy of their bytes.
func (r *reader) readConstants(*tileir.Module) {
	c := r.section(constantSection)
	if c.left() == 0 {
		return
	}
	t := c.table("constants", 8)
	if !r.take(c) {
		return
	}
	r.spend(len(t.data))
	t.data = bytes.Clone(t.data)
	r.constants = reuse(&r.budget, r.constants, t.n)
	for i := range r.constants {
		ec := t.cursor(i)
		n := ec.count("bytes of a constant", 1)
		b := ec.bytes(n, "a constant")
		ec.end("a constant")
		if !r.take(&ec) {
			return
		}
		r.constants[i] = b[:n:n]
	}
}

// constant reads a reference to the pool; the type comes from the user of the value.
func (r *reader) constant(c *cursor, t *tileir.TileType) *tileir.Constant {
	start := c.offset()
	i := c.varint("the value")
	if i >= uint64(len(r.constants)) {
		c.failAt(start, "the value is constant %d, but there are %d", i, len(r.constants))
		return nil
	}
	r.useConstant(int(i))
	k := r.mem.constants.one(&r.budget)
	k.Type, k.Data = t, r.constants[i]
	return k
}

func (r *reader) globals(m *tileir.Module) {
	r.begin(nil)
	c := r.section(globalSection)
	if c.left() == 0 {
		return
	}
	n := c.count("globals", 4)
	for range n {
		g := r.mem.globals.one(&r.budget)
		g.Name = r.text(c, "the global's name")
		start := c.offset()
		t, ok := r.valueType(c, "the global's type").(*tileir.TileType)
		if c.err == nil && !ok {
			c.failAt(start, "global %s is not a tile", g.Name)
		}
		g.Value = r.constant(c, t)
		g.Align = int64(c.varint("the global's alignment"))
		if r.version >= tileir.V13_3 {
			g.Private = c.number("the global's visibility", 1) == 1
			g.Constant = c.number("the global's constant flag", 1) == 1
		}
		if c.err != nil {
			break
		}
		m.Globals = append(m.Globals, g)
	}
	c.end("the globals")
	r.take(c)
}

func (r *reader) producer(m *tileir.Module) {
	c := r.section(producerSection)
	if c.left() == 0 {
		return
	}
	m.Producer = r.text(c, "the producer")
	c.end("the producer")
	r.take(c)
}

// rest notes what is left in the tables, which nothing refers to.
func (r *reader) rest(m *tileir.Module) {
	r.restOf(debugTable, len(r.debug.attrs), r.listPlace)
	r.restOf(stringTable, len(r.strings), r.listString)
	r.restOf(typeTable, len(r.types), r.listType)
	r.restOf(constantTable, len(r.constants), r.listConstant)
	m.Listed = r.listed
}
