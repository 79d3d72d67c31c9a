package text

import (
	"encoding/hex"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
)

// attr reads the value of an attribute.
func (r *parser) attr(a *tileir.AttrInfo) tileir.Attr {
	switch a.Coding {
	case tileir.EnumAttr:
		return r.enum(a.Enum)
	case tileir.VarintAttr:
		return tileir.Int(r.integer("an integer"))
	case tileir.BoolAttr:
		return tileir.Bool(r.truth())
	case tileir.StringAttr:
		return tileir.String(r.quoted("a text"))
	case tileir.ConstantAttr:
		return r.constant()
	case tileir.Int32ArrayAttr:
		return tileir.Ints(r.ints())
	case tileir.BoolArrayAttr:
		out := tileir.Bools{}
		r.expect("[")
		r.list("]", func() { out = append(out, r.truth()) })
		return out
	case tileir.NumberArrayAttr:
		out := tileir.Numbers{}
		r.expect("[")
		r.list("]", func() { out = append(out, r.number()) })
		return out
	case tileir.HintsAttr:
		return r.hints()
	case tileir.PredicateAttr:
		return r.predicate()
	}
	panic("BUG: text: a format has an attribute that no operation in a body can have: " + a.Name)
}

func (r *parser) enum(e *tileir.Enum) tileir.Int {
	at := r.here()
	word := r.ident("a value of " + e.Name)
	var texts []string
	for _, v := range e.Values {
		if v.Text == word {
			return tileir.Int(v.Value)
		}
		texts = append(texts, v.Text)
	}
	r.failAt(at, "%s", names.Either(texts))
	return 0
}

// predicate reads what assume promises.
func (r *parser) predicate() tileir.Attr {
	r.accept("# " + dialect)
	switch {
	case r.accept("div_by <"):
		at := r.here()
		x, err := strconv.ParseUint(r.digits("a divisor"), 10, 64)
		if err != nil {
			r.failAt(at, "a divisor of at most 64 bits")
		}
		d := tileir.DivBy{Divisor: x}
		if r.accept(", every") {
			every := r.integer("an integer")
			r.expect("along")
			along := r.integer("a dimension")
			d.Every, d.Along = &every, &along
		}
		r.expect(">")
		return d
	case r.accept("bounded <"):
		var b tileir.Bounded
		b.Lower = r.bound()
		r.expect(",")
		b.Upper = r.bound()
		r.expect(">")
		return b
	case r.accept("same_elements < ["):
		s := tileir.SameElements{}
		r.list("]", func() { s = append(s, r.integer("the length of a run")) })
		r.expect(">")
		return s
	}
	r.fail("div_by, bounded or same_elements")
	return nil
}

// bound reads an integer, or a question mark for none.
func (r *parser) bound() *int64 {
	if r.accept("?") {
		return nil
	}
	x := r.integer("a bound, or ? for none")
	return &x
}

// number reads an identity of a reduction: "0xFF800000 : f32". Without a type an integer is an i64 and a float an f64.
func (r *parser) number() tileir.Number {
	at := r.here()
	if r.peek("true") || r.peek("false") {
		n := tileir.Number{Elem: tileir.I1}
		if r.truth() {
			n.Bits = 1
		}
		return n
	}
	text := r.numeral("a number")
	e := tileir.I64
	if r.accept(":") {
		e = r.elem()
	} else if strings.Contains(text, ".") {
		e = tileir.F64
	}
	return tileir.Number{Elem: e, Bits: r.elemBits(e, text, at)}
}

// elemBits gives the bits that a numeral stands for in an element type.
func (r *parser) elemBits(e tileir.Elem, text string, at int) uint64 {
	bits, ok := parseElem(e, text)
	if !ok {
		r.failf(at, "%s is not a number of type %v", text, e)
	}
	return bits
}

// constant reads "<i32: [1, 2]> : tile<2xi32>". Equal elements come out as one that fills the tile.
func (r *parser) constant() *tileir.Constant {
	r.expect("<")
	at := r.here()
	e := r.elem()
	r.expect(":")
	start := r.here()
	r.skipValue()
	r.expect("> :")
	typeAt := r.here()
	t, ok := r.typ().(*tileir.TileType)
	if !ok || t.Elem != e || t.Pointer {
		r.failf(typeAt, "expected a tile of %v, as the constant before says", e)
	}
	if e == tileir.I4 {
		r.failf(at, "there are no constants of i4")
	}
	end := r.pos
	r.pos = start
	c := &tileir.Constant{Type: t, Data: r.constantData(t)}
	r.pos = end
	return c
}

// skipValue passes over the elements of a constant, whose type comes after them.
func (r *parser) skipValue() {
	if r.peek(`"`) {
		r.quotedBytes("the bytes of a constant")
		return
	}
	for r.pos < len(r.src) && r.src[r.pos] != '>' {
		r.pos++
	}
}

// constantData reads the elements of a constant: one for all, all in nested lists, or their bytes.
func (r *parser) constantData(t *tileir.TileType) []byte {
	at := r.here()
	switch {
	case r.peek(`"`):
		return r.rawElements(t, at)
	case !r.peek("["):
		return tileir.SplatConstant(t, r.element(t.Elem)).Data
	}
	return tileir.ElementData(t.Elem, r.nested(nil, t.Elem, t.Shape)...)
}

// element reads one element.
func (r *parser) element(e tileir.Elem) uint64 {
	at := r.here()
	if e == tileir.I1 && !r.peek("1") && !r.peek("0") && !r.peek("-1") {
		if r.truth() {
			return 1
		}
		return 0
	}
	text := r.numeral("an element")
	if e.IsFloat() && strings.Trim(text, "-0123456789") == "" {
		r.failf(at, "expected a number of %v with a point, such as %s.0, but found %s", e, text, text)
	}
	return r.elemBits(e, text, at)
}

// nested reads lists in lists, one level a dimension, and appends the bits of their elements.
func (r *parser) nested(bits []uint64, e tileir.Elem, shape []int) []uint64 {
	if len(shape) == 0 {
		return append(bits, r.element(e))
	}
	at, n := r.here(), 0
	r.expect("[")
	r.list("]", func() {
		bits = r.nested(bits, e, shape[1:])
		n++
	})
	if n != shape[0] {
		r.failf(at, "expected %d elements in this list, but found %d", shape[0], n)
	}
	return bits
}

// rawElements reads the bytes of all elements in hexadecimal; an i1 takes a byte here.
func (r *parser) rawElements(t *tileir.TileType, at int) []byte {
	digits, ok := strings.CutPrefix(r.quotedBytes("the bytes of a constant"), "0x")
	raw, err := hex.DecodeString(digits)
	size := t.Size() * ((t.Elem.Bits() + 7) / 8)
	if !ok || err != nil || len(raw) != size {
		r.failf(at, "expected 0x and %d bytes in hexadecimal for %v", size, t)
	}
	if t.Elem != tileir.I1 {
		return raw
	}
	bits := make([]uint64, len(raw))
	for i, b := range raw {
		bits[i] = uint64(b & 1)
	}
	return tileir.ElementData(tileir.I1, bits...)
}
