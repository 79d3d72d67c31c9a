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

func (g *generator) intExpr(t *typ, depth int) string {
	if depth <= 0 {
		return g.leaf(t)
	}
	switch g.IntN(20) {
	case 0, 1:
		return g.leaf(t)
	case 2, 3, 4, 5:
		op := []string{"+", "-", "*", "+", "-", "*", "&", "|", "^", "&^"}[g.IntN(10)]
		return g.binary(t, op, depth)
	case 6:
		if g.on[shifts] {
			return g.shift(t, depth)
		}
	case 7:
		if g.on[division] {
			return g.divide(t, depth)
		}
	case 8:
		return fmt.Sprintf("(%s%s)", []string{"-", "^", "-"}[g.IntN(3)], g.expr(t, depth-1))
	case 9:
		return fmt.Sprintf("%s(%s, %s)", []string{"min", "max"}[g.IntN(2)], g.expr(t, depth-1), g.operand(t, depth-1))
	case 10, 11:
		return g.narrow(t, depth)
	case 12:
		if x := g.call(t, depth); x != "" {
			return x
		}
	case 13:
		return fmt.Sprintf("choose(%s, %s, %s)", g.condition(depth-1), g.expr(t, depth-1), g.expr(t, depth-1))
	case 14:
		if g.on[floats] && g.on[saturating] {
			f := floatTypes[g.IntN(2)]
			return g.cast(g.expr(f, depth-1), f, t)
		}
	case 15: // a float of whole numbers goes back without help
		if g.on[floats] {
			u := []*typ{basic("int8"), basic("uint8"), basic("int16")}[g.IntN(3)]
			if t.bits >= 32 && t.signed {
				return fmt.Sprintf("%s(%s(%s) * %s)", t.name, floatTypes[g.IntN(2)].name, g.expr(u, depth-1), []string{"0.5", "2", "1.25", "-1"}[g.IntN(4)])
			}
		}
	case 16: // a range that is known
		return g.bounded(t, depth)
	default:
		u := g.number()
		if !u.float {
			return fmt.Sprintf("%s(%s)", t.name, g.expr(u, depth-1))
		}
	}
	return g.binary(t, "+", depth)
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

// shift has a count of any type: one that is signed is masked, as Go panics where it is negative.
func (g *generator) shift(t *typ, depth int) string {
	op := []string{"<<", ">>"}[g.IntN(2)]
	x := g.expr(t, depth-1)
	return fmt.Sprintf("(%s %s %s)", x, op, g.count(t, depth))
}

func (g *generator) count(t *typ, depth int) string {
	switch g.IntN(6) {
	case 0:
		return fmt.Sprint([]int{0, 1, t.bits - 1, t.bits, t.bits + 1, 31, 32, 63, 64, 200}[g.IntN(10)])
	case 1:
		return []string{"uint16(256)", "uint64(1<<32)", "uint64(1<<32 + 1)", "uint64(1<<63)", "^uint32(0)", "uint16(65535)"}[g.IntN(6)]
	}
	u := g.ints[g.IntN(len(g.ints))]
	c := g.expr(u, min(depth-1, 1))
	if u.signed {
		return fmt.Sprintf("(%s & %d)", c, []int{3, 7, 31, 63, 127}[g.IntN(5)])
	}
	if g.IntN(2) == 0 {
		return fmt.Sprintf("(%s %% %d)", c, t.bits+g.IntN(3))
	}
	return c
}

// divide has a divisor that is not zero; the least number by -1 is among what it does.
func (g *generator) divide(t *typ, depth int) string {
	op := []string{"/", "%"}[g.IntN(2)]
	x := g.expr(t, depth-1)
	if g.IntN(2) == 0 {
		for {
			if k := g.literal(t); strings.Trim(k, "0x-") != "" {
				return fmt.Sprintf("(%s %s %s)", x, op, k)
			}
		}
	}
	return fmt.Sprintf("(%s %s (%s | 1))", x, op, g.expr(t, depth-1))
}

// narrow computes in a wider type and keeps the low part, as integers are narrowed by the passes.
func (g *generator) narrow(t *typ, depth int) string {
	wide := basic([]string{"int", "int64", "uint64", "int32", "int"}[g.IntN(5)])
	part := func() string {
		x, u := g.read(func(u *typ) bool { return u.integer() })
		if x == "" {
			return g.variableLiteral(wide)
		}
		if same(u, wide) && g.IntN(2) == 0 {
			return x
		}
		return fmt.Sprintf("%s(%s)", wide.name, x)
	}
	ops := []string{"*", "+", "-", "*", "^", "|", "&"}
	x := fmt.Sprintf("(%s %s %s)", part(), ops[g.IntN(len(ops))], part())
	if g.IntN(3) > 0 {
		x = fmt.Sprintf("(%s %s %s)", x, ops[g.IntN(len(ops))], part())
	}
	switch g.IntN(6) {
	case 0, 1:
		x = fmt.Sprintf("(%s / %d)", x, []int{7, 3, 2, 16, -7, 1000}[g.IntN(5+wide.bits%3%2)])
		if !wide.signed {
			x = strings.ReplaceAll(x, "/ -", "/ ")
		}
	case 2:
		x = fmt.Sprintf("(%s %% %d)", x, []int{7, 3, 2, 16, 1000}[g.IntN(5)])
	case 3:
		x = fmt.Sprintf("(%s >> %d)", x, g.IntN(wide.bits+2))
	case 4:
		x = fmt.Sprintf("%s(%s, %s)", []string{"min", "max"}[g.IntN(2)], x, part())
	case 5:
		x = fmt.Sprintf("(%s / (%s | 1))", x, part())
	}
	return fmt.Sprintf("%s(%s)", t.name, x)
}

// bounded is an expression whose range a compiler can see.
func (g *generator) bounded(t *typ, depth int) string {
	u := g.ints[g.IntN(len(g.ints))]
	x := g.expr(u, depth-1)
	switch g.IntN(4) {
	case 0:
		x = fmt.Sprintf("(%s & %d)", x, []int{1, 7, 15, 100, 127}[g.IntN(5)])
	case 1:
		x = fmt.Sprintf("(%s %% %d)", x, []int{3, 7, 10, 100, 127}[g.IntN(5)])
	case 2:
		x = fmt.Sprintf("(%s >> %d)", x, u.bits-g.IntN(min(u.bits, 8)))
	default:
		x = fmt.Sprintf("min(%s, %d)", x, g.IntN(100))
	}
	if g.IntN(2) == 0 {
		return fmt.Sprintf("(%s - %s(%s))", g.constantFor(t), t.name, x)
	}
	return fmt.Sprintf("(%s(%s) %s %s)", t.name, x, []string{"+", "-", "*", "^"}[g.IntN(4)], g.constantFor(t))
}

func (g *generator) floatExpr(t *typ, depth int) string {
	if depth <= 0 {
		return g.leaf(t)
	}
	switch g.IntN(14) {
	case 0, 1, 2:
		return g.leaf(t)
	case 3, 4, 5, 6, 7:
		return g.binary(t, []string{"+", "-", "*", "*"}[g.IntN(4)], depth)
	case 8:
		return fmt.Sprintf("(%s / %s)", g.expr(t, depth-1), g.expr(t, depth-1))
	case 9:
		return fmt.Sprintf("(-%s)", g.expr(t, depth-1))
	case 10:
		return fmt.Sprintf("%s(%s, %s)", []string{"min", "max"}[g.IntN(2)], g.expr(t, depth-1), g.operand(t, depth-1))
	case 11:
		if x := g.call(t, depth); x != "" {
			return x
		}
	case 12:
		return fmt.Sprintf("choose(%s, %s, %s)", g.condition(depth-1), g.expr(t, depth-1), g.expr(t, depth-1))
	case 13:
		return fmt.Sprintf("%s(%s)", t.name, g.expr(g.number(), depth-1))
	}
	return g.binary(t, "+", depth)
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
