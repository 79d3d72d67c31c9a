package gogen

import (
	"fmt"
	"strings"
)

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
