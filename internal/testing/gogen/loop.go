package gogen

import (
	"fmt"
	"strings"
)

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
