package text

import "github.com/cutile-go/cutile/tileir"

// Attributes as MLIR writes them by themselves, in the generic form and in dictionaries.

// tableAttr reads an attribute as MLIR writes it by itself.
func (r *parser) tableAttr(a *tileir.AttrInfo) tileir.Attr {
	switch a.Coding {
	case tileir.EnumAttr:
		if r.accept("# " + dialect) {
			r.ident("the name of an enumeration")
			r.expect("<")
			x := r.enum(a.Enum)
			r.expect(">")
			return x
		}
		return r.typedInt()
	case tileir.VarintAttr:
		return r.typedInt()
	case tileir.UnitAttr:
		if r.accept("unit") {
			return tileir.Bool(true)
		}
		return tileir.Bool(r.truth())
	case tileir.StringAttr:
		if r.peek("@") {
			return tileir.String(r.symbol())
		}
	case tileir.ConstantAttr:
		if r.peek("dense") {
			return r.denseConstant()
		}
	case tileir.Int32ArrayAttr, tileir.BoolArrayAttr:
		if r.accept("array <") {
			return r.denseArray()
		}
	case tileir.HintsAttr:
		return r.hints()
	}
	return r.attr(a)
}

// typedInt reads an integer, with its type after it or without.
func (r *parser) typedInt() tileir.Int {
	x := tileir.Int(r.integer("an integer"))
	if r.accept(":") {
		r.elem()
	}
	return x
}

// dialectAttr reads an attribute of the dialect: a predicate, or a value of an enumeration as its text.
func (r *parser) dialectAttr() tileir.Attr {
	start := r.pos
	r.accept("# " + dialect)
	switch r.ident("an attribute") {
	case "div_by", "bounded", "same_elements":
		r.pos = start
		return r.predicate()
	}
	r.expect("<")
	word := r.ident("a value")
	r.expect(">")
	return tileir.String(word)
}

// denseArray reads what follows "array<": a type, and numbers or truth values of it.
func (r *parser) denseArray() tileir.Attr {
	at := r.here()
	e := r.elem()
	bools, ints := tileir.Bools{}, tileir.Ints{}
	item := func() {
		if e == tileir.I1 {
			bools = append(bools, r.truth())
			return
		}
		x := r.integer("an integer")
		if int64(int32(x)) != x {
			r.failf(at, "%d does not fit 32 bits", x)
		}
		ints = append(ints, int(x))
	}
	if r.accept(":") {
		r.list(">", item)
	} else {
		r.expect(">")
	}
	if e == tileir.I1 {
		return bools
	}
	return ints
}

// denseConstant reads "dense<[1, 2]> : !cuda_tile.tile<2xi32>".
func (r *parser) denseConstant() *tileir.Constant {
	r.expect("dense <")
	start := r.here()
	r.skipValue()
	r.expect("> :")
	at := r.here()
	t, ok := r.typ().(*tileir.TileType)
	if !ok || t.Pointer || t.Elem == tileir.I4 {
		r.failf(at, "expected a tile of numbers")
	}
	end := r.pos
	r.pos = start
	c := &tileir.Constant{Type: t, Data: r.constantData(t)}
	r.pos = end
	return c
}
