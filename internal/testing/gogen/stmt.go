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

// unused mentions the variables of a scope that nothing reads, as Go wants.
func (g *generator) unused(from int) {
	text := g.b.String()
	for _, v := range g.scope[from:] {
		if !strings.ContainsAny(v.name, ".[") && !reads(text, v.name) {
			g.line("_ = %s", v.name)
		}
	}
}

// reads reports whether a name stands elsewhere than where it is declared or set.
func reads(text, name string) bool {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, set := range []string{"var ", "for ", ""} {
			if rest, ok := strings.CutPrefix(line, set+name+" "); ok {
				line = rest
			}
		}
		if line == name+"++" || line == name+"--" {
			continue
		}
		left, right, declares := strings.Cut(line, " := ")
		if declares && !strings.HasPrefix(line, "for ") && !strings.HasPrefix(line, "switch ") && !strings.ContainsAny(left, "({") {
			line = right
		} else if declares && strings.HasPrefix(line, "for ") && strings.Contains(line, " := range ") {
			line = right
		}
		if left, right, ok := strings.Cut(line, " = "); ok && !strings.ContainsAny(left, "[(.{") {
			line = right
		}
		for at := 0; ; {
			i := strings.Index(line[at:], name)
			if i < 0 {
				break
			}
			at += i + len(name)
			if !word(line, at-len(name)-1) && !word(line, at) {
				return true
			}
		}
	}
	return false
}

// word reports whether the byte at i belongs to a name.
func word(s string, i int) bool {
	return i >= 0 && i < len(s) && (s[i] == '_' || '0' <= s[i] && s[i] <= '9' || 'a' <= s[i] && s[i] <= 'z' || 'A' <= s[i] && s[i] <= 'Z')
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

func (g *generator) markUsed(name string) {
	for _, v := range g.scope {
		if v.name == name {
			v.used = true
		}
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

// enter writes a loop around statements; the head has the label, if it is used.
func (g *generator) enter(head string, sw bool, v *variable, inner func()) {
	l := &loop{label: g.fresh("L"), sw: sw}
	outer, b := g.loops, g.b
	g.loops = append(g.loops[:len(g.loops):len(g.loops)], l)
	g.b = &strings.Builder{}
	g.block(false, func() {
		if v != nil {
			g.scope = append(g.scope, v)
			v.used = true
		}
		inner()
	})
	text := g.b.String()
	g.b, g.loops = b, outer
	if l.used {
		g.indent--
		g.line("%s:", l.label)
		g.indent++
	}
	g.line("%s {", head)
	g.b.WriteString(text)
	g.line("}")
}

func (g *generator) loop() {
	i := g.fresh("i")
	t := g.ints[g.IntN(len(g.ints))]
	in := basic("int")
	n := 1 + g.IntN(6)
	switch g.IntN(9) {
	case 0:
		g.enter(fmt.Sprintf("for %s := 0; %s < %d; %s++", i, i, n, i), false, &variable{name: i, t: in, fixed: true}, g.statements)
	case 1:
		g.enter(fmt.Sprintf("for %s := range %d", i, n), false, &variable{name: i, t: in, fixed: true}, g.statements)
	case 2:
		g.enter(fmt.Sprintf("for range %d", n), false, nil, g.statements)
	case 3: // a bound that is computed
		bound := fmt.Sprintf("%s & %d", g.expr(t, 1), 1|g.IntN(8))
		g.enter(fmt.Sprintf("for %s := range (%s)", i, bound), false, &variable{name: i, t: t, fixed: true}, g.statements)
	case 4: // up to a border of the type, and over it
		top := t.mask()
		if t.signed {
			top >>= 1
		}
		from := top - uint64(g.IntN(4))
		g.enter(fmt.Sprintf("for %s := %s(%d); %s >= %d; %s++", i, t.name, from, i, from, i), false, &variable{name: i, t: t, fixed: true}, g.statements)
	case 5: // down
		g.enter(fmt.Sprintf("for %s := %s(%d); %s > 0; %s %s", i, t.name, n*n, i, i, []string{"--", "/= 2", ">>= 1", "-= " + i}[g.IntN(4)]), false,
			&variable{name: i, t: t, fixed: true}, g.statements)
	case 6: // a condition, and turns that are counted
		cond := g.condition(1)
		g.line("%s := 0", i)
		v := g.declareVar(i, in)
		v.fixed, v.used = true, true
		g.enter(fmt.Sprintf("for %s < %d && %s", i, n, cond), false, nil, func() {
			g.line("%s++", i)
			g.statements()
		})
	case 7: // one that is left from inside
		g.line("%s := 0", i)
		v := g.declareVar(i, in)
		v.fixed, v.used = true, true
		g.enter("for", false, nil, func() {
			g.line("if %s >= %d || %s {", i, n, g.condition(1))
			g.line("\tbreak")
			g.line("}")
			g.line("%s++", i)
			g.statements()
		})
	default: // two variables, one of which the body may change
		j := g.fresh("j")
		x := g.expr(t, 1)
		g.enter(fmt.Sprintf("for %s, %s := 0, %s; %s < %d; %s, %s = %s+1, %s+%s(%s)", i, j, x, i, n, i, j, i, j, t.name, i), false,
			&variable{name: i, t: in, fixed: true}, func() {
				g.declareVar(j, t).used = true
				g.statements()
			})
	}
}

// arrayLoop goes over an array or slice, or over indices that must be known.
func (g *generator) arrayLoop() {
	x, t := g.read(func(t *typ) bool { return (t.kind == array || t.kind == slice) && t.n > 0 })
	if x == "" {
		g.varDecl()
		return
	}
	i, e := g.fresh("i"), g.fresh("e")
	at := &variable{name: x + "[" + i + "]", t: t.elem, fixed: t.elem.kind == array, used: true}
	in := &variable{name: i, t: basic("int"), fixed: true, used: true}
	switch g.IntN(3) {
	case 0:
		g.enter(fmt.Sprintf("for %s, %s := range %s", i, e, x), false, in, func() {
			g.line("_, _ = %s, %s", i, e)
			g.scope = append(g.scope, at, &variable{name: e, t: t.elem, used: true})
			g.assign()
			g.statements()
		})
	case 1:
		g.enter(fmt.Sprintf("for %s := range %s", i, x), false, in, func() {
			g.scope = append(g.scope, at)
			g.assign()
			g.statements()
		})
	default:
		g.enter(fmt.Sprintf("for %s := range unrolled(%d)", i, t.n), false, in, func() {
			g.line("%s = %s", at.name, g.expr(t.elem, 2))
			g.scope = append(g.scope, at)
			g.statements()
		})
	}
}

func (g *generator) leave() {
	l := g.loops[len(g.loops)-1]
	word := "break"
	label := ""
	if g.on[labels] && g.IntN(2) == 0 {
		l = g.loops[g.IntN(len(g.loops))]
		label = " " + l.label
	}
	if !l.sw && g.IntN(2) == 0 {
		word = "continue"
	}
	if word == "continue" && label == "" && l.sw {
		word = "break"
	}
	if label != "" {
		l.used = true
	}
	g.line("if %s {", g.condition(2))
	if g.IntN(2) == 0 {
		g.block(false, g.assign)
	}
	g.line("\t%s%s", word, label)
	g.line("}")
}

func (g *generator) switchStmt() {
	head, tagged := "switch", g.IntN(3) > 0
	t := g.ints[g.IntN(len(g.ints))]
	if tagged {
		switch g.IntN(3) {
		case 0:
			head = fmt.Sprintf("switch %s", g.expr(t, 2))
		case 1:
			s := g.fresh("s")
			head = fmt.Sprintf("switch %s := %s; %s & 7", s, g.expr(t, 1), s)
		default:
			head = fmt.Sprintf("switch %s %% 5", g.expr(t, 1))
		}
	}
	g.enter(head, true, nil, func() {
		cases := 1 + g.IntN(4)
		other := g.IntN(cases + 2)
		seen := map[string]bool{}
		for i := range cases {
			var values []string
			for range 1 + g.IntN(2) {
				k := fmt.Sprint(g.IntN(6))
				if g.IntN(5) == 0 {
					k = g.literal(t)
				}
				if !tagged {
					k = g.condition(1)
				} else if strings.HasPrefix(k, "0x") || seen[k] {
					continue
				}
				seen[k] = true
				values = append(values, k)
			}
			g.indent--
			switch {
			case i == other:
				g.line("default:")
			case len(values) == 0:
				g.indent++
				continue
			default:
				g.line("case %s:", strings.Join(values, ", "))
			}
			g.indent++
			g.block(false, func() { g.indent--; g.statements(); g.indent++ })
			if i < cases-1 && g.IntN(5) == 0 {
				g.line("fallthrough")
				g.indent--
				g.line("case %s:", map[bool]string{true: g.literalBut(t, seen), false: g.condition(1)}[tagged])
				g.indent++
				g.assign()
			}
		}
	})
}

// literalBut is a constant that is none of those seen, in decimal.
func (g *generator) literalBut(t *typ, seen map[string]bool) string {
	for {
		if k := fmt.Sprint(g.IntN(120)); !seen[k] {
			seen[k] = true
			return k
		}
	}
}

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
