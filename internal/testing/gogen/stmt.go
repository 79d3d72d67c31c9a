package gogen

import (
	"fmt"
	"strings"
)

func (g *generator) line(format string, args ...any) {
	fmt.Fprintf(g.b, "%s%s\n", strings.Repeat("\t", g.indent), fmt.Sprintf(format, args...))
}

// statements writes some, until the budget is spent.
func (g *generator) statements() {
	for n := 0; g.budget > 0 && (g.nest == 0 || n < 4); n++ {
		g.budget--
		g.statement()
	}
	if g.nest == 0 {
		g.budget = 0
	}
}

// block writes statements in a scope of their own. sure says that they always run, and once.
func (g *generator) block(sure bool, inner func()) {
	scope, always := len(g.scope), g.always
	g.always = g.always && sure
	g.indent++
	g.nest++
	inner()
	g.unused(scope)
	g.scope = g.scope[:scope]
	g.always = always
	g.indent--
	g.nest--
}

func (g *generator) declareVar(name string, t *typ) *variable {
	v := &variable{name: name, t: t}
	g.scope = append(g.scope, v)
	return v
}

func (g *generator) statement() {
	if g.nest >= 3 {
		g.assign()
		return
	}
	switch n := g.IntN(30); {
	case n < 5:
		g.varDecl()
	case n < 11:
		g.assign()
	case n < 14:
		g.ifStmt()
	case n < 17 && g.on[loops]:
		g.loop()
	case n < 19 && g.on[switches]:
		g.switchStmt()
	case n == 19 && g.on[closures]:
		g.closure()
	case n == 20:
		g.swap()
	case n == 21 && len(g.loops) > 0 || n == 22 && len(g.loops) > 0:
		g.leave()
	case n == 23 && g.on[slices_] && g.always:
		g.sliceVar()
	case n == 24 && g.on[pointers] && g.always:
		g.pointerVar()
	case n == 25 && len(g.funcs) > 0:
		g.callStmt()
	case n == 26 && g.nest > 0 && g.IntN(3) == 0:
		g.line("if %s {", g.condition(1))
		g.line("\treturn %s", g.results())
		g.line("}")
	case n == 27 && g.on[arrays]:
		g.arrayLoop()
	case n == 28:
		g.line("{")
		g.block(true, func() { g.shadow(); g.statements() })
		g.line("}")
	default:
		g.assign()
	}
}

func (g *generator) varDecl() {
	t := g.value()
	name := g.fresh("v")
	switch g.IntN(6) {
	case 0:
		g.line("var %s %s", name, t.name)
	case 1:
		x := g.expr(t, 2)
		g.line("var %s %s = %s", name, t.name, x)
	case 2, 3:
		if t.kind == number { // known when compiled, but a variable: computing with it rounds and wraps
			g.line("%s := %s(%s)", name, t.name, g.literal(t))
			break
		}
		fallthrough
	default:
		x := g.expr(t, 3)
		g.line("%s := %s", name, x)
	}
	g.declareVar(name, t)
}

// shadow declares a variable over another one of its name.
func (g *generator) shadow() {
	for _, v := range g.scope {
		if v.t.kind == number && !strings.ContainsAny(v.name, ".[") && g.IntN(3) == 0 {
			x := g.expr(v.t, 1)
			g.line("%s := %s", v.name, x)
			v.used = true
			n := g.declareVar(v.name, v.t)
			n.fixed = v.fixed
			g.line("_ = %s", v.name)
			n.used = true
			return
		}
	}
}

// target is a place to set; what reaches it through a pointer, too.
func (g *generator) target(fits func(*typ) bool) (string, *typ) {
	all := g.places(fits, true)
	if len(all) == 0 {
		return "", nil
	}
	p := all[g.IntN(len(all))]
	if p.text != p.v.name {
		p.v.used = true // of a part
	}
	return p.text, p.t
}

func (g *generator) assign() {
	x, t := g.target(func(t *typ) bool { return t.kind <= structure })
	if x == "" {
		g.varDecl()
		return
	}
	if t.kind != number || g.IntN(3) == 0 {
		g.line("%s = %s", x, g.expr(t, 3))
		return
	}
	if g.IntN(8) == 0 {
		g.line("%s%s", x, []string{"++", "--"}[g.IntN(2)])
		return
	}
	switch {
	case t.float:
		op := []string{"+", "-", "*", "/"}[g.IntN(4)]
		if op == "/" {
			g.line("%s /= %s", x, g.expr(t, 1))
			return
		}
		g.line("%s %s= %s", x, op, g.operand(t, 2))
	case g.on[shifts] && g.IntN(4) == 0:
		g.line("%s %s= %s", x, []string{"<<", ">>"}[g.IntN(2)], g.count(t, 2))
	case g.on[division] && g.IntN(4) == 0:
		g.line("%s %s= (%s | 1)", x, []string{"/", "%"}[g.IntN(2)], g.expr(t, 1))
	default:
		g.line("%s %s= %s", x, []string{"+", "-", "*", "&", "|", "^", "&^"}[g.IntN(7)], g.operand(t, 2))
	}
}

func (g *generator) swap() {
	x, t := g.target(func(t *typ) bool { return t.kind <= structure })
	if x == "" {
		return
	}
	y, _ := g.target(is(t))
	if x == y || strings.HasPrefix(y, x) || strings.HasPrefix(x, y) {
		g.assign()
		return
	}
	g.markUsed(x)
	g.markUsed(y)
	if g.IntN(2) == 0 {
		g.line("%s, %s = %s, %s", x, y, y, x)
	} else {
		g.line("%s, %s = %s, %s", x, y, g.expr(t, 1), x)
	}
}

func (g *generator) ifStmt() {
	g.line("if %s {", g.condition(2))
	g.block(false, g.statements)
	for g.IntN(3) == 0 {
		g.line("} else if %s {", g.condition(1))
		g.block(false, g.statements)
	}
	if g.IntN(2) == 0 {
		g.line("} else {")
		g.block(false, g.statements)
	}
	g.line("}")
}
