package eval_test

type grid struct {
	rows [2][2]int
	at   point
	tags []int
}

func (g grid) changed(k int) grid {
	g.rows[1][0] += k
	g.at.in.k = k
	g.tags[0] += k // the copy shares what the slice refers to
	return g
}

func (g *grid) swapRows() { g.rows[0], g.rows[1] = g.rows[1], g.rows[0] }

func (g grid) sum() int {
	return g.rows[0][0] + 3*g.rows[0][1] + 5*g.rows[1][0] + 7*g.rows[1][1] + 11*g.at.sum() + 13*g.tags[0] + 17*g.tags[1]
}

func newGrid(x, y int) grid {
	return grid{rows: [2][2]int{{x, y}, {1, 2}}, at: point{x: y, y: x}, tags: []int{x, 5}}
}

func setAll(a [3]int, s []int, p *[3]int, v int) [3]int {
	a[0], s[1], p[2] = v, v+1, v+2
	return a
}

// valueGames changes copies, and what several names share.
var valueGames = map[string]func(x, y int) int{
	"builtins": func(x, y int) int {
		a := [4]int{x, y, x + y, 7}
		s := a[1:3:4]
		n := copy(a[1:], a[:3]) + 10*cap(s) + 100*len(a)
		if x > 0 {
			clear(s[:1])
		}
		s = append(s, y-x)
		clear(a[:0])
		t := append([]int(nil), a[:]...)
		clear(t)
		clear([]int(nil))
		p := []point{{x: x, y: y}, {x: y}}
		clear(p[:1])
		q := new(int)
		*q = min(x, y, 5) + 3*max(x, y, -5)
		return n + a[0] + 3*a[1] + 5*a[2] + 7*a[3] + 11*s[0] + t[0] + 13*p[0].sum() + 17*p[1].sum() + *q + len(make([]int, 3, 4))
	},
	"assignment": func(x, y int) int {
		g := newGrid(x, y)
		h := g
		h.rows[0][1] = 100
		h.tags[1] = 50
		k := h.rows
		k[1][1] = -1
		h.rows[1] = k[0]
		return g.sum()*31 + h.sum() + k[1][1]
	},
	"overlapping copy in a loop": func(x, y int) int {
		a := []int{x, y, 3, 4}
		b := [4]int{1, 2, 3, 4}
		for i := range y & 7 {
			copy(a[1:], a)
			copy(b[:3], b[1:])
			b[3] = a[3] + i
			a[0] += i
		}
		if x > y {
			copy(a[2:], a[1:])
			a = append(a[:1], a[:3]...)
		}
		return a[0] + 3*a[1] + 5*a[2] + 7*a[3] + 11*b[0] + 13*b[1] + 17*b[2] + 19*b[3]
	},
	"dynamic assignment": func(x, y int) int {
		g := newGrid(x, y)
		h := g
		if x > y {
			h.rows[0][1]++
			g.tags[0]--
			h = g
		}
		h.at.x = 7
		for i := range y & 3 {
			g.at = h.at
			h.at.y += i
			g, h = h, g
		}
		return g.sum()*31 + h.sum()
	},
	"parameters and results": func(x, y int) int {
		a, b, c := [3]int{x, y, 1}, [3]int{1, 2, 3}, [3]int{}
		d := setAll(a, b[:], &c, y)
		d[1]++
		e := setAll(a, a[:], &a, x)
		return a[0] + 3*a[1] + 5*a[2] + 7*b[1] + 11*c[2] + 13*d[0] + 17*d[1] + 19*e[0] + 23*e[1] + 29*e[2]
	},
	"receivers": func(x, y int) int {
		g := newGrid(x, y)
		h := g.changed(y)
		f, s := g.changed, g.sum
		g.swapRows()
		p := &h
		p.swapRows()
		k := p.changed(1)
		if x > 0 {
			(*p).swapRows()
		}
		return g.sum() + 3*h.sum() + 5*k.sum() + 7*f(x).sum() + 11*s()
	},
	"ranges": func(x, y int) int {
		a := [4]int{x, y, 3, 4}
		n := 0
		for i, v := range a {
			a[3-i] += v // the range goes over a copy
			n = n*3 + v
		}
		for i, v := range a[:] {
			a[3-i] -= v
			n = n*3 + v
		}
		for i, v := range &a {
			if x > y {
				a[(i+1)%4] += v
			}
			n = n*3 + v
		}
		m := [2][2]int{{x, 1}, {y, 2}}
		for _, row := range m {
			row[0] = 9
			n += row[0] + row[1]
		}
		s := []int{1, 2}
		for _, v := range s {
			s = append(s, v)
			s[0] += x
		}
		return n + m[0][0] + 5*len(s) + s[0]
	},
	"literals": func(x, y int) int {
		p := point{x: x}
		a := [2]point{p, {x: y}}
		b := []*point{&p, &a[1], {x: 3}}
		c := struct {
			point
			list [2]*point
		}{p, [2]*point{&p, b[2]}}
		p.x++
		b[1].y = 5
		c.list[1].y = y
		c.x *= 2
		if y > 0 {
			b[0].y = c.list[1].x
		}
		return p.sum() + 3*a[0].sum() + 5*a[1].sum() + 7*b[2].sum() + 11*c.sum() + 13*c.list[0].sum()
	},
	"captures": func(x, y int) int {
		a, p := [2]int{x, y}, point{x: 1}
		get := func() ([2]int, point) { return a, p }
		put := func(v int) { a[1], p.y = v, v }
		b, q := get()
		put(x + 1)
		c, r := get()
		if y > 3 {
			put(77)
		}
		a[0]++
		return a[0] + a[1]*3 + b[0]*5 + b[1]*7 + c[1]*11 + p.y + q.y*3 + r.y*5
	},
	"swaps": func(x, y int) int {
		a := [3]int{x, y, 5}
		i := 0
		i, a[i] = 2, 9
		a[i], a[0], a[1] = a[0], a[1], a[2]
		m := [2][2]int{{x, 2}, {3, y}}
		m[0], m[1] = m[1], m[0]
		m[0][0], m[1] = m[1][1], m[0]
		s, t := a[:2], a[1:]
		s[0], s[1], t[1] = t[1], s[0], t[0]
		s, t = t, s
		s[0] += 4
		t[0], s[1] = s[1], t[0]
		return a[0] + 3*a[1] + 5*a[2] + 7*m[0][0] + 11*m[0][1] + 13*m[1][0] + 17*m[1][1] + 19*i
	},
	"nested": func(x, y int) int {
		var m [2]struct{ rows [2][2]int }
		m[0].rows[1] = [2]int{x, y}
		row := m[0].rows[1]
		row[0]++
		r := &m[0].rows[1]
		s := m[0].rows[:]
		cell := &s[1][1]
		m[1] = m[0]
		r[0] += 5
		*cell *= 2
		s[0] = *r
		r[1]--
		return m[0].rows[0][0] + 3*m[0].rows[0][1] + 5*m[0].rows[1][0] + 7*m[0].rows[1][1] + 11*m[1].rows[1][0] + 13*m[1].rows[1][1] + 17*row[0]
	},
	"slices of slices": func(x, y int) int {
		a := [6]int{x, y, 2, 3, 4, 5}
		s := a[1:4]
		t := s[1:5]
		u := s[:2:2]
		t[0], t[3] = 10, x
		s = append(s, 40) // into a
		u = append(u, 50) // into a new array
		v := append(s[:1], 60, 70)
		u[0] = 80
		n := copy(a[1:], a[:4])
		n += copy(t, []int{1})*7 + cap(s)*11 + cap(u[:2])/2*0 + len(t)*13
		return n + a[0] + 3*a[1] + 5*a[2] + 7*a[3] + 11*a[4] + 13*a[5] + 17*u[2] + 19*v[2] + 23*len(s) + 29*s[3]
	},
	"pointers": func(x, y int) int {
		a, b := point{x: x}, point{x: y}
		p, q := &a, &b
		pp := &p
		*p, *q = *q, *p
		(*pp).y = 3
		*pp = q
		p.y = 4
		c := *p
		p.x++
		d := []point{a, b}
		e := &d[0]
		d[0].y += 10
		e.x -= 1
		if x > 2 {
			*e = *q
		}
		return a.sum() + 3*b.sum() + 5*c.sum() + 7*d[0].sum() + 11*d[1].sum() + bit(p == q) + 2*bit(e == &d[0]) + 4*bit(a == b)
	},
	"comparisons": func(x, y int) int {
		a, b := [2]point{{x: x}, {y: y}}, [2]point{{x: y}, {y: x}}
		var i, j any = a, b
		c := a
		c[1].y++
		return bit(a == b) + 2*bit(i == j) + 4*bit(a == c) + 8*bit(i == any(a)) + 16*bit(i != any(x)) + 32*bit(point{x: 1} == point{x: x})
	},
	"interfaces hold copies": func(x, y int) int {
		a := [2]int{x, y}
		var i any = a
		a[0] = 5
		b := i.([2]int)
		b[1] = 6
		c := i.([2]int)
		return a[0] + 3*b[0] + 5*b[1] + 7*c[0] + 11*c[1]
	},
	"arrays of slices": func(x, y int) int {
		s := []int{x, y, 1, 2}
		a := [2]int(s)
		b := [2][]int{s[:2], s[2:]}
		c := b
		c[0][1], c[1] = 9, nil
		b[1][0]++
		a[0]--
		return a[0] + 3*a[1] + 5*s[1] + 7*s[2] + len(b[1]) + 11*len(c[1]) + s[0]
	},
	"several results": func(x, y int) int {
		two := func() ([2]int, point) { return [2]int{x, 1}, point{x: y} }
		a, p := two()
		b, q := two()
		a[1], q.y = 5, 6
		a, p = two()
		var i, j any = two()
		take := func(i, j any) int { return i.([2]int)[0] + j.(point).x }
		return a[1] + b[1]*3 + p.y*5 + q.y*7 + i.([2]int)[0] + j.(point).x*3 + take(two())
	},
	"loop variables": func(x, y int) int {
		n := 0
		for i, a := 0, [2]int{x, y}; i < y&7; i++ {
			b := a
			b[0] += i
			add := func() { i++; a[1] -= b[0] }
			add()
			n = n*3 + b[0] + a[1] + i
		}
		return n
	},
}
