package languagetest_test

import "testing"

// shape is an interface whose variables hold structs and pointers to structs.
type shape interface {
	area() int
	scaled(k int) shape
}

type rectangle struct{ w, h int }

func (r rectangle) area() int          { return r.w * r.h }
func (r rectangle) scaled(k int) shape { return rectangle{r.w * k, r.h * k} }

type square struct{ side int }

func (s square) area() int          { return s.side * s.side }
func (s square) scaled(k int) shape { return square{s.side * k} }

// stack is a shape through its pointer only.
type stack struct {
	parts []shape
	times int
}

func (s *stack) area() (sum int) {
	for _, p := range s.parts {
		sum += p.area()
	}
	return sum * s.times
}
func (s *stack) scaled(k int) shape { s.times *= k; return s }

func total(shapes ...shape) (sum int) {
	for _, s := range shapes {
		sum += s.area()
	}
	return sum
}

func classify(s shape) int {
	switch s := s.(type) {
	case rectangle:
		return 1 + s.w
	case square:
		return 100 + s.side
	case *stack:
		return 1000 + s.times
	}
	return -1
}

type holder struct {
	shape
	extra int
}

// TestInterfaces: what a variable of an interface type holds is known when a kernel is compiled, so its methods are, too.
func TestInterfaces(t *testing.T) {
	try(t, []feature{
		{"variable", func(n int) int {
			var s shape = rectangle{n, 2}
			a := s.area()
			s = square{n + 1}
			return 100*a + s.area()
		}},
		{"list", func(n int) int {
			return total(square{n}, rectangle{n, 3}, &stack{[]shape{square{2}, rectangle{n, n}}, 2})
		}},
		{"result", func(n int) int { return rectangle{n, 1}.scaled(3).scaled(n).area() }},
		{"pointer", func(n int) int {
			s := &stack{[]shape{square{n}}, 1}
			var x shape = s
			x = x.scaled(2).scaled(n)
			return x.area() + s.times
		}},
		{"type switch", func(n int) int {
			return classify(rectangle{n, 1}) + classify(square{n}) + classify(&stack{times: n}) + classify(rectangle{1, 1}.scaled(n))
		}},
		{"assertion", func(n int) int {
			var s shape = square{n}
			r, ok := s.(rectangle)
			q, also := s.(square)
			if ok || !also {
				return -1
			}
			return r.w + q.side
		}},
		{"embedded", func(n int) int { return holder{square{n}, 1}.area() + holder{shape: rectangle{n, n}}.scaled(2).area() }},
		{"equal", func(n int) int {
			var a, b shape = square{n}, square{3}
			var c shape = rectangle{n, n}
			if a == b {
				return 1
			}
			if a != c {
				return 2
			}
			return 3
		}},
		{"changed in a loop", func(n int) int {
			var s shape = square{1}
			for i := range n {
				s = square{s.area() + i}
				if s.area() > 50 {
					s = square{2}
				}
			}
			return s.area()
		}},
		{"nil", func(n int) int {
			var s shape
			switch s.(type) {
			case rectangle, any:
				return 1
			case nil:
				return 2 + classify(s)
			}
			return 3
		}},
		{"named struct type", func(n int) int {
			type tall rectangle
			var s shape = rectangle(tall{n, 5})
			return s.area()
		}},
	})
}
