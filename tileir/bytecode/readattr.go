package bytecode

import (
	"slices"

	"github.com/cutile-go/cutile/tileir"
)

// attrs reads the attributes that lie inline. Those that the version lacks, and optional ones whose flag is not set,
// stay nil.
func (f *funcReader) attrs(o *tileir.Op, flags uint64, results []tileir.Type) {
	infos := o.Info.Attrs
	if len(infos) == 0 {
		return
	}
	o.Attrs = make([]tileir.Attr, len(infos))
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
		case !a.Optional || set:
			o.Attrs[i] = f.attr(a, results)
		}
	}
}

func (f *funcReader) attr(a *tileir.AttrInfo, results []tileir.Type) tileir.Attr {
	c := f.c
	start := c.offset()
	switch a.Coding {
	case tileir.EnumAttr:
		v := c.varint(a.Name)
		if !slices.ContainsFunc(a.Enum.Values, func(e tileir.EnumValue) bool { return uint64(e.Value) == v }) {
			c.failAt(start, "%s has no value %d", a.Enum.Name, v)
		}
		return tileir.Int(v)
	case tileir.VarintAttr:
		v := c.varint(a.Name)
		if a.Width == 32 {
			return tileir.Int(int32(v))
		}
		return tileir.Int(v)
	case tileir.BoolAttr:
		return tileir.Bool(c.byte(a.Name) != 0)
	case tileir.StringAttr:
		return tileir.String(f.text(c, a.Name))
	case tileir.ConstantAttr:
		var t *tileir.TileType
		if len(results) > 0 {
			t, _ = results[0].(*tileir.TileType)
		}
		return f.constant(c, t)
	case tileir.Int32ArrayAttr:
		return f.ints(a.Name)
	case tileir.BoolArrayAttr:
		b := c.bytes(c.count(a.Name, 1), a.Name)
		out := make(tileir.Bools, len(b))
		for i := range b {
			out[i] = b[i] != 0
		}
		return out
	case tileir.NumberArrayAttr:
		return f.numbers(a.Name)
	case tileir.HintsAttr:
		return f.hints(c)
	case tileir.PredicateAttr:
		return f.predicate(a.Name)
	}
	panic("BUG: bytecode: the table has an attribute that no operation in a body can have: " + a.Name)
}

// ints reads 32-bit integers; NVIDIA's reader refuses the least and the greatest.
func (f *funcReader) ints(what string) tileir.Ints {
	start := f.c.offset()
	xs := f.c.i32s(what, maxRank)
	for _, x := range xs {
		if x == 1<<31-1 || x == -1<<31 {
			f.c.failAt(start, "%s has the entry %d, which is reserved", what, x)
		}
	}
	return xs
}

func (f *funcReader) numbers(what string) tileir.Numbers {
	n := f.c.count(what, 3)
	out := make(tileir.Numbers, 0, n)
	for range n {
		out = append(out, f.number(what))
		if f.c.err != nil {
			return nil
		}
	}
	return out
}

// number reads an integer or float that names its own type.
func (f *funcReader) number(what string) tileir.Number {
	c := f.c
	start := c.offset()
	tag := c.varint(what)
	e := f.elem(c, "the type of "+what)
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
func (f *funcReader) predicate(what string) tileir.Attr {
	c := f.c
	start := c.offset()
	switch tag := c.varint(what); tag {
	case divByTag:
		d := tileir.DivBy{Divisor: c.varint("the divisor")}
		d.Every, d.Along = f.optionalPair("every", "along")
		return d
	case sameElementsTag:
		return tileir.SameElements(c.i64s("runs", maxRank))
	case boundedTag:
		var b tileir.Bounded
		b.Lower, b.Upper = f.optionalPair("the lower bound", "the upper bound")
		return b
	default:
		c.failAt(start, "%s: attribute of kind %d is no predicate", what, tag)
		return nil
	}
}

// optionalPair reads a byte of two flags and the numbers that they announce.
func (f *funcReader) optionalPair(first, second string) (a, b *int64) {
	flags := f.c.byte("the flags of a predicate")
	if flags&1 != 0 {
		v := f.c.svarint(first)
		a = &v
	}
	if flags&2 != 0 {
		v := f.c.svarint(second)
		b = &v
	}
	return a, b
}

// hints reads optimisation hints without their tag: architectures, each with a dictionary of its own.
func (r *reader) hints(c *cursor) tileir.Hints { return r.hintsIn(c, 0) }

func (r *reader) hintsIn(c *cursor, depth int) tileir.Hints {
	n := c.count("architectures", 3)
	out := make(tileir.Hints, 0, n)
	for range n {
		h := tileir.ArchHints{Arch: r.text(c, "the architecture")}
		if at := c.offset(); c.varint("the tag of the hints") != dictionaryTag {
			c.failAt(at, "the hints of %s are no dictionary", h.Arch)
		}
		k := c.count("hints", 3)
		for range k {
			h.Hints = append(h.Hints, tileir.Hint{Name: r.text(c, "the hint's name"), Value: r.hintValue(c, depth)})
			if c.err != nil {
				return nil
			}
		}
		out = append(out, h)
		if c.err != nil {
			return nil
		}
	}
	return out
}

func (r *reader) hintValue(c *cursor, depth int) tileir.HintValue {
	start := c.offset()
	switch tag := c.varint("the hint's tag"); tag {
	case integerTag:
		e := r.elem(c, "the hint's type")
		v := c.varint("the hint's value")
		if c.err == nil && !e.IsInt() {
			c.failAt(start, "a hint has type %v, which is no integer", e)
		}
		if s := 64 - e.Bits(); e.Bits() > 1 {
			return tileir.HintValue{Elem: e, Int: int64(v<<s) >> s}
		}
		return tileir.HintValue{Elem: e, Int: int64(v)}
	case boolTag:
		return tileir.HintValue{Bool: c.byte("the hint's value") != 0}
	default:
		c.pos = start - c.base
		return tileir.HintValue{Other: r.tagged(c, depth)}
	}
}

// tagged reads an attribute that names its own kind; depth is how deep it lies within others.
func (r *reader) tagged(c *cursor, depth int) tileir.Attr {
	start := c.offset()
	if depth > maxDepth {
		c.failAt(start, "more than %d attributes in one another", maxDepth)
		return nil
	}
	f := &funcReader{reader: r, c: c}
	tag := c.varint("the attribute's tag")
	switch tag {
	case integerTag, floatTag:
		c.pos = start - c.base
		return f.number("the attribute")
	case boolTag:
		return tileir.Bool(c.byte("the attribute") != 0)
	case typeTag:
		return tileir.TypeValue{Type: r.valueType(c, "the attribute")}
	case stringTag:
		return tileir.String(r.text(c, "the attribute"))
	case arrayTag:
		n := c.count("attributes", 2)
		out := tileir.List{}
		for i := 0; i < n && c.err == nil; i++ {
			out = append(out, r.tagged(c, depth+1))
		}
		return out
	case dictionaryTag:
		n := c.count("attributes", 3)
		out := tileir.Dict{}
		for i := 0; i < n && c.err == nil; i++ {
			out = append(out, tileir.NamedAttr{Name: r.text(c, "the attribute's name"), Value: r.tagged(c, depth+1)})
		}
		return out
	case optimizationHintsTag:
		return r.hintsIn(c, depth+1)
	case divByTag, sameElementsTag, boundedTag:
		c.pos = start - c.base
		return f.predicate("the attribute")
	}
	c.failAt(start, "an attribute of unknown kind %d", tag)
	return nil
}
