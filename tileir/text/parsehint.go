package text

import (
	"strings"

	"github.com/cutile-go/cutile/tileir"
)

// hints reads optimisation hints. The text does not hold the types of integers; they are i32.
func (r *parser) hints() tileir.Hints {
	out := tileir.Hints{}
	r.accept("# " + dialect + "optimization_hints")
	r.expect("<")
	r.list(">", func() {
		h := tileir.ArchHints{Arch: r.identOrText("an architecture")}
		r.expect("=")
		r.expect("{")
		r.list("}", func() {
			x := tileir.Hint{Name: r.identOrText("a hint")}
			r.expect("=")
			x.Value = r.hintValue()
			if e := x.Value.Elem; e != tileir.NoElem && r.accept(":") {
				x.Value.Elem = r.elem()
			}
			h.Hints = append(h.Hints, x)
		})
		out = append(out, h)
	})
	return out
}

// identOrText reads a word, or a text in quotes that says it.
func (r *parser) identOrText(what string) string {
	if !r.peek(`"`) {
		return r.ident(what)
	}
	at := r.here()
	text := r.quoted(what)
	if text == "" || nameLen(text) < len(text) {
		r.failAt(at, "%s of letters, digits and underscores", what)
	}
	return text
}

// hintValue reads a hint: an i32, a truth value, or what only passes through.
func (r *parser) hintValue() tileir.HintValue {
	if r.peek("true") || r.peek("false") {
		return tileir.HintValue{Bool: r.truth()}
	}
	at := r.here()
	switch c := r.next(); {
	case c == '-' || c >= '0' && c <= '9':
		text := r.numeral("an integer")
		if strings.ContainsAny(text, ".x") {
			return tileir.HintValue{Other: tileir.Number{Elem: tileir.F32, Bits: r.elemBits(tileir.F32, text, at)}}
		}
		r.pos = at
		return tileir.HintValue{Elem: tileir.I32, Int: r.integer("an integer")}
	case strings.IndexByte(`[{"#!(`, c) >= 0:
		return tileir.HintValue{Other: r.nestedAttr()}
	}
	if e, ok := r.scalarAhead(); ok {
		return tileir.HintValue{Other: tileir.TypeValue{Type: e}}
	}
	r.fail("an integer, true or false")
	return tileir.HintValue{}
}

// next is the next byte that is not blank, 0 at the end.
func (r *parser) next() byte {
	if r.skip(); r.pos == len(r.src) {
		return 0
	}
	return r.src[r.pos]
}

// scalarAhead reads an element type or a pointer, if one comes next.
func (r *parser) scalarAhead() (tileir.ScalarType, bool) {
	if r.peek("ptr <") {
		return r.scalar(), true
	}
	for _, e := range tileir.Elems() {
		if r.peek(e.String()) {
			return r.scalar(), true
		}
	}
	return tileir.ScalarType{}, false
}

// typeValue reads a type outside of an operation of the dialect: of a value, or of a function.
func (r *parser) typeValue() tileir.Type {
	if !r.peek("(") {
		return r.valueType()
	}
	t := &tileir.FuncType{Params: r.typeList()}
	r.expect("->")
	if r.peek("(") {
		t.Results = r.typeList()
	} else {
		t.Results = []tileir.Type{r.valueType()}
	}
	return t
}

func (r *parser) valueType() tileir.Type {
	if t, ok := r.scalarAhead(); ok {
		return t
	}
	if !r.peek("!") {
		r.fail("a type")
	}
	return r.typ()
}

func (r *parser) typeList() []tileir.Type {
	out := []tileir.Type{}
	r.expect("(")
	r.list(")", func() { out = append(out, r.valueType()) })
	return out
}

// nestedAttr reads an attribute that stands in a list.
func (r *parser) nestedAttr() tileir.Attr {
	defer r.deeper()()
	switch {
	case r.peek(`"`):
		return tileir.String(r.quoted("a text"))
	case r.accept("["):
		l := tileir.List{}
		r.list("]", func() { l = append(l, r.nestedAttr()) })
		return l
	case r.accept("{"):
		d := tileir.Dict{}
		r.list("}", func() {
			name := r.ident("a name")
			r.expect("=")
			d = append(d, tileir.NamedAttr{Name: name, Value: r.nestedAttr()})
		})
		return d
	case r.peek("!"), r.peek("("):
		return tileir.TypeValue{Type: r.typeValue()}
	case r.accept("@"):
		r.pos--
		return tileir.String(r.symbol())
	case r.accept("unit"):
		return tileir.Bool(true)
	case r.peek("# " + dialect + "optimization_hints"):
		return r.hints()
	case r.peek("# " + dialect):
		return r.dialectAttr()
	case r.accept("array <"):
		return r.denseArray()
	case r.peek("dense <"):
		return r.denseConstant()
	}
	if t, ok := r.scalarAhead(); ok {
		return tileir.TypeValue{Type: t}
	}
	return r.number()
}
