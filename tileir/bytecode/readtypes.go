package bytecode

import (
	"github.com/cutile-go/cutile/tileir"
)

// elemTagList has the tag of each element type; each stands alone as a type entry.
var elemTagList = [...]struct {
	tag  uint64
	elem tileir.Elem
}{
	{0, tileir.I1}, {1, tileir.I8}, {2, tileir.I16}, {3, tileir.I32}, {4, tileir.I64}, {5, tileir.F16}, {6, tileir.BF16},
	{7, tileir.F32}, {8, tileir.TF32}, {9, tileir.F64}, {10, tileir.F8E4M3FN}, {11, tileir.F8E5M2},
	{18, tileir.F8E8M0FNU}, {19, tileir.F4E2M1FN}, {22, tileir.I4}, {130, tileir.FNV8E5M3FNU},
}

// elemOf finds an element type by its tag.
func elemOf(tag uint64) (tileir.Elem, bool) {
	for _, e := range elemTagList {
		if e.tag == tag {
			return e.elem, true
		}
	}
	return tileir.NoElem, false
}

// typeSince is the version of the types that are younger than the format.
var typeSince = map[uint64]tileir.Version{gatherScatterViewTag: tileir.V13_3, stridedViewTag: tileir.V13_3}

// typeEntry is a row of the type table: an element, a pointer to one, or another type.
type typeEntry struct {
	state typeState
	elem  tileir.Elem // of an element or of what a pointer points to
	ptr   bool
	attr  bool // of a pointer: it has the pointer attribute
	value tileir.Type
	parts []int32 // entries that it is made of
}

type typeState uint8

const (
	unread typeState = iota
	reading
	read
)

// anyType gives the type, which for an element or a pointer to one is of a scalar.
func (t *typeEntry) anyType() tileir.Type {
	if t.elem != tileir.NoElem {
		return tileir.ScalarType{Elem: t.elem, Pointer: t.ptr, PtrAttr: t.attr}
	}
	return t.value
}

func (r *reader) readTypes(*tileir.Module) {
	c := r.section(typeSection)
	t := c.table("types", 4)
	if !r.take(c) {
		return
	}
	r.typeTable = t
	r.types = reuse(&r.budget, r.types, t.n)
	r.mem.tiles.next, r.mem.parts.next, r.mem.ints.next, r.mem.int64s.next = t.n, 2*t.n, 2*t.n, t.n
	for i := range r.types {
		if r.resolve(i); r.err != nil {
			return
		}
	}
	if n := len(r.types); n < 2 || r.types[0].anyType() != i1 || r.types[1].anyType() != i32 {
		r.next[typeTable] = n // Write never begins so: the order is not followed
	} else {
		r.next[typeTable] = 2
	}
}

// The types that each table of Write begins with.
var i1, i32 tileir.Type = tileir.ScalarType{Elem: tileir.I1}, tileir.ScalarType{Elem: tileir.I32}

// resolve decodes entry i if that is still to do. A type may name one that comes later, but not itself.
func (r *reader) resolve(i int) *typeEntry {
	t := &r.types[i]
	switch t.state {
	case unread:
		t.state = reading
		c := r.typeTable.cursor(i)
		if r.depth++; r.depth > maxTypeDepth {
			c.fail("more than %d nested types", maxTypeDepth)
		} else {
			r.decodeType(&c, t)
		}
		r.depth--
		c.end("the type")
		r.take(&c)
		t.state = read
	case reading:
		if r.err == nil {
			r.err = &Error{Offset: r.typeTable.cursor(i).base, What: "a type that contains itself"}
		}
	}
	return t
}

// typeID reads a reference to a type, -1 where there is no such type.
func (r *reader) typeID(c *cursor, what string) int {
	start := c.offset()
	i := c.varint(what)
	if i >= uint64(len(r.types)) {
		c.failAt(start, "%s is type %d, but there are %d", what, i, len(r.types))
		return -1
	}
	return int(i)
}

// noType stands for a type that is not there.
var noType typeEntry

// typeRef reads a reference to a type and notes that it is used.
func (r *reader) typeRef(c *cursor, what string) *typeEntry {
	i := r.typeID(c, what)
	if i < 0 {
		return &noType
	}
	r.useType(i)
	return &r.types[i]
}

// part reads a reference to a type that type t is made of.
func (r *reader) part(c *cursor, t *typeEntry, what string) *typeEntry {
	t.parts = r.mem.parts.take(&r.budget, 1)
	return r.resolvePart(c, &t.parts[0], what)
}

func (r *reader) resolvePart(c *cursor, id *int32, what string) *typeEntry {
	i := r.typeID(c, what)
	if i < 0 {
		return &noType
	}
	*id = int32(i)
	t := r.resolve(i)
	if r.err != nil && c.err == nil {
		c.err = r.err
	}
	return t
}

// ofValue gives a type that values can have.
func (t *typeEntry) ofValue(c *cursor, start int, what string) tileir.Type {
	_, fn := t.value.(*tileir.FuncType)
	if c.err == nil && (fn || t.value == nil && t.elem == tileir.NoElem) {
		c.failAt(start, "%s is not the type of a value", what)
	}
	if c.err != nil {
		return nil
	}
	return t.anyType()
}

// valueType reads a reference to a type that values can have.
func (r *reader) valueType(c *cursor, what string) tileir.Type {
	start := c.offset()
	return r.typeRef(c, what).ofValue(c, start, what)
}

// isElem refuses what is not an element type.
func (t *typeEntry) isElem(c *cursor, start int, what string) tileir.Elem {
	if c.err == nil && (t.elem == tileir.NoElem || t.ptr) {
		c.failAt(start, "%s is not an element type", what)
	}
	return t.elem
}

// elem reads a reference to an element type.
func (r *reader) elem(c *cursor, what string) tileir.Elem {
	start := c.offset()
	return r.typeRef(c, what).isElem(c, start, what)
}

func (r *reader) decodeType(c *cursor, t *typeEntry) {
	start := c.offset()
	tag := c.varint("the type's tag")
	if e, ok := elemOf(tag); ok {
		t.elem = e
		if e.Since() > r.version {
			c.failAt(start, "type %v needs version %v, but the file has %v", e, e.Since(), r.version)
		}
		return
	}
	if since := typeSince[tag]; since > r.version {
		c.failAt(start, "type tag %d needs version %v, but the file has %v", tag, since, r.version)
		return
	}
	switch tag {
	case ptrTag:
		t.attr = r.pointerFlags(c)
		at := c.offset()
		t.elem, t.ptr = r.part(c, t, "the type pointed to").isElem(c, at, "the type pointed to"), true
		r.pointerAttr(c, t.attr)
	case tileTag:
		e := r.part(c, t, "the tile's element type")
		if c.err == nil && e.elem == tileir.NoElem {
			c.failAt(start, "a tile's element is neither a number nor a pointer")
		}
		tile := r.mem.tiles.one(&r.budget)
		tile.Elem, tile.Pointer, tile.PtrAttr, tile.Shape = e.elem, e.ptr, e.attr, r.extents(c)
		t.value = tile
	case tensorViewTag:
		t.value = r.tensorView(c, t)
	case tokenTag:
		t.value = tileir.Token
	case partitionViewTag, stridedViewTag, gatherScatterViewTag:
		t.value = r.tileView(c, t, tag)
	case funcTag:
		t.value = r.funcType(c, t)
	default:
		c.failAt(start, "unknown type tag %d", tag)
	}
}

// funcType reads the type of a function: the types of its parameters, and those of its results.
func (r *reader) funcType(c *cursor, t *typeEntry) *tileir.FuncType {
	ids := *c
	n := ids.count("parameters", 1)
	for range n {
		ids.varint("the type of a parameter")
	}
	t.parts = r.mem.parts.take(&r.budget, n+ids.count("results", 1))
	fn := r.mem.funcs.one(&r.budget)
	fn.Params = r.partTypes(c, t.parts[:n], "parameters", "the type of a parameter")
	fn.Results = r.partTypes(c, t.parts[n:], "results", "the type of a result")
	return fn
}

func (r *reader) partTypes(c *cursor, parts []int32, what, each string) []tileir.Type {
	c.count(what, 1)
	out := r.mem.types.take(&r.budget, len(parts))
	for i := range out {
		start := c.offset()
		t := r.resolvePart(c, &parts[i], each)
		if out[i] = t.ofValue(c, start, each); c.err != nil {
			return nil
		}
	}
	return out
}

// pointerFlags reads the field that pointers and tensor views have since 13.4. Its one bit announces an attribute.
func (r *reader) pointerFlags(c *cursor) bool {
	return r.version >= tileir.V13_4 && c.varint("the pointer's flags")&1 != 0
}

// pointerAttr reads the attribute, of which there is but one value.
func (r *reader) pointerAttr(c *cursor, given bool) {
	if given {
		c.number("the pointer attribute", len(tileir.PtrAttr.Values)-1)
	}
}
