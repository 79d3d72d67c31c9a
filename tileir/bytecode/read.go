package bytecode

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// Read decodes a file and tells its version. It refuses what the format forbids, with an [*Error] that says where; it
// does not check the rules of operations and types: see [tileir.Verify]. Fields that an old version lacks come out as
// not given. A file without debug section gives operations without place.
func Read(data []byte) (*tileir.Module, tileir.Version, error) {
	r := &reader{file: data}
	m := r.module()
	if r.err != nil {
		return nil, 0, r.err
	}
	return m, r.version, nil
}

// reader holds the tables while functions are read.
type reader struct {
	file     []byte
	version  tileir.Version
	sections [numSections]*cursor
	err      *Error

	strings   []string
	types     []typeEntry
	constants [][]byte
	debug     debugTable
}

// take keeps the first error of a cursor, and reports whether all is well.
func (r *reader) take(c *cursor) bool {
	if r.err == nil {
		r.err = c.err
	}
	return r.err == nil
}

func (r *reader) module() *tileir.Module {
	c := &cursor{data: r.file}
	r.header(c)
	r.split(c)
	if !r.take(c) {
		return nil
	}
	r.readStrings()
	r.readTypes()
	r.readConstants()
	r.readDebug()
	m := &tileir.Module{Producer: r.producer()}
	m.Globals = r.globals()
	m.Entries = r.functions()
	if r.err != nil {
		return nil
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
				if s.required && r.sections[id] == nil {
					c.fail("the %s section is missing", s.name)
				}
			}
			return
		case r.sections[s.ID] != nil:
			c.failAt(s.Start, "a second %s section", s.Name)
			return
		}
		r.sections[s.ID] = &cursor{data: r.file[s.Payload:s.End], base: s.Payload}
	}
}

// section gives the payload of a section, empty where it is missing.
func (r *reader) section(id int) *cursor {
	if s := r.sections[id]; s != nil && r.err == nil {
		return s
	}
	return &cursor{base: len(r.file)}
}

func (r *reader) readStrings() {
	c := r.section(stringSection)
	es := c.table("strings", 4)
	r.strings = make([]string, len(es))
	for i, e := range es {
		r.strings[i] = string(e.data)
	}
	r.take(c)
}

// text reads a reference to a string.
func (r *reader) text(c *cursor, what string) string {
	start := c.offset()
	i := c.varint(what)
	if i >= uint64(len(r.strings)) {
		c.failAt(start, "%s is string %d, but there are %d", what, i, len(r.strings))
		return ""
	}
	return r.strings[i]
}

func (r *reader) readConstants() {
	c := r.section(constantSection)
	if c.left() == 0 {
		return
	}
	for _, e := range c.table("constants", 8) {
		ec := e.cursor()
		n := ec.count("bytes of a constant", 1)
		b := slices.Clone(ec.bytes(n, "a constant"))
		ec.end("a constant")
		if !r.take(ec) {
			return
		}
		r.constants = append(r.constants, b)
	}
	r.take(c)
}

// constant reads a reference to the pool; the type comes from the user of the value.
func (r *reader) constant(c *cursor, t *tileir.TileType) *tileir.Constant {
	start := c.offset()
	i := c.varint("the value")
	if i >= uint64(len(r.constants)) {
		c.failAt(start, "the value is constant %d, but there are %d", i, len(r.constants))
		return nil
	}
	return &tileir.Constant{Type: t, Data: r.constants[i]}
}

func (r *reader) producer() string {
	c := r.section(producerSection)
	if c.left() == 0 {
		return ""
	}
	s := r.text(c, "the producer")
	c.end("the producer")
	r.take(c)
	return s
}

func (r *reader) globals() []*tileir.Global {
	c := r.section(globalSection)
	if c.left() == 0 {
		return nil
	}
	n := c.count("globals", 4)
	out := make([]*tileir.Global, 0, n)
	for range n {
		g := &tileir.Global{Name: r.text(c, "the global's name")}
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
		out = append(out, g)
	}
	c.end("the globals")
	r.take(c)
	return out
}
