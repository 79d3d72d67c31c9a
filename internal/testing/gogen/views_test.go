package gogen_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// view is a part of a tensor of rank 2, as the reference has it: places in flat data.
type view struct {
	data         []int32
	base         int
	shape, step  [2]int
	window       [2]int // elements between tiles
	tile         [2]int
	inout, moved bool // moved: a view of windows
}

// slice is the part from one element to another along an axis.
func (v view) slice(axis, from, to int) view {
	from = max(0, min(from, v.shape[axis]))
	to = max(from, min(to, v.shape[axis]))
	v.base += from * v.step[axis]
	v.shape[axis] = to - from
	return v
}

// each visits the elements of the tile at an index: at is the place in the data, -1 outside.
func (v view) each(i, j int, f func(k, at int)) {
	for a := range v.tile[0] {
		for b := range v.tile[1] {
			r, c, at := i*v.window[0]+a, j*v.window[1]+b, -1
			if 0 <= r && r < v.shape[0] && 0 <= c && c < v.shape[1] {
				at = v.base + r*v.step[0] + c*v.step[1]
			}
			f(a*v.tile[1]+b, at)
		}
	}
}

// machine is the reference's variables while it runs.
type machine struct {
	views map[string]view
	ints  map[string]int
	acc   []int32
}

// step is a statement: as text, and what it does.
type step struct {
	text string
	run  func(m *machine)
}

// viewProgram is a kernel over an In, an InOut and a few numbers, one block, that composes views; with the reference beside it.
type viewProgram struct {
	seed  uint64
	tile  [2]int
	x, y  [2]int // extents
	swap  bool   // x lies in memory with its rows side by side
	n, u  int    // a number of the launch, and one in memory
	c     bool
	body  []step
	decls string
}

// viewGen writes one.
type viewGen struct {
	*rand.Rand
	p      *viewProgram
	views  []viewVar
	ints   []string
	joined []string // of ints, those that can be set
	names  int
	indent int
}

type viewVar struct {
	name           string
	inout, windows bool
	constant       bool // cannot be assigned: in scope of a loop or branch around
}

func generateViews(seed uint64) *viewProgram {
	g := &viewGen{Rand: rand.New(rand.NewPCG(seed, 77)), p: &viewProgram{seed: seed}, indent: 1}
	for i := range 2 {
		g.p.tile[i], g.p.x[i], g.p.y[i] = 1<<g.IntN(3), 1+g.IntN(9), 1+g.IntN(9)
	}
	g.p.swap, g.p.n = g.IntN(3) == 0, g.IntN(5)
	g.views = []viewVar{{name: "x"}, {name: "y", inout: true}}
	g.p.u, g.p.c = g.IntN(6)-1, g.IntN(2) == 0
	g.ints = []string{"n", "u"}
	g.p.body = g.steps(4 + g.IntN(9))
	return g.p
}

func (g *viewGen) steps(n int) (out []step) {
	for range n {
		out = append(out, g.step())
	}
	return out
}

func (g *viewGen) fresh(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// number is a small integer: an expression, and its value.
func (g *viewGen) number() (string, func(m *machine) int) {
	k := g.IntN(6) - 1
	if g.IntN(2) == 0 {
		return fmt.Sprint(k), func(*machine) int { return k }
	}
	name := g.ints[g.IntN(len(g.ints))]
	if g.IntN(2) == 0 {
		return name, func(m *machine) int { return m.ints[name] }
	}
	return fmt.Sprintf("%s+%d", name, k), func(m *machine) int { return m.ints[name] + k }
}

// pick chooses a view; set wants one that can be stored to.
func (g *viewGen) pick(fits func(v viewVar) bool) viewVar {
	for {
		if v := g.views[g.IntN(len(g.views))]; fits(v) {
			return v
		}
	}
}

// value is an expression of a view: a variable, or a slice of one.
func (g *viewGen) value(v viewVar, depth int) (string, func(m *machine) view) {
	if v.windows || depth == 0 || g.IntN(3) == 0 {
		return v.name, func(m *machine) view { return m.views[v.name] }
	}
	text, of := g.value(v, depth-1)
	axis := g.IntN(2)
	from, a := g.number()
	to, b := g.number()
	run := func(m *machine) view { return of(m).slice(axis, a(m), b(m)) }
	switch {
	case g.IntN(4) == 0 && !v.inout:
		return fmt.Sprintf("cut(%s, %d, %s, %s)", text, axis, from, to), run
	case g.IntN(5) == 0 && !v.inout:
		return fmt.Sprintf("part{%s, %d}.of(%s, %s)", text, axis, from, to), run
	}
	return fmt.Sprintf("%s.Slice(%d, %s, %s)", text, axis, from, to), run
}

func (g *viewGen) line(format string, args ...any) string {
	return strings.Repeat("\t", g.indent) + fmt.Sprintf(format, args...) + "\n"
}

func (g *viewGen) step() step {
	switch g.IntN(15) {
	case 9, 10, 11:
		return g.join()
	case 0, 1: // a variable
		v := g.pick(func(v viewVar) bool { return !v.windows })
		text, of := g.value(v, 2)
		name := g.fresh("v")
		g.views = append(g.views, viewVar{name: name, inout: v.inout})
		return step{g.line("%s := %s", name, text) + g.line("_ = %s", name), func(m *machine) { m.views[name] = of(m) }}
	case 2:
		v := g.pick(func(v viewVar) bool { return !v.windows })
		text, of := g.value(v, 1)
		name, word := g.fresh("w"), "WindowsOf"
		if v.inout {
			word += "InOut"
		}
		w := [2]int{1 + g.IntN(3), 1 + g.IntN(3)}
		g.views = append(g.views, viewVar{name: name, inout: v.inout, windows: true})
		return step{g.line("%s := tile.%s[T](%s, %d, %d)", name, word, text, w[0], w[1]) + g.line("_ = %s", name), func(m *machine) {
			v := of(m)
			v.window = w
			m.views[name] = v
		}}
	case 3, 4:
		return g.store()
	case 5, 6:
		return g.loop()
	case 7:
		return g.branch()
	case 8: // extents
		v := g.pick(func(v viewVar) bool { return !v.windows })
		text, of := g.value(v, 1)
		axis := g.IntN(2)
		return step{g.line("acc += T(tile.I32(%s.Len(%d)))", text, axis), func(m *machine) {
			n := int32(of(m).shape[axis])
			for k := range m.acc {
				m.acc[k] += n
			}
		}}
	}
	return g.load()
}

// load adds a tile, or two of different parts of one view.
func (g *viewGen) load() step {
	v := g.pick(func(viewVar) bool { return true })
	k := int32(1 + g.IntN(5))
	text, of := g.value(v, 2)
	i, at := g.number()
	j, to := g.number()
	add := func(m *machine, of func(m *machine) view) {
		of(m).each(at(m), to(m), func(e, p int) {
			if p >= 0 {
				m.acc[e] += of(m).data[p]
			}
		})
	}
	if g.IntN(3) == 0 {
		text2, of2 := g.value(v, 2)
		return step{g.line("acc = acc*%d + (%s.Load(%s, %s) + %s.Load(%s, %s))", k, text, i, j, text2, i, j), func(m *machine) {
			for e := range m.acc {
				m.acc[e] *= k
			}
			add(m, of)
			add(m, of2)
		}}
	}
	return step{g.line("acc = acc*%d + %s.Load(%s, %s)", k, text, i, j), func(m *machine) {
		for e := range m.acc {
			m.acc[e] *= k
		}
		add(m, of)
	}}
}

func (g *viewGen) store() step {
	v := g.pick(func(v viewVar) bool { return v.inout })
	text, of := g.value(v, 2)
	i, at := g.number()
	j, to := g.number()
	k := int32(g.IntN(9))
	return step{g.line("%s.Store(acc+%d, %s, %s)", text, k, i, j), func(m *machine) {
		v := of(m)
		v.each(at(m), to(m), func(e, p int) {
			if p >= 0 {
				v.data[p] = m.acc[e] + k
			}
		})
	}}
}

// inner is statements in a scope of their own.
func (g *viewGen) inner(ints ...string) []step {
	views, old, joined := len(g.views), len(g.ints), len(g.joined)
	g.ints = append(g.ints, ints...)
	g.indent++
	body := g.steps(1 + g.IntN(4))
	g.indent--
	g.views, g.ints, g.joined = g.views[:views], g.ints[:old], g.joined[:joined]
	return body
}

func texts(body []step) (s string) {
	for _, b := range body {
		s += b.text
	}
	return s
}

func runAll(body []step, m *machine) {
	for _, b := range body {
		b.run(m)
	}
}

func (g *viewGen) loop() step {
	if g.indent > 2 {
		return g.load()
	}
	name := g.fresh("i")
	count, n := "n", func(m *machine) int { return m.ints["n"] }
	switch g.IntN(3) {
	case 0:
		k := 1 + g.IntN(4)
		count, n = fmt.Sprint(k), func(*machine) int { return k }
	case 1:
		count, n = g.number()
	}
	body := g.inner(name)
	return step{g.line("for %s := range %s {", name, count) + g.line("\t_ = %s", name) + texts(body) + g.line("}"), func(m *machine) {
		for i := range n(m) {
			m.ints[name] = i
			runAll(body, m)
		}
	}}
}
