package languagetest_test

import "testing"

// grid is an array of arrays, cloth a struct that holds arrays, a slice and a pointer.
type (
	grid  [2][3]int
	cloth struct {
		a    [3]int
		g    grid
		s    []int
		p    *int
		deep struct{ b [2]int }
	}
)

func (c cloth) spoiled(n int) int { c.a[0], c.s[0], c.g[1][2] = n, n+1, n+2; return c.a[0] + c.g[1][2] }
func (c *cloth) spoil(n int)      { c.a[0], c.s[0], c.g[1][2] = n, n+1, n+2 }
func (g grid) with(n int) grid    { g[0][1] = n; return g }
func (g grid) total() int {
	sum := 0
	for i, row := range g {
		for j, v := range row {
			sum = sum*7 + v*(i+2*j+1)
		}
	}
	return sum
}

func newCloth(n int) cloth {
	p := n
	return cloth{a: [3]int{n, 2, 3}, g: grid{{1, n}, {4, 5, 6}}, s: []int{7, n, 9}, p: &p}
}

func (c *cloth) total() int {
	sum := c.g.total() + *c.p*10007
	for i, v := range c.a {
		sum = sum*5 + v + c.s[i]
	}
	return sum*3 + c.deep.b[0] - c.deep.b[1]
}

// changed gives an array back with one element changed.
func changed[A ~[3]int](a A, n int) A { a[1] += n; return a }

// h is held by interfaces.
type h struct {
	a [3]int
	n int
}

func (x h) total() int { return x.a[0] + x.a[1]*10 + x.n*100 }

// totaler has implementations that are arrays and structs.
type totaler interface{ total() int }

// Arrays and structs are values: every construct that copies one leaves the original alone.
func TestValues(t *testing.T) {
	try(t, []feature{
		{"define and assign", func(n int) int {
			a := [3]int{n, 2, 3}
			b := a
			b[0], a[1] = 10, 20
			var c [3]int
			c = a
			a[2] = 30
			c[1]++
			return a[0] + a[1]*7 + a[2]*49 + b[0]*343 + b[1]*2401 + b[2]*16807 + c[0]*3 + c[1]*5 + c[2]*11
		}},
		{"swap", func(n int) int {
			a, b := [2]int{n, 1}, [2]int{2, 3}
			a, b = b, a
			a[0]++
			g := grid{{n}, {1, 2, 3}}
			g[0], g[1] = g[1], g[0]
			g[0][0], g[1] = g[1][0], g[0]
			i := 0
			i, a[i] = 1, 40
			return a[0] + b[0]*7 + a[1]*49 + b[1]*343 + g.total()*5 + i
		}},
		{"argument and result", func(n int) int {
			a := [3]int{n, 2, 3}
			set := func(x [3]int) [3]int { x[0] = 50; return x }
			b := set(a)
			keep := func() [3]int { return a }
			c := keep()
			c[2] = 9
			return a[0] + b[0]*7 + c[2]*100 + a[2]*1000 + keep()[1]*10000
		}},
		{"named result", func(n int) int {
			f := func(x [3]int) (r [3]int, s [3]int) { r = x; s = r; r[0]++; return }
			a := [3]int{n, 1, 2}
			r, s := f(a)
			return a[0] + r[0]*100 + s[0]*10000
		}},
		{"receivers", func(n int) int {
			c := newCloth(n)
			x := c.spoiled(3)
			y := c.total()
			c.spoil(4)
			f := c.spoiled
			c.a[1] = 77
			z := f(5)
			h := c.spoil
			c.s = []int{1, 2, 3}
			h(6)
			return x + y*3 + z*5 + c.total()*7
		}},
		{"receivers of elements", func(n int) int {
			cs := [2]cloth{newCloth(n), newCloth(2)}
			ps := []*cloth{&cs[0], &cs[1]}
			x := cs[0].spoiled(n) + ps[1].spoiled(8)
			cs[1].spoil(n)
			ps[0].spoil(9)
			return x + cs[0].total()*3 + ps[1].total()*5
		}},
		{"promoted receivers", func(n int) int {
			type outer struct {
				cloth
				*grid
			}
			g := grid{{n, 2, 3}, {4, 5, 6}}
			o := outer{newCloth(n), &g}
			q := o
			q.spoil(3)
			q.grid[0][0] = 70
			h := o.with(n + 1)
			return o.cloth.total() + q.cloth.total()*3 + g.total()*5 + h.total()*7
		}},
		{"range over an array", func(n int) int {
			a, sum := [3]int{n, 2, 3}, 0
			for i, v := range a {
				a[2-i] = v * 10
				sum = sum*3 + v
			}
			g := grid{{n}, {1, 2}}
			for _, row := range g {
				row[0] = 99
				sum += row[0]
			}
			for i := range g {
				row := &g[i]
				row[1] += i + 1
			}
			return sum*100 + a[0] + a[2] + g.total()
		}},
		{"range over pointers and slices", func(n int) int {
			a, sum := [3]int{n, 2, 3}, 0
			for i, v := range &a {
				a[2-i] += v
				sum = sum*3 + v
			}
			s := a[:]
			for i, v := range s {
				a[(i+1)%3] += v
				if i == 0 {
					s = s[:1]
				}
				sum = sum*3 + v
			}
			return sum + len(s)
		}},
		{"fields of literals", func(n int) int {
			a := [3]int{n, 2, 3}
			c := cloth{a: a, s: a[:], p: &a[1]}
			a[0]++
			*c.p += 5
			d := c
			d.s[2] = 60
			d.a[2] = 70
			d.deep.b[1] = n
			d.p = &d.a[0]
			*d.p = 8
			return c.total() + d.total()*3 + a[0] + a[1]*5 + a[2]*7
		}},
		{"elements of elements", func(n int) int {
			g := grid{{n, 2, 3}, {4, 5, 6}}
			row := g[0]
			row[0] = 50
			g[1] = row
			row[1] = 51
			p := &g[0]
			h := g
			p[2] = 52
			h[0][1]++
			s := []grid{g, h}
			g[0][0] = 0
			s[0][1][1]++
			t := [2][]int{s[1][0][:], h[0][:]}
			t[0][0] = 90
			return g.total() + h.total()*3 + s[0].total()*5 + s[1].total()*7 + row[1]
		}},
		{"closures", func(n int) int {
			a := [3]int{n, 2, 3}
			set := func(i, v int) { a[i] = v }
			get := func() [3]int { return a }
			b := a
			set(0, 30)
			c := get()
			a = [3]int{1, 1, 1}
			set(1, 5)
			d := func(a [3]int) int { a[2] = 100; set(2, 6); return a[2] + a[0] }(a)
			return a[0] + a[1]*7 + a[2]*49 + b[0]*343 + c[0]*2401 + d
		}},
		{"closures made in loops", func(n int) int {
			var fs [3]func(int) [2]int
			for i := range 3 {
				a := [2]int{n, i}
				fs[i] = func(k int) [2]int { a[0] += k; return a }
			}
			x, y := fs[0](1), fs[0](2)
			x[1] = 9
			return x[0] + y[0]*10 + fs[1](0)[0]*100 + fs[2](5)[1]*1000 + fs[0](0)[1]*10000 + x[1]
		}},
		{"interfaces", func(n int) int {
			g := grid{{n, 2, 3}, {4, 5, 6}}
			var i totaler = g
			g[0][0] = 70
			j := i
			c := newCloth(n)
			var k totaler = &c
			c.a[0] = 71
			y, ok := any(c.a).([3]int)
			y[2] = 73
			if _, no := any(c.a).([2]int); no || !ok {
				return -1
			}
			var x totaler = h{c.a, n}
			z := x.(h)
			z.a[1], z.n = 74, 75
			return g.total() + i.total()*3 + j.total()*5 + k.total()*7 + y[1] + y[2]*11 + c.a[2]*13 + x.total()*17 + z.total()*19
		}},
		{"comparison", func(n int) int {
			a, b := [3]int{n, 2, 3}, [3]int{5, 2, 3}
			type pair struct {
				a [3]int
				p *int
			}
			m := 0
			p, q := pair{a, &m}, pair{b, &m}
			sum := 0
			if a == b {
				sum++
			}
			b[1]++
			if a != b {
				sum += 10
			}
			if p == q {
				sum += 100
			}
			q.p = new(int)
			if p != q {
				sum += 1000
			}
			var i, j totaler = h{a, n}, h{a, 5}
			if i == j && i == (h{a, n}) {
				sum += 100000
			}
			if any(int32(1)) == any(1) || any(a) == any([2]int{5, 2}) || any(a) == nil {
				sum += 1000000
			}
			if (grid{a}) == (grid{{n, 2, 3}}) && any(p.a) == any(a) {
				sum += 10000
			}
			return sum
		}},
		{"in loops", func(n int) int {
			a, b := [3]int{1, 2, 3}, [3]int{}
			g := grid{{1}, {2}}
			for i := range n {
				b = a
				a[0] += i
				a[1], a[2] = a[2], b[0]
				g[1] = g[0]
				g[0][2] += a[0]
				g = g.with(i)
			}
			return a[0] + a[1]*3 + a[2]*5 + b[0]*7 + b[1]*11 + b[2]*13 + g.total()
		}},
		{"in branches", func(n int) int {
			a := [3]int{n, 2, 3}
			b := a
			if n%3 == 0 {
				b[0] = 9
				a, b = b, a
			} else if n%3 == 1 {
				a = changed(b, n)
			}
			c := a
			if n > 7 {
				c[2] = a[0]
				a[2]++
			}
			switch {
			case n%5 == 0:
				p := &c
				p[1] = 5
			case n%5 == 1:
				s := c[1:]
				s[0] += 7
			}
			return a[0] + a[1]*7 + a[2]*49 + b[0]*343 + b[1]*2401 + c[1]*11 + c[2]*13
		}},
		{"structs in loops and branches", func(n int) int {
			c := newCloth(n)
			d := c
			for i := range n {
				if i%2 == 0 {
					c.spoil(i)
					c.deep.b[0] += i
				} else {
					d.a = c.a
					d.deep = c.deep
					d.g[0] = c.g[1]
				}
				c.a[1] += d.a[0]
			}
			return c.total() + d.total()*3
		}},
		{"generics", func(n int) int {
			type mine [3]int
			a := [3]int{n, 2, 3}
			b := changed(a, 5)
			m := changed(mine(a), 6)
			return a[1] + b[1]*100 + m[1]*10000
		}},
		{"slices alias", func(n int) int {
			a := [5]int{n, 2, 3, 4, 5}
			s := a[1:4]
			u := s[1:3]
			v := append(u[:1], 40)
			u[0], s[0] = 50, 60
			copy(a[2:], s)
			w := append(s[:2:2], 70)
			w[0] = 80
			b := a
			b[1] = 90
			sum := 0
			for i := range a {
				sum = sum*3 + a[i] + b[i]*7
			}
			return sum + len(v) + v[0] + w[2] + w[0] + s[0]
		}},
		{"parameters that are slices", func(n int) int {
			set := func(x []int, v int) []int { x[0] = v; x = x[1:]; x[0] = v + 1; return x }
			a := [4]int{n, 2, 3, 4}
			s := set(a[:], 20)
			t := set(s, 30)
			t = append(t, n)
			t[0]++
			return a[0] + a[1]*7 + a[2]*49 + a[3]*343 + len(t) + t[2]
		}},
		{"pointers", func(n int) int {
			a := [3]int{n, 2, 3}
			p, q := &a, &a[1]
			b := *p
			*q = 20
			*p = [3]int{p[2], p[1], p[0]}
			r := p
			r[0]++
			b[0] = 30
			pp := &p
			(*pp)[2] += 4
			*pp = &b
			p[1] = 40
			return a[0] + a[1]*7 + a[2]*49 + b[0]*343 + b[1]*2401 + *q
		}},
		{"order of calls", func(n int) int {
			k := 0
			next := func() int { k++; return k }
			var a [11]int
			a[next()] = next() * 10
			a[next()], a[next()] = next(), next()
			at := func(x *[11]int) *[11]int { next(); return x }
			at(&a)[next()] += next()
			sum := 0
			for _, v := range a {
				sum = sum*11 + v
			}
			return sum + k + n
		}},
	})
}

// turns keeps the variables of a loop beyond their turns.
func turns(n int) (sum int) {
	var fs []func() int
	var ps []*int
	var as []*[2]int
	for i, j, a := 0, 10, [2]int{1, n}; i < 5; i, j, a[0] = i+1, j-1, a[0]+a[1] {
		fs = append(fs, func() int { i += 100; a[1]++; return i*1000 + j })
		ps, as = append(ps, &j), append(as, &a)
		if i == 2 {
			continue
		}
		a[1] += i
		j += 3
	}
	for k, f := range fs {
		x := f()
		*ps[k] += 7
		sum = sum*3 + x + f()*5 + *ps[k]*7 + as[k][0]*11 + as[k][1]*13
	}
	return sum
}

// Each turn of a loop has variables of its own, which functions and pointers may keep.
func TestTurnsHaveVariables(t *testing.T) { try(t, []feature{{"three clauses", turns}}) }
