package bytecode

import (
	"bytes"
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// attrs reads the attributes that lie inline. Those that the version lacks, and optional ones whose flag is not set,
// stay nil.
func (f *funcReader) attrs(o *tileir.Op, flags uint64, results []*tileir.Value) {
	infos := o.Info.Attrs
	if len(infos) == 0 {
		return
	}
	o.Attrs = f.mem.attrs.take(&f.budget, len(infos))
	for i := range infos {
		a := &infos[i]
		if a.Since > f.version || f.c.err != nil {
			continue
		}
		set := a.FlagBit >= 0 && flags>>a.FlagBit&1 != 0
		switch {
		case a.Coding == tileir.UnitAttr:
			if set {
				o.Attrs[i] = tileir.Bool(true)
			}
		case a.Optional && !set:
		case a.Coding == tileir.ConstantAttr:
			o.Attrs[i] = f.value(results)
		default:
			o.Attrs[i] = f.attr(a)
		}
	}
}

// value reads a constant, whose type is that of the result.
func (f *funcReader) value(results []*tileir.Value) tileir.Attr {
	var t *tileir.TileType
	if len(results) > 0 {
		t, _ = results[0].Type.(*tileir.TileType)
	}
	return f.constant(f.c, t)
}

// attr reads an attribute. Operations mostly repeat a few values, and then share them: attributes do not change.
func (f *funcReader) attr(a *tileir.AttrInfo) tileir.Attr {
	switch a.Coding {
	case tileir.EnumAttr, tileir.VarintAttr, tileir.BoolAttr:
		return f.plainAttr(a)
	}
	recent := &f.recent[a.Coding]
	if v := recent.find(f.c); v != nil {
		return v
	}
	start := f.c.pos
	v := f.newAttr(a)
	if f.c.err == nil {
		recent.add(f.c.data[start:f.c.pos], v)
	}
	return v
}

// recentAttrs are the last values of a kind of attribute that takes memory of its own, with their bytes.
type recentAttrs struct {
	next int
	list [8]struct {
		bytes []byte
		attr  tileir.Attr
	}
}

// find takes an attribute off the cursor where it is a recent one. No encoding is the beginning of another.
func (r *recentAttrs) find(c *cursor) tileir.Attr {
	for i := range r.list {
		if e := &r.list[i]; e.attr != nil && bytes.HasPrefix(c.data[c.pos:], e.bytes) {
			c.pos += len(e.bytes)
			return e.attr
		}
	}
	return nil
}

func (r *recentAttrs) add(b []byte, v tileir.Attr) {
	e := &r.list[r.next]
	r.next = (r.next + 1) % len(r.list)
	e.bytes, e.attr = b, v
}

// knownAttrs are all values of the file so far that take memory of their own, by the kind and the bytes of each.
type knownAttrs struct {
	keys  pool
	attrs []tileir.Attr
}

// shared gives v, which was read from start on, or the equal attribute that was read before: only the first of equal ones
// is put into an interface, which takes memory.
func shared[T tileir.Attr](r *reader, c *cursor, kind tileir.AttrCoding, start int, v T) tileir.Attr {
	if c.err != nil {
		return nil
	}
	k := &r.known
	k.keys.data = append(k.keys.data, byte(kind))
	i := k.keys.add(c.data[start:c.pos])
	if i == len(k.attrs) {
		k.attrs = append(k.attrs, v)
	}
	return k.attrs[i]
}

func (f *funcReader) plainAttr(a *tileir.AttrInfo) tileir.Attr {
	c := f.c
	start := c.offset()
	switch {
	case a.Coding == tileir.BoolAttr:
		return tileir.Bool(c.byte(a.Name) != 0)
	case a.Coding == tileir.EnumAttr:
		v := c.varint(a.Name)
		if !slices.ContainsFunc(a.Enum.Values, func(e tileir.EnumValue) bool { return uint64(e.Value) == v }) {
			c.failAt(start, "%s has no value %d", a.Enum.Name, v)
		}
		return tileir.Int(v)
	case a.Width == 32:
		return tileir.Int(int32(c.varint(a.Name)))
	}
	return tileir.Int(c.varint(a.Name))
}

func (f *funcReader) newAttr(a *tileir.AttrInfo) tileir.Attr {
	r, c, start := f.reader, f.c, f.c.pos
	switch a.Coding {
	case tileir.StringAttr:
		return shared(r, c, a.Coding, start, tileir.String(f.text(c, a.Name)))
	case tileir.Int32ArrayAttr:
		return shared(r, c, a.Coding, start, f.intArray(c, a.Name))
	case tileir.BoolArrayAttr:
		return shared(r, c, a.Coding, start, f.boolArray(c, a.Name))
	case tileir.NumberArrayAttr:
		return shared(r, c, a.Coding, start, f.numberArray(c, a.Name))
	case tileir.HintsAttr:
		return shared(r, c, a.Coding, start, f.hints(c))
	case tileir.PredicateAttr:
		return f.predicate(c, a.Name)
	}
	panic("BUG: bytecode: the table has an attribute that no operation in a body can have: " + a.Name)
}

func (r *reader) boolArray(c *cursor, what string) tileir.Bools {
	b := c.bytes(c.count(what, 1), what)
	out := r.mem.bools.take(&r.budget, len(b))
	for i := range out {
		out[i] = b[i] != 0
	}
	return out
}

// intArray reads 32-bit integers; NVIDIA's reader refuses the least and the greatest.
func (r *reader) intArray(c *cursor, what string) tileir.Ints {
	start := c.offset()
	xs := r.i32s(c, what)
	for _, x := range xs {
		if x == 1<<31-1 || x == -1<<31 {
			c.failAt(start, "%s has the entry %d, which is reserved", what, x)
		}
	}
	return xs
}

func (r *reader) numberArray(c *cursor, what string) tileir.Numbers {
	out := r.mem.numbers.take(&r.budget, c.count(what, 3))
	for i := range out {
		if out[i] = r.number(c, what); c.err != nil {
			return nil
		}
	}
	return out
}

// number reads an integer or float that names its own type.
func (r *reader) number(c *cursor, what string) tileir.Number {
	start := c.offset()
	tag := c.varint(what)
	e := r.elem(c, "the type of a number")
	if c.err != nil {
		return tileir.Number{}
	}
	n := tileir.Number{Elem: e}
	switch {
	case tag == integerTag && e.IsInt():
		n.Bits = c.varint(what)
	case tag == floatTag && e.IsFloat() && e.Bits() <= 8:
		n.Bits = uint64(c.byte(what))
	case tag == floatTag && e.IsFloat():
		n.Bits = uint64(c.svarint(what))
	default:
		c.failAt(start, "%s: attribute of kind %d with type %v is not a number", what, tag, e)
	}
	if bits := e.Bits(); c.err == nil && bits < 64 && n.Bits>>bits != 0 {
		c.failAt(start, "%s: %#x does not fit into %v", what, n.Bits, e)
	}
	return n
}

// predicate reads what assume promises.
func (r *reader) predicate(c *cursor, what string) tileir.Attr {
	const kind = tileir.PredicateAttr
	start, at := c.pos, c.offset()
	switch tag := c.varint(what); tag {
	case divByTag:
		d := tileir.DivBy{Divisor: c.varint("the divisor")}
		d.Every, d.Along = r.optionalPair(c, "every", "along")
		return shared(r, c, kind, start, d)
	case sameElementsTag:
		return shared(r, c, kind, start, tileir.SameElements(r.i64s(c, "runs")))
	case boundedTag:
		var b tileir.Bounded
		b.Lower, b.Upper = r.optionalPair(c, "the lower bound", "the upper bound")
		return shared(r, c, kind, start, b)
	default:
		c.failAt(at, "%s: attribute of kind %d is not a predicate", what, tag)
		return nil
	}
}

// optionalPair reads a byte of two flags and the numbers that they announce.
func (r *reader) optionalPair(c *cursor, first, second string) (a, b *int64) {
	flags := c.byte("the flags of a predicate")
	if flags&1 != 0 {
		a = r.mem.int64s.one(&r.budget)
		*a = c.svarint(first)
	}
	if flags&2 != 0 {
		b = r.mem.int64s.one(&r.budget)
		*b = c.svarint(second)
	}
	return a, b
}
