package bytecode

import "github.com/cutile-go/cutile/tileir"

// hints reads optimisation hints without their tag: architectures, each with a dictionary of its own.
func (r *reader) hints(c *cursor) tileir.Hints { return r.hintsIn(c, 0) }

func (r *reader) hintsIn(c *cursor, depth int) tileir.Hints {
	out := r.mem.archHints.take(&r.budget, c.count("architectures", 3))
	for i := range out {
		out[i].Arch = r.text(c, "the architecture")
		if at := c.offset(); c.varint("the tag of the hints") != dictionaryTag {
			c.failAt(at, "the hints of %s are not a dictionary", out[i].Arch)
		}
		if n := c.count("hints", 3); n > 0 {
			out[i].Hints = r.mem.hints.take(&r.budget, n)
		}
		for j := range out[i].Hints {
			out[i].Hints[j] = tileir.Hint{Name: r.text(c, "the hint's name"), Value: r.hintValue(c, depth)}
			if c.err != nil {
				return nil
			}
		}
	}
	return out
}

// hintSize is about what an attribute in a hint takes, in bytes.
const hintSize = 128

func (r *reader) hintValue(c *cursor, depth int) tileir.HintValue {
	start := c.offset()
	switch tag := c.varint("the hint's tag"); tag {
	case integerTag:
		e := r.elem(c, "the hint's type")
		v := c.varint("the hint's value")
		if c.err == nil && !e.IsInt() {
			c.failAt(start, "a hint has type %v, which is not an integer", e)
		}
		s := 64 - e.Bits()
		if v <<= s; e == tileir.I1 {
			return tileir.HintValue{Elem: e, Int: int64(v >> s)} // a truth value has no sign
		}
		return tileir.HintValue{Elem: e, Int: int64(v) >> s}
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
		c.failAt(start, "more than %d nested attributes", maxDepth)
		return nil
	}
	r.spend(hintSize)
	tag := c.varint("the attribute's tag")
	switch tag {
	case boolTag:
		return tileir.Bool(c.byte("the attribute") != 0)
	case typeTag:
		return tileir.TypeValue{Type: r.typeRef(c, "the attribute").anyType()}
	case stringTag:
		return tileir.String(r.text(c, "the attribute"))
	case arrayTag:
		out := tileir.List{}
		for n := c.count("attributes", 2); n > 0 && c.err == nil; n-- {
			out = append(out, r.tagged(c, depth+1))
		}
		return out
	case dictionaryTag:
		out := tileir.Dict{}
		for n := c.count("attributes", 3); n > 0 && c.err == nil; n-- {
			out = append(out, tileir.NamedAttr{Name: r.text(c, "the attribute's name"), Value: r.tagged(c, depth+1)})
		}
		return out
	case optimizationHintsTag:
		return r.hintsIn(c, depth+1)
	case integerTag, floatTag:
		c.pos = start - c.base
		return r.number(c, "the attribute")
	case divByTag, sameElementsTag, boundedTag:
		c.pos = start - c.base
		return r.predicate(c, "the attribute")
	}
	c.failAt(start, "an attribute of unknown kind %d", tag)
	return nil
}
