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

// recentAttrs are the last values of a kind of attribute that takes memory of its own, with their bytes. Operations
// mostly repeat a few, and then share them: attributes do not change.
type recentAttrs struct {
	next int
	list [8]struct {
		bytes []byte
		attr  tileir.Attr
	}
}

// attr reads an attribute, or finds it among the recent ones. No encoding is the beginning of another.
func (f *funcReader) attr(a *tileir.AttrInfo) tileir.Attr {
	switch a.Coding {
	case tileir.EnumAttr, tileir.VarintAttr, tileir.BoolAttr:
		return f.plainAttr(a)
	}
	c, recent := f.c, &f.recent[a.Coding]
	for i := range recent.list {
		if e := &recent.list[i]; e.attr != nil && bytes.HasPrefix(c.data[c.pos:], e.bytes) {
			c.pos += len(e.bytes)
			return e.attr
		}
	}
	start := c.pos
	v := f.newAttr(a)
	if c.err == nil {
		e := &recent.list[recent.next]
		recent.next = (recent.next + 1) % len(recent.list)
		e.bytes, e.attr = c.data[start:c.pos], v
	}
	return v
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
	c := f.c
	switch a.Coding {
	case tileir.StringAttr:
		return tileir.String(f.text(c, a.Name))
	case tileir.Int32ArrayAttr:
		return f.intArray(c, a.Name)
	case tileir.BoolArrayAttr:
		b := c.bytes(c.count(a.Name, 1), a.Name)
		out := make(tileir.Bools, len(b))
		for i := range b {
			out[i] = b[i] != 0
		}
		return out
	case tileir.NumberArrayAttr:
		return f.numberArray(c, a.Name)
	case tileir.HintsAttr:
		return f.hints(c)
	case tileir.PredicateAttr:
		return f.predicate(c, a.Name)
	}
	panic("BUG: bytecode: the table has an attribute that no operation in a body can have: " + a.Name)
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
	out := tileir.Numbers{}
	for n := c.count(what, 3); n > 0 && c.err == nil; n-- {
		r.spend(hintSize)
		out = append(out, r.number(c, what))
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
	start := c.offset()
	switch tag := c.varint(what); tag {
	case divByTag:
		d := tileir.DivBy{Divisor: c.varint("the divisor")}
		d.Every, d.Along = c.optionalPair("every", "along")
		return d
	case sameElementsTag:
		return tileir.SameElements(r.i64s(c, "runs"))
	case boundedTag:
		var b tileir.Bounded
		b.Lower, b.Upper = c.optionalPair("the lower bound", "the upper bound")
		return b
	default:
		c.failAt(start, "%s: attribute of kind %d is no predicate", what, tag)
		return nil
	}
}

// optionalPair reads a byte of two flags and the numbers that they announce.
func (c *cursor) optionalPair(first, second string) (a, b *int64) {
	flags := c.byte("the flags of a predicate")
	if flags&1 != 0 {
		v := c.svarint(first)
		a = &v
	}
	if flags&2 != 0 {
		v := c.svarint(second)
		b = &v
	}
	return a, b
}
