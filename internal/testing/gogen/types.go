package gogen

import (
	"fmt"
	"strings"
)

// typ is a type of a program.
type typ struct {
	name   string
	bits   int
	signed bool
	float  bool
	under  *typ   // of a named number
	elem   *typ   // of an array, slice or pointer
	n      int    // of an array
	fields []*typ // of a struct, named a, b, c …
	kind   kind
}

type kind int

const (
	number kind = iota
	truth
	array
	structure
	slice
	pointer
)

var boolean = &typ{name: "bool", kind: truth}

var integers = func() (all []*typ) {
	for _, bits := range []int{8, 16, 32, 64} {
		all = append(all, &typ{name: fmt.Sprint("int", bits), bits: bits, signed: true}, &typ{name: fmt.Sprint("uint", bits), bits: bits})
	}
	return append(all, &typ{name: "int", bits: 64, signed: true}, &typ{name: "uint", bits: 64})
}()

var floatTypes = []*typ{{name: "float32", bits: 32, signed: true, float: true}, {name: "float64", bits: 64, signed: true, float: true}}

func basic(name string) *typ {
	for _, list := range [][]*typ{integers, floatTypes, {boolean}} {
		for _, t := range list {
			if t.name == name {
				return t
			}
		}
	}
	panic("gogen: no type " + name)
}

func (t *typ) mask() uint64 { return 1<<(t.bits-1)<<1 - 1 }

func (t *typ) integer() bool { return t.kind == number && !t.float }

func arrayOf(n int, elem *typ) *typ {
	return &typ{name: fmt.Sprintf("[%d]%s", n, elem.name), kind: array, elem: elem, n: n}
}
func sliceOf(elem *typ, n int) *typ {
	return &typ{name: "[]" + elem.name, kind: slice, elem: elem, n: n}
}
func pointerTo(elem *typ) *typ { return &typ{name: "*" + elem.name, kind: pointer, elem: elem} }

// predeclared is the type of Go that the type is, or is made of.
func (t *typ) predeclared() *typ {
	if t.under != nil {
		return t.under
	}
	return t
}

func same(a, b *typ) bool { return a.name == b.name }

func fieldName(i int) string { return string(rune('a' + i)) }

// literal writes a constant that the type holds.
func (g *generator) literal(t *typ) string {
	switch {
	case t == boolean:
		return []string{"true", "false"}[g.IntN(2)]
	case t.float:
		return floatText(g.floatValue(t))
	}
	v := g.intValue(t) & t.mask()
	if t.signed && v>>(t.bits-1) == 1 {
		return fmt.Sprint(int64(v | ^t.mask()))
	}
	if g.IntN(6) == 0 && v < 1<<62 {
		return fmt.Sprintf("0x%x", v)
	}
	return fmt.Sprint(v)
}

// floatText writes a float as a constant; there is none that is -0.
func floatText(f float64) string {
	s := fmt.Sprintf("%g", f)
	if s == "-0" {
		return "0.0"
	}
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}
