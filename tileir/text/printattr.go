package text

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
	"github.com/cutile-go/cutile/tileir"
)

// attr prints the i-th attribute of an operation.
func (p *printer) attr(o *tileir.Op, i int) {
	info := &o.Info.Attrs[i]
	switch v := o.Attrs[i].(type) {
	case tileir.Int:
		if info.Coding == tileir.EnumAttr {
			p.text(info.Enum.Text(int64(v)))
		} else {
			p.text(strconv.FormatInt(int64(v), 10))
		}
	case tileir.Bool:
		p.text(strconv.FormatBool(bool(v)))
	case tileir.String:
		p.text(names.Quote(string(v)))
	case tileir.Ints:
		p.text("[")
		p.list(len(v), func(i int) { p.text(strconv.Itoa(v[i])) })
		p.text("]")
	case tileir.Bools:
		p.text("[")
		p.list(len(v), func(i int) { p.text(strconv.FormatBool(v[i])) })
		p.text("]")
	case *tileir.Constant:
		p.constant(v)
	case tileir.Numbers:
		p.text("[")
		p.list(len(v), func(i int) { p.number(v[i]) })
		p.text("]")
	case tileir.Hints:
		p.hints(v)
	case tileir.DivBy, tileir.Bounded, tileir.SameElements:
		p.predicate(v)
	}
}

// number prints an identity. MLIR leaves the type out for i1, i64, and f64 in decimal digits.
func (p *printer) number(n tileir.Number) {
	s := elemText(n.Elem, n.Bits)
	p.text(s)
	if n.Elem != tileir.I1 && n.Elem != tileir.I64 && (n.Elem != tileir.F64 || strings.HasPrefix(s, "0x")) {
		p.text(" : ", n.Elem.String())
	}
}

func (p *printer) predicate(a tileir.Attr) {
	end := func(x *int64) string {
		if x == nil {
			return "?"
		}
		return strconv.FormatInt(*x, 10)
	}
	switch a := a.(type) {
	case tileir.DivBy:
		p.text("div_by<", strconv.FormatUint(a.Divisor, 10))
		if a.Every != nil && a.Along != nil {
			p.text(", every ", end(a.Every), " along ", end(a.Along))
		}
		p.text(">")
	case tileir.Bounded:
		p.text("bounded<", end(a.Lower), ", ", end(a.Upper), ">")
	case tileir.SameElements:
		p.text("same_elements<[")
		p.list(len(a), func(i int) { p.text(strconv.FormatInt(a[i], 10)) })
		p.text("]>")
	}
}

// hints prints architectures and names in alphabetical order, as MLIR keeps dictionaries.
func (p *printer) hints(hs tileir.Hints) {
	hs = sortedHints(hs)
	p.text("<")
	p.list(len(hs), func(i int) {
		p.text(hs[i].Arch, " = {")
		p.list(len(hs[i].Hints), func(j int) {
			h := &hs[i].Hints[j]
			p.text(h.Name, " = ")
			p.hintValue(&h.Value)
		})
		p.text("}")
	})
	p.text(">")
}

// hintValue prints a hint. Numbers have no type here, unlike those within lists.
func (p *printer) hintValue(v *tileir.HintValue) {
	n, isNumber := v.Other.(tileir.Number)
	switch {
	case isNumber:
		p.text(elemText(n.Elem, n.Bits))
	case v.Other != nil:
		p.nested(v.Other)
	case v.Elem == tileir.NoElem:
		p.text(strconv.FormatBool(v.Bool))
	case v.Elem == tileir.I1:
		p.text(strconv.FormatBool(v.Int != 0))
	default:
		p.text(strconv.FormatInt(v.Int, 10))
	}
}

// nested prints an attribute that stands in a list.
func (p *printer) nested(a tileir.Attr) {
	switch a := a.(type) {
	case tileir.Number:
		p.number(a)
	case tileir.Bool:
		p.text(strconv.FormatBool(bool(a)))
	case tileir.String:
		p.text(names.Quote(string(a)))
	case tileir.List:
		p.text("[")
		p.list(len(a), func(i int) { p.nested(a[i]) })
		p.text("]")
	case tileir.Dict:
		p.text("{")
		p.list(len(a), func(i int) {
			p.text(a[i].Name, " = ")
			p.nested(a[i].Value)
		})
		p.text("}")
	case tileir.TypeValue:
		p.typeValue(a.Type)
	case tileir.Hints:
		p.text("#cuda_tile.optimization_hints")
		p.hints(a)
	case tileir.DivBy, tileir.Bounded, tileir.SameElements:
		p.text("#cuda_tile.")
		p.predicate(a)
	}
}

// typeValue prints a type outside of an operation of the dialect.
func (p *printer) typeValue(t tileir.Type) {
	switch t := t.(type) {
	case tileir.ScalarType:
		p.text(t.String())
	case *tileir.FuncType:
		p.typeList(t.Params)
		p.text(" -> ")
		if len(t.Results) == 1 {
			p.typeValue(t.Results[0])
			return
		}
		p.typeList(t.Results)
	default:
		p.text("!cuda_tile.", fmt.Sprint(t))
	}
}

// valueTypes prints the types of values outside of an operation of the dialect.
func (p *printer) valueTypes(vs []*tileir.Value) {
	p.list(len(vs), func(i int) { p.typeValue(vs[i].Type) })
}

func (p *printer) typeList(ts []tileir.Type) {
	p.text("(")
	p.list(len(ts), func(i int) { p.typeValue(ts[i]) })
	p.text(")")
}

// maxDense is the number of elements up to which MLIR spells a constant out; above it prints the bytes.
const maxDense = 100

// constant prints element type, elements and the tile's type.
func (p *printer) constant(c *tileir.Constant) {
	if !c.Fits() {
		p.text("<invalid constant>")
		return
	}
	p.text("<", c.Type.Elem.String(), ": ")
	p.elementsOf(c)
	p.text("> : ", c.Type.String())
}

// elementsOf prints the elements of a constant: one for all, lists, or their bytes.
func (p *printer) elementsOf(c *tileir.Constant) {
	e := c.Type.Elem
	bits, splat := c.Splat()
	switch n := c.Type.Size(); {
	case splat:
		p.text(elemText(e, bits))
	case n > maxDense:
		p.text(`"0x`, strings.ToUpper(hex.EncodeToString(unpacked(c))), `"`)
	default:
		p.dense(c, c.Type.Shape, 0)
	}
}

// dense prints nested lists, one level a dimension, and returns the index after its last element.
func (p *printer) dense(c *tileir.Constant, shape []int, at int) int {
	if len(shape) == 0 {
		p.text(elemText(c.Type.Elem, c.Element(at)))
		return at + 1
	}
	p.text("[")
	p.list(shape[0], func(int) { at = p.dense(c, shape[1:], at) })
	p.text("]")
	return at
}

func elemText(e tileir.Elem, bits uint64) string {
	switch {
	case e == tileir.I1:
		return strconv.FormatBool(bits != 0)
	case e.IsInt():
		return strconv.FormatInt(signed(e, bits), 10)
	}
	return floatText(e, bits)
}

// unpacked is the data with a byte for each truth value.
func unpacked(c *tileir.Constant) []byte {
	if c.Type.Elem != tileir.I1 {
		return c.Data
	}
	out := make([]byte, c.Type.Size())
	for i := range out {
		out[i] = byte(c.Element(i))
	}
	return out
}

// sortedHints puts architectures and names in alphabetical order.
func sortedHints(hs tileir.Hints) tileir.Hints {
	out := make(tileir.Hints, len(hs))
	for i, h := range hs {
		out[i] = tileir.ArchHints{Arch: h.Arch, Hints: slices.Clone(h.Hints)}
		slices.SortStableFunc(out[i].Hints, func(a, b tileir.Hint) int { return strings.Compare(a.Name, b.Name) })
	}
	slices.SortStableFunc(out, func(a, b tileir.ArchHints) int { return strings.Compare(a.Arch, b.Arch) })
	return out
}
