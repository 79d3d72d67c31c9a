package gogen

import (
	"fmt"
	"strings"
)

// declare writes the constants, types and helper functions of a program.
func (g *generator) declare() {
	for range g.IntN(3) {
		g.constant()
	}
	if g.IntN(4) == 0 { // a type of numbers of its own
		u := g.ints[0]
		t := *u
		t.name, t.under = g.fresh("num")+mark, u
		g.decls = append(g.decls, fmt.Sprintf("type %s %s", t.name, u.name))
		g.ints = append(g.ints, &t)
	}
	if g.on[structs] {
		for range 1 + g.IntN(2) {
			g.structType()
		}
	}
	if g.on[calls] {
		for range 1 + g.IntN(2) {
			g.helper()
		}
	}
	if g.on[generics] {
		g.generic()
	}
}

func (g *generator) constant() {
	name := g.fresh("c") + mark
	switch g.IntN(4) {
	case 0: // more than 64 bits on the way
		k := 60 + g.IntN(60)
		text := fmt.Sprintf("1<<%d + %d>>1 - 1<<%d + %d", k, g.IntN(100), k, g.IntN(100))
		g.decls = append(g.decls, fmt.Sprintf("const %s = %s", name, text))
		g.consts = append(g.consts, constant{name: name})
	case 1:
		g.decls = append(g.decls, fmt.Sprintf("const %s = %d.0 / %d.0 * %d", name, 1+g.IntN(99), 1+g.IntN(9), 1+g.IntN(1000)))
		g.consts = append(g.consts, constant{name: name, t: floatTypes[1]})
	default:
		t := g.number()
		g.decls = append(g.decls, fmt.Sprintf("const %s %s = %s", name, t.name, g.literal(t)))
		g.consts = append(g.consts, constant{name: name, t: t})
	}
}

// structType declares a struct, and perhaps methods.
func (g *generator) structType() {
	t := &typ{kind: structure, name: g.fresh("rec") + mark}
	var fields []string
	for i := range 2 + g.IntN(3) {
		f := g.number()
		switch {
		case g.IntN(8) == 0:
			f = boolean
		case g.IntN(4) == 0 && len(g.types) > 0:
			f = g.types[g.IntN(len(g.types))]
		case g.IntN(4) == 0:
			f = arrayOf(2+g.IntN(2), f)
		}
		t.fields = append(t.fields, f)
		fields = append(fields, fieldName(i)+" "+f.name)
	}
	g.decls = append(g.decls, fmt.Sprintf("type %s struct {\n\t%s\n}", t.name, strings.Join(fields, "\n\t")))
	g.types = append(g.types, t)
	if g.IntN(2) == 0 {
		f := &function{name: g.fresh("m"), recv: t, ptr: g.IntN(2) == 0, params: []*typ{g.number()}, results: []*typ{g.number()}}
		g.function(f)
		g.funcs = append(g.funcs, f)
	}
}

// value chooses a type of variables that live in registers: mostly numbers.
func (g *generator) value() *typ {
	switch g.IntN(10) {
	case 0:
		return boolean
	case 1, 2:
		if len(g.types) > 0 {
			return g.types[g.IntN(len(g.types))]
		}
	case 3:
		if g.on[arrays] {
			e := g.number()
			if len(g.types) > 0 && g.IntN(4) == 0 {
				e = g.types[0]
			}
			return arrayOf(2+g.IntN(3), e)
		}
	}
	return g.number()
}

func (g *generator) helper() {
	f := &function{name: g.fresh("help") + mark}
	for range 1 + g.IntN(3) {
		f.params = append(f.params, g.value())
	}
	for range 1 + g.IntN(2) {
		f.results = append(f.results, g.value())
	}
	g.function(f)
	g.funcs = append(g.funcs, f)
}

// generic declares a function over numbers, which is used with several types.
func (g *generator) generic() {
	name := g.fresh("gen") + mark
	constraint := "~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~float32 | ~float64"
	body := []string{
		"if x > y {\n\t\treturn x - y\n\t}\n\treturn T(x * y) + %s",
		"s := x\n\tfor range 3 {\n\t\ts = T(s*y) + %s\n\t}\n\treturn s",
		"var z T\n\tz -= x\n\tif z == y {\n\t\tz += %s\n\t}\n\treturn min(z, max(y, x))",
		"a := [3]T{x, y, %s}\n\tfor i, v := range a {\n\t\ta[2] += v\n\t\tif i == 1 {\n\t\t\ta[0] = a[2]\n\t\t}\n\t}\n\treturn a[0] - a[2]",
	}[g.IntN(4)]
	g.decls = append(g.decls, fmt.Sprintf("func %s[T %s](x, y T) T {\n\t%s\n}", name, constraint, fmt.Sprintf(body, fmt.Sprint(g.IntN(100)))))
	for range 2 {
		t := g.number()
		call := name
		if g.IntN(2) == 0 {
			call += "[" + t.name + "]"
		}
		g.funcs = append(g.funcs, &function{name: call, params: []*typ{t, t}, results: []*typ{t}})
	}
}

// function writes a function of this signature.
func (g *generator) function(f *function) {
	scope, always, loops, result, b, indent, nest, budget := g.scope, g.always, g.loops, g.result, g.b, g.indent, g.nest, g.budget
	defer func() {
		g.scope, g.always, g.loops, g.result, g.b, g.indent, g.nest = scope, always, loops, result, b, indent, nest
		if f.name != "entry"+mark {
			g.budget = budget
		}
	}()
	if f.name != "entry"+mark {
		g.budget = 2 + g.IntN(4)
	}
	g.scope, g.always, g.loops, g.result, g.b, g.indent, g.nest = nil, true, nil, f.results, &strings.Builder{}, 0, 0
	recv := ""
	if f.recv != nil {
		recv = "(r " + f.recv.name + ") "
		if f.ptr {
			recv = "(r *" + f.recv.name + ") "
		}
		for i, t := range f.recv.fields {
			g.scope = append(g.scope, &variable{name: "r." + fieldName(i), t: t, used: true})
		}
	}
	var params, results []string
	for i, t := range f.params {
		name := fmt.Sprintf("p%d", i)
		params = append(params, name+" "+t.name)
		g.scope = append(g.scope, &variable{name: name, t: t, used: true})
	}
	named := g.IntN(3) == 0
	for i, t := range f.results {
		text := t.name
		if named {
			text = fmt.Sprintf("r%d %s", i, t.name)
			g.scope = append(g.scope, &variable{name: fmt.Sprintf("r%d", i), t: t, used: true})
		}
		results = append(results, text)
	}
	g.line("func %s%s(%s) (%s) {", recv, f.name, strings.Join(params, ", "), strings.Join(results, ", "))
	g.indent++
	g.statements()
	bare := named && g.IntN(3) == 0
	g.unused(0)
	if bare {
		g.line("return")
	} else {
		g.line("return %s", g.results())
	}
	g.indent--
	g.line("}")
	g.decls = append(g.decls, strings.TrimSuffix(g.b.String(), "\n"))
}

// results writes a value for each result: of the entry a mixture of variables, so that little is computed in vain.
func (g *generator) results() string {
	var out []string
	for _, t := range g.result {
		x := g.expr(t, 2)
		if t.kind == number {
			for i := len(g.scope) - 1; i >= 0 && i >= len(g.scope)-5; i-- {
				if v := g.scope[i]; v.t.kind == number && g.IntN(2) == 0 {
					op := " + "
					if !t.float && g.IntN(2) == 0 {
						op = " ^ "
					}
					x = x + op + g.convert(v, t)
				}
			}
		}
		out = append(out, x)
	}
	return strings.Join(out, ", ")
}
