package gogen

import (
	"strings"
)

// closure declares one that captures and changes variables, and calls it.
func (g *generator) closure() {
	f := g.fresh("f")
	p, r := g.number(), g.number()
	x := g.fresh("x")
	g.line("%s := func(%s %s) %s {", f, x, p.name, r.name)
	result, loops := g.result, g.loops
	g.result, g.loops = []*typ{r}, nil
	g.block(false, func() {
		g.declareVar(x, p)
		for range 1 + g.IntN(3) {
			g.assign()
		}
		if g.IntN(2) == 0 {
			g.ifStmt()
		}
		g.line("return %s", g.expr(r, 1))
	})
	g.result, g.loops = result, loops
	g.line("}")
	for range 1 + g.IntN(2) {
		name := g.fresh("v")
		g.line("%s := %s(%s)", name, f, g.expr(p, 1))
		g.declareVar(name, r)
	}
}

// sliceVar makes a slice of an array, or of another slice, and what shares its elements.
func (g *generator) sliceVar() {
	name := g.fresh("s")
	var all []place
	for _, p := range g.places(func(t *typ) bool { return (t.kind == array || t.kind == slice) && t.n >= 2 }, true) {
		if !strings.Contains(p.text, "(") {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		t := g.number()
		n := 2 + g.IntN(3)
		var elems []string
		for range n {
			elems = append(elems, g.expr(t, 1))
		}
		g.line("%s := []%s{%s}", name, t.name, strings.Join(elems, ", "))
		g.declareVar(name, sliceOf(t, n))
		return
	}
	p := all[g.IntN(len(all))]
	p.v.used = true
	switch g.IntN(5) {
	case 0:
		if p.t.kind == slice {
			g.line("%s := append(%s[:%d], %s)", name, p.text, p.t.n-1, g.expr(p.t.elem, 1))
			g.declareVar(name, sliceOf(p.t.elem, p.t.n))
			return
		}
		fallthrough
	case 1:
		g.line("%s := append([]%s{%s}, %s[:]...)", name, p.t.elem.name, g.expr(p.t.elem, 1), p.text)
		g.declareVar(name, sliceOf(p.t.elem, p.t.n+1))
	case 2:
		g.line("%s := make([]%s, %d)", name, p.t.elem.name, p.t.n)
		g.line("copy(%s, %s[%d:])", name, p.text, g.IntN(2))
		g.declareVar(name, sliceOf(p.t.elem, p.t.n))
	default:
		from := g.IntN(p.t.n)
		to := from + 1 + g.IntN(p.t.n-from)
		g.line("%s := %s[%d:%d]", name, p.text, from, to)
		g.declareVar(name, sliceOf(p.t.elem, to-from))
	}
}

// pointerVar takes the address of a place.
func (g *generator) pointerVar() {
	var all []place
	for _, p := range g.places(func(t *typ) bool { return t.kind <= structure }, true) {
		if !strings.Contains(p.text, "(") {
			all = append(all, p)
		}
	}
	if len(all) == 0 {
		return
	}
	p := all[g.IntN(len(all))]
	p.v.used = true
	name := g.fresh("q")
	g.line("%s := &%s", name, p.text)
	g.declareVar(name, pointerTo(p.t))
}

// callStmt calls a function for its results, and its effects on the receiver.
func (g *generator) callStmt() {
	f := g.funcs[g.IntN(len(g.funcs))]
	call := ""
	if f.recv != nil && f.ptr {
		x, _ := g.target(is(f.recv))
		if x == "" || strings.Contains(x, "(") {
			x = g.fresh("v")
			g.line("var %s %s", x, f.recv.name)
			g.declareVar(x, f.recv).used = true
		}
		g.markUsed(x)
		var args []string
		for _, p := range f.params {
			args = append(args, g.expr(p, 1))
		}
		call = x + "." + f.name + "(" + strings.Join(args, ", ") + ")"
	} else {
		call = g.callOf(f, 1)
	}
	var names []string
	for range f.results {
		names = append(names, g.fresh("v"))
	}
	g.line("%s := %s", strings.Join(names, ", "), call)
	for i, t := range f.results {
		g.declareVar(names[i], t)
	}
}
