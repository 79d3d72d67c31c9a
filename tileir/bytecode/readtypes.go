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

// typeEntry is a row of the type table: one of an element, a pointer to one, a type of values, or a function type.
type typeEntry struct {
	entry
	state typeState
	elem  tileir.Elem // of an element or of what a pointer points to
	ptr   bool
	attr  bool // of a pointer: it has the pointer attribute
	value tileir.Type
	fn    *funcType
}

type typeState uint8

const (
	unread typeState = iota
	reading
	read
)

type funcType struct{ params, results []tileir.Type }

func (r *reader) readTypes() {
	c := r.section(typeSection)
	es := c.table("types", 4)
	if !r.take(c) {
		return
	}
	r.types = make([]typeEntry, len(es))
	for i, e := range es {
		r.types[i].entry = e
	}
	for i := range r.types {
		if r.resolve(i); r.err != nil {
			return
		}
	}
}

// resolve decodes entry i if that is still to do. A type may name one that comes later, but not itself.
func (r *reader) resolve(i int) *typeEntry {
	t := &r.types[i]
	switch t.state {
	case unread:
		t.state = reading
		c := t.cursor()
		r.decodeType(c, t)
		c.end("the type")
		r.take(c)
		t.state = read
	case reading:
		if r.err == nil {
			r.err = &Error{Offset: t.offset, What: "a type that contains itself"}
		}
	}
	return t
}

// typeRef reads a reference to a type.
func (r *reader) typeRef(c *cursor, what string) *typeEntry {
	start := c.offset()
	i := c.varint(what)
	if i >= uint64(len(r.types)) {
		c.failAt(start, "%s is type %d, but there are %d", what, i, len(r.types))
		return new(typeEntry)
	}
	t := r.resolve(int(i))
	if r.err != nil && c.err == nil {
		c.err = r.err
	}
	return t
}

// valueType reads a reference to a type that values can have.
func (r *reader) valueType(c *cursor, what string) tileir.Type {
	start := c.offset()
	t := r.typeRef(c, what)
	switch {
	case t.value != nil:
		return t.value
	case t.elem != tileir.NoElem:
		return tileir.ScalarType{Elem: t.elem, Pointer: t.ptr, PtrAttr: t.attr}
	case c.err == nil:
		c.failAt(start, "%s is no type of a value", what)
	}
	return nil
}

// elem reads a reference to an element type.
func (r *reader) elem(c *cursor, what string) tileir.Elem {
	start := c.offset()
	t := r.typeRef(c, what)
	if c.err == nil && (t.elem == tileir.NoElem || t.ptr) {
		c.failAt(start, "%s is not an element type", what)
	}
	return t.elem
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
		t.elem, t.ptr = r.elem(c, "the type pointed to"), true
		r.pointerAttr(c, t.attr)
	case tileTag:
		e := r.typeRef(c, "the tile's element type")
		if c.err == nil && e.elem == tileir.NoElem {
			c.failAt(start, "a tile's element is neither a number nor a pointer")
		}
		t.value = &tileir.TileType{Elem: e.elem, Pointer: e.ptr, PtrAttr: e.attr, Shape: r.extents(c)}
	case tensorViewTag:
		attr := r.pointerFlags(c)
		v := &tileir.TensorViewType{Elem: r.elem(c, "the tensor's element type"), PtrAttr: attr}
		v.Shape, v.Strides = c.i64s("extents", maxRank), c.i64s("strides", maxRank)
		r.pointerAttr(c, attr)
		t.value = v
	case tokenTag:
		t.value = tileir.Token
	case partitionViewTag:
		t.value = r.partitionView(c)
	case stridedViewTag:
		t.value = r.stridedView(c)
	case gatherScatterViewTag:
		t.value = r.gatherScatterView(c)
	case funcTag:
		t.fn = &funcType{r.valueTypes(c, "parameters"), r.valueTypes(c, "results")}
	default:
		c.failAt(start, "unknown type tag %d", tag)
	}
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

func (r *reader) extents(c *cursor) []int {
	start := c.offset()
	xs := c.i64s("extents", maxRank)
	out := make([]int, len(xs))
	for i, x := range xs {
		if x < 1 || x > tileir.MaxTileSize {
			c.failAt(start, "extent %d of a tile is not in 1..%d", x, tileir.MaxTileSize)
			return nil
		}
		out[i] = int(x)
	}
	return out
}

func (r *reader) valueTypes(c *cursor, what string) []tileir.Type {
	n := c.count(what, 1)
	out := make([]tileir.Type, 0, n)
	for range n {
		out = append(out, r.valueType(c, "the type among the "+what))
		if c.err != nil {
			return nil
		}
	}
	return out
}

// viewFlags reads the flags that come first in a view since 13.3.
func (r *reader) viewFlags(c *cursor) uint64 {
	if r.version < tileir.V13_3 {
		return 0
	}
	return c.varint("the view's flags")
}

// padding reads the padding value that comes last in a view. Before 13.3 a byte tells whether there is one.
func (r *reader) padding(c *cursor, flags uint64) tileir.Padding {
	if r.version < tileir.V13_3 {
		flags = uint64(c.byte("the mark of a padding value"))
	}
	if flags&1 == 0 {
		return tileir.NoPadding
	}
	return tileir.Padding(c.number("the padding value", len(tileir.PaddingValue.Values)-1))
}

func (r *reader) viewTile(c *cursor) []int {
	start := c.offset()
	tile := c.i32s("extents of the view's tile", maxRank)
	for _, x := range tile {
		if x < 1 {
			c.failAt(start, "extent %d of a view's tile is not positive", x)
		}
	}
	return tile
}

func (r *reader) viewTensor(c *cursor) *tileir.TensorViewType {
	start := c.offset()
	v, ok := r.valueType(c, "the view's tensor").(*tileir.TensorViewType)
	if c.err == nil && !ok {
		c.failAt(start, "the view's tensor is not a tensor_view")
	}
	return v
}

func (r *reader) partitionView(c *cursor) tileir.Type {
	flags := r.viewFlags(c)
	v := &tileir.PartitionViewType{Tile: r.viewTile(c), Tensor: r.viewTensor(c)}
	v.DimMap = c.i32s("entries of the dimension map", maxRank)
	v.Padding = r.padding(c, flags)
	return v
}

func (r *reader) stridedView(c *cursor) tileir.Type {
	flags := r.viewFlags(c)
	v := &tileir.StridedViewType{Tile: r.viewTile(c), Traversal: c.i32s("traversal strides", maxRank)}
	v.Tensor = r.viewTensor(c)
	v.DimMap = c.i32s("entries of the dimension map", maxRank)
	v.Padding = r.padding(c, flags)
	return v
}

func (r *reader) gatherScatterView(c *cursor) tileir.Type {
	flags := r.viewFlags(c)
	v := &tileir.GatherScatterViewType{Tile: r.viewTile(c), Tensor: r.viewTensor(c)}
	v.SparseDim = c.number("the sparse dimension", 1<<31-1)
	v.Padding = r.padding(c, flags)
	return v
}
