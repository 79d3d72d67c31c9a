package gogen_test

import "fmt"

// bound is a number as kernels compute the ends of loops: of the tiles of a view, or held within them.
func (g *viewGen) bound() (string, func(m *machine) int) {
	text, of := g.number()
	v := g.pick(func(v viewVar) bool { return !v.windows })
	axis := g.IntN(2)
	tiles := func(m *machine) int {
		v := m.views[v.name]
		return (v.shape[axis] + v.tile[axis] - 1) / v.tile[axis]
	}
	switch g.IntN(5) {
	case 0:
		return fmt.Sprintf("%s.Tiles(%d)", v.name, axis), tiles
	case 1:
		return fmt.Sprintf("max(%s.Tiles(%d)-1, 0)", v.name, axis), func(m *machine) int { return max(tiles(m)-1, 0) }
	case 2:
		return fmt.Sprintf("min(max(%s, 0), %s.Tiles(%d))", text, v.name, axis), func(m *machine) int { return min(max(of(m), 0), tiles(m)) }
	case 3:
		return fmt.Sprintf("min(%s, 9)", text), func(m *machine) int { return min(of(m), 9) }
	}
	k := g.IntN(3)
	return fmt.Sprint(k), func(*machine) int { return k }
}

// truth is a condition: of the launch, of numbers in memory, of both.
func (g *viewGen) truth() (string, func(m *machine) bool) {
	switch g.IntN(6) {
	case 0:
		return "c", func(m *machine) bool { return m.ints["c"] != 0 }
	case 1:
		return "!c", func(m *machine) bool { return m.ints["c"] == 0 }
	case 2:
		a, x := g.truth()
		b, y := g.truth()
		if g.IntN(2) == 0 {
			return fmt.Sprintf("(%s && %s)", a, b), func(m *machine) bool { return x(m) && y(m) }
		}
		return fmt.Sprintf("(%s || %s)", a, b), func(m *machine) bool { return x(m) || y(m) }
	}
	text, of := g.number()
	k := g.IntN(4)
	if g.IntN(3) == 0 {
		return fmt.Sprintf("%s == %d", text, k), func(m *machine) bool { return of(m) == k }
	}
	return fmt.Sprintf("%s > %d", text, k), func(m *machine) bool { return of(m) > k }
}

// join is a number that branches set: a new one, or one that is there, which a loop around may change.
func (g *viewGen) join() step {
	var name string
	var first step
	if len(g.joined) > 0 && g.IntN(3) == 0 {
		name = g.joined[g.IntN(len(g.joined))]
	} else {
		text, of := g.bound()
		name = g.fresh("k")
		first = step{g.line("%s := %s", name, text) + g.line("_ = %s", name), func(m *machine) { m.ints[name] = of(m) }}
		defer func() { g.ints, g.joined = append(g.ints, name, name), append(g.joined, name) }()
	}
	rest := []step{g.sets(name, 2)}
	if first.run != nil {
		rest = append([]step{first}, rest...)
	}
	if g.IntN(2) == 0 {
		rest = append(rest, g.upTo(name))
	}
	return step{texts(rest), func(m *machine) { runAll(rest, m) }}
}

// upTo adds the tiles of a view up to a number, along one axis, in a loop that ends there.
func (g *viewGen) upTo(name string) step {
	v := g.pick(func(v viewVar) bool { return !v.windows })
	i, at := g.fresh("i"), g.IntN(2)
	index := [2]string{"0", "0"}
	index[at] = i
	return step{g.line("for %s := range %s {", i, name) + g.line("\tacc += %s.Load(%s, %s)", v.name, index[0], index[1]) + g.line("}"), func(m *machine) {
		for i := range m.ints[name] {
			index := [2]int{}
			index[at] = i
			v := m.views[v.name]
			v.each(index[0], index[1], func(e, p int) {
				if p >= 0 {
					m.acc[e] += v.data[p]
				}
			})
		}
	}}
}

// sets is a statement that sets a number in a branch, or in one of several.
func (g *viewGen) sets(name string, depth int) step {
	text, of := g.bound()
	set := step{g.line("%s = %s", name, text), func(m *machine) { m.ints[name] = of(m) }}
	if depth == 0 || depth == 1 && g.IntN(2) == 0 {
		return set
	}
	nested := func() step {
		g.indent++
		defer func() { g.indent-- }()
		return g.sets(name, depth-1)
	}
	a, x := g.truth()
	b, y := g.truth()
	one, two, three := nested(), nested(), nested()
	switch g.IntN(3) {
	case 0:
		return step{g.line("if %s {", a) + one.text + g.line("}"), func(m *machine) {
			if x(m) {
				one.run(m)
			}
		}}
	case 1:
		return step{g.line("if %s {", a) + one.text + g.line("} else {") + two.text + g.line("}"), func(m *machine) {
			if x(m) {
				one.run(m)
			} else {
				two.run(m)
			}
		}}
	}
	return step{g.line("switch {") + g.line("case %s:", a) + one.text + g.line("case %s:", b) + two.text + g.line("default:") + three.text + g.line("}"), func(m *machine) {
		switch {
		case x(m):
			one.run(m)
		case y(m):
			two.run(m)
		default:
			three.run(m)
		}
	}}
}

func (g *viewGen) branch() step {
	if g.indent > 2 {
		return g.load()
	}
	cond, holds := g.truth()
	yes, no := g.inner(), g.inner()
	return step{g.line("if %s {", cond) + texts(yes) + g.line("} else {") + texts(no) + g.line("}"), func(m *machine) {
		if holds(m) {
			runAll(yes, m)
		} else {
			runAll(no, m)
		}
	}}
}
