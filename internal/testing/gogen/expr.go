package gogen

import (
	"fmt"
	"strings"
)

// place is something of a type that can be read: a variable, a field or an element.
type place struct {
	text string
	t    *typ
	v    *variable
}

// places lists what can be read, or set, in scope.
func (g *generator) places(fits func(*typ) bool, set bool) (out []place) {
	for _, v := range g.scope {
		if !set || !v.fixed {
			out = g.parts(out, place{v.name, v.t, v}, fits, 0)
		}
	}
	return out
}

func (g *generator) parts(out []place, p place, fits func(*typ) bool, depth int) []place {
	if fits(p.t) {
		out = append(out, p)
	}
	if depth > 2 {
		return out
	}
	switch p.t.kind {
	case structure:
		for i, f := range p.t.fields {
			out = g.parts(out, place{p.text + "." + fieldName(i), f, p.v}, fits, depth+1)
		}
	case array, slice:
		if p.t.n > 0 {
			out = g.parts(out, place{fmt.Sprintf("%s[%d]", p.text, g.IntN(p.t.n)), p.t.elem, p.v}, fits, depth+1)
		}
	case pointer:
		if p.t.elem.kind == structure {
			for i, f := range p.t.elem.fields {
				out = g.parts(out, place{p.text + "." + fieldName(i), f, p.v}, fits, depth+1)
			}
		} else {
			out = g.parts(out, place{"(*" + p.text + ")", p.t.elem, p.v}, fits, depth+1)
		}
	}
	return out
}

// read gives a place of a type: "" where there is none. Later ones are likelier.
func (g *generator) read(fits func(*typ) bool) (string, *typ) {
	all := g.places(fits, false)
	if len(all) == 0 {
		return "", nil
	}
	p := all[max(g.IntN(len(all)), g.IntN(len(all)))]
	p.v.used = true
	return p.text, p.t
}

func is(t *typ) func(*typ) bool { return func(u *typ) bool { return same(t, u) } }

// expr writes an expression of a type, whose value is no constant of Go.
func (g *generator) expr(t *typ, depth int) string {
	switch t.kind {
	case truth:
		return g.condition(depth)
	case array, structure:
		return g.composite(t, depth)
	case number:
		if t.float {
			return g.floatExpr(t, depth)
		}
		return g.intExpr(t, depth)
	}
	panic("gogen: no expressions of " + t.name)
}

// leaf is a variable of the type, else one that is converted to it.
func (g *generator) leaf(t *typ) string {
	if x, _ := g.read(is(t)); x != "" && g.IntN(5) > 0 {
		return x
	}
	if x, u := g.read(func(u *typ) bool { return u.kind == number && (t.float || !u.float) }); x != "" && t.kind == number {
		return g.cast(x, u, t)
	}
	if t == boolean {
		return g.literal(t)
	}
	return g.variableLiteral(t)
}

// variableLiteral is a literal as the value of a call, which to Go is no constant.
func (g *generator) variableLiteral(t *typ) string {
	return fmt.Sprintf("same(%s(%s))", t.name, g.literal(t))
}

// cast converts; from a float to an integer it saturates.
func (g *generator) cast(x string, from, to *typ) string {
	if from.float && !to.float {
		return fmt.Sprintf("%s(%s(float64(%s)))", to.name, saturate(to), x)
	}
	return fmt.Sprintf("%s(%s)", to.name, x)
}

func (g *generator) convert(v *variable, t *typ) string {
	v.used = true
	if v.t.float && !t.float {
		return g.cast(v.name, v.t, t)
	}
	return fmt.Sprintf("%s(%s)", t.name, v.name)
}

// constantFor is a constant that can stand beside an operand of the type.
func (g *generator) constantFor(t *typ) string {
	if g.IntN(4) == 0 {
		for _, c := range g.consts {
			if c.t != nil && same(c.t, t) {
				return c.name
			}
			if c.t == nil && t.bits >= 16 && !t.float {
				return c.name
			}
			if c.t == floatTypes[1] && same(t, floatTypes[1]) {
				return c.name
			}
		}
	}
	return g.literal(t)
}

// operand is an expression or a constant.
func (g *generator) operand(t *typ, depth int) string {
	if g.IntN(3) == 0 {
		return g.constantFor(t)
	}
	return g.expr(t, depth)
}

func (g *generator) binary(t *typ, op string, depth int) string {
	x, y := g.expr(t, depth-1), g.operand(t, depth-1)
	if g.IntN(6) == 0 {
		x, y = y, x
	}
	if t.float && op == "*" {
		return fmt.Sprintf("%s(%s * %s)", t.name, x, y)
	}
	return fmt.Sprintf("(%s %s %s)", x, op, y)
}

func (g *generator) condition(depth int) string {
	if depth <= 0 || g.IntN(10) == 0 {
		if x, _ := g.read(is(boolean)); x != "" {
			return x
		}
	}
	switch g.IntN(10) {
	case 0:
		if depth > 0 {
			return fmt.Sprintf("(%s && %s)", g.condition(depth-1), g.condition(depth-1))
		}
	case 1:
		if depth > 0 {
			return fmt.Sprintf("(%s || %s)", g.condition(depth-1), g.condition(depth-1))
		}
	case 2:
		if depth > 0 {
			return fmt.Sprintf("!%s", g.condition(depth-1))
		}
	case 3:
		if depth > 0 {
			return fmt.Sprintf("(%s %s %s)", g.condition(depth-1), []string{"==", "!="}[g.IntN(2)], g.condition(depth-1))
		}
	case 4:
		if x, t := g.read(func(t *typ) bool { return t.kind == structure || t.kind == array }); x != "" {
			return fmt.Sprintf("(%s %s %s)", x, []string{"==", "!="}[g.IntN(2)], g.composite(t, 0))
		}
	}
	t := g.number()
	return fmt.Sprintf("(%s %s %s)", g.expr(t, depth-1), []string{"<", "<=", ">", ">=", "==", "!="}[g.IntN(6)], g.operand(t, depth-1))
}

// composite is a struct or array: one that there is, or a new one.
func (g *generator) composite(t *typ, depth int) string {
	if g.IntN(2) == 0 {
		if x, _ := g.read(is(t)); x != "" {
			return x
		}
	}
	if depth > 0 && g.IntN(3) == 0 {
		if x := g.call(t, depth); x != "" {
			return x
		}
	}
	var parts []string
	if t.kind == array {
		for range t.n {
			parts = append(parts, g.expr(t.elem, depth-1))
		}
		if g.IntN(4) == 0 {
			parts = parts[:1]
		}
		return "(" + t.name + "{" + strings.Join(parts, ", ") + "})"
	}
	keyed := g.IntN(2) == 0
	for i, f := range t.fields {
		if keyed && g.IntN(3) == 0 {
			continue
		}
		x := g.expr(f, depth-1)
		if keyed {
			x = fieldName(i) + ": " + x
		}
		parts = append(parts, x)
	}
	return "(" + t.name + "{" + strings.Join(parts, ", ") + "})"
}

// call calls a function that changes nothing: "" where none gives the type.
func (g *generator) call(t *typ, depth int) string {
	var fit []*function
	for _, f := range g.funcs {
		if len(f.results) == 1 && same(f.results[0], t) && !f.ptr {
			fit = append(fit, f)
		}
	}
	if len(fit) == 0 {
		return ""
	}
	return g.callOf(fit[g.IntN(len(fit))], depth)
}

// callOf writes a call; of a method on a variable that there is, or a new value.
func (g *generator) callOf(f *function, depth int) string {
	name := f.name
	if f.recv != nil {
		name = g.composite(f.recv, 0) + "." + f.name
	}
	var args []string
	for _, p := range f.params {
		args = append(args, g.expr(p, depth-1))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}
