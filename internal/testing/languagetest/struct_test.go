package languagetest_test

import "testing"

// counter has methods with both kinds of receivers.
type counter struct {
	n, step int
	log     [3]int
}

func (c *counter) add(k int) { c.n += k * c.step }

func (c *counter) note(k int) *counter {
	c.log[0], c.log[1], c.log[2] = c.log[1], c.log[2], k
	return c
}

func (c counter) sum() int { c.n++; return c.n + c.log[0] + 10*c.log[1] + 100*c.log[2] }

// pairOf is a generic struct with methods.
type pairOf[T any] struct{ first, second T }

func (p *pairOf[T]) swap()             { p.first, p.second = p.second, p.first }
func (p pairOf[T]) swapped() pairOf[T] { return pairOf[T]{p.second, p.first} }

// nested embeds a struct by value and one by pointer.
type nested struct {
	counter
	*point
	inner pairOf[pairOf[int]]
	list  []counter
}

type point struct{ x, y int }

func (p *point) move(dx int) { p.x += dx; p.y -= dx }
func (p point) norm() int    { return p.x*p.x + p.y }

type adder interface{ add(k int) }

func addTwice[T any, P interface {
	*T
	adder
}](x P, k int) {
	x.add(k)
	x.add(k + 1)
}

func TestStructs(t *testing.T) {
	try(t, []feature{
		{"pointer receiver", func(n int) int {
			c := counter{step: 2}
			c.add(n)
			c.note(1).note(n).add(3)
			return c.sum() + c.n
		}},
		{"carried by a loop", func(n int) int {
			c := counter{step: 3}
			var p pairOf[int]
			for i := range n {
				c.add(i)
				if i%2 == 0 {
					c.note(i)
					p.swap()
				}
				p.first += i
			}
			return c.sum() + 1000*p.first + p.second
		}},
		{"constant field stays constant", func(n int) int {
			c := counter{step: 2}
			for i := range n {
				c.n += i
			}
			return c.log[c.step] + [3]int{5, 6, n}[c.step]
		}},
		{"values are copied", func(n int) int {
			a := pairOf[int]{n, 2}
			b := a
			b.first = 7
			c := &a
			d := *c
			c.second = 9
			return a.first + 10*a.second + 100*b.first + 1000*d.second + b.swapped().first
		}},
		{"nested", func(n int) int {
			s := nested{counter: counter{step: 1}, point: &point{n, 2}, list: []counter{{n: 1}, {n: 2, step: n}}}
			s.add(n)
			s.move(3)
			s.inner.first.second = n
			s.inner.swap()
			s.list[1].add(2)
			for i := range s.list {
				s.list[i].note(i + n)
			}
			q := s.inner.second
			return s.n + s.norm() + q.second + s.list[1].n + s.list[0].sum() + s.point.x
		}},
		{"pointers to variables", func(n int) int {
			a, b := n, 3
			p := &a
			set := func(q *int, v int) { *q += v }
			set(p, 4)
			set(&b, a)
			if n%2 == 0 {
				*p *= 2
			}
			q := new(int)
			*q = b
			for range n {
				*q++
			}
			if p != &a || q == nil {
				return -1
			}
			return a + 100*b + 10000**q
		}},
		{"pointer that a function returns", func(n int) int {
			p, q := newPoint(n), newPoint(n+1)
			for i := range n {
				p.move(i)
				if i == 3 {
					q.y = p.x
				}
			}
			return p.norm() + 3*q.norm()
		}},
		{"pointer to an element", func(n int) int {
			a := [3]point{{1, 2}, {n, 4}, {5, 6}}
			p := &a[1]
			p.move(2)
			y := &a[2].y
			*y += n
			b := a
			p.x = 50
			return a[1].x + b[1].x*100 + a[2].y*10000
		}},
		{"type parameter with a pointer method", func(n int) int {
			c := counter{step: n}
			addTwice(&c, 5)
			return c.n
		}},
		{"method value", func(n int) int {
			c := counter{step: 1}
			add, sum := c.add, c.sum
			add(n)
			add(2)
			return c.n*10 + sum()
		}},
		{"order of an assignment", func(n int) int {
			a := [3]int{1, 2, 3}
			i := 0
			i, a[i] = 2, 50
			p := &point{n, 1}
			p, p.x = &point{7, 7}, 9
			a[0], a[1], a[2] = a[2], a[0], a[1]
			return i + a[0]*10 + a[1]*100 + a[2]*1000 + p.x
		}},
		{"struct in a branch", func(n int) int {
			c := counter{step: 1, n: 5}
			if n > 7 {
				c = counter{step: n}
				c.add(1)
			} else if n > 3 {
				c.log[1] = n
			}
			return c.sum()*10 + c.step
		}},
		{"equality", func(n int) int {
			p, q := point{n, 4}, point{6, n - 2}
			sum := 0
			if p == q {
				sum++
			}
			if p != (point{3, 4}) {
				sum += 10
			}
			if [2]int{n, 1} == [2]int{9, 1} {
				sum += 100
			}
			return sum
		}},
	})
}

func newPoint(n int) *point {
	p := point{n, 2}
	if n > 4 {
		p.y = n
	}
	return &p
}
