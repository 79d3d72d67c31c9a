package eval_test

import "math"

type stepper struct{ n, step int }

func (c *stepper) next() int { c.n += c.step; return c.n }

func (c stepper) twice() int { return 2 * c.n }

type nested struct {
	*stepper
	name string
	list [3]int
}

type shape2 interface{ area(k int) int }

type named interface {
	shape2
	label() string
}

type tileOf struct{ side int }

func (s tileOf) area(k int) int { return s.side*s.side + k }
func (s tileOf) label() string  { return "square" }

type rect struct{ w, h int }

func (r *rect) area(k int) int { r.w++; return r.w*r.h - k }

type number64 int64

func pairOf[T any](a, b T) [2]T { return [2]T{a, b} }

func pick2[T int | int32](c bool, a, b T) T {
	if c {
		return a
	}
	return b
}

func kindOf(v any) int {
	switch v.(type) {
	case int, int32:
		return 1
	case tileOf:
		return 2
	case shape2:
		return 3
	case nil:
		return 4
	case error:
		return 5
	default:
		return 6
	}
}

func sized(v any) int {
	switch k := 3; w := v.(type) {
	default:
		return k
	case int:
		return w + k
	case [2]int:
		return w[0]*w[1] + k
	case func(int) int:
		return w(k)
	}
}

// languageGames use every form of Go's statements and expressions that kernels may have.
var languageGames = map[string]func(x, y int) int{
	"new": func(x, y int) int {
		p, q, r := new(int), new(stepper), new([4]int)
		*p += x
		q.step = y
		q.next()
		r[2] = q.n
		pp := &p
		**pp += 2
		return *p + 3*q.next() + r[0] + 2*r[1] + 3*r[2] + 4*r[3]
	},
	"len": func(x, y int) int {
		a, s := [5]int{x, y}, []int{x, y, 1}
		p := &a
		const text = "seven!!"
		return len(a) + 10*len(p) + 100*len(s) + 1000*len(text) + cap(s[:2]) + len(s[1:1]) + len([0]int{})
	},
	"composites": func(x, y int) int {
		a := [...]int{3: x, 1: y, 2}
		s := []int{2: y, 0: x}
		b := [2][]int{{x}, {y, 1}}
		m := []struct{ a, b int }{{1, x}, {b: y}}
		q := []*stepper{{n: x}, {step: y}}
		q[0].n++
		return a[0] + 3*a[1] + 5*a[2] + 7*a[3] + 11*s[0] + 13*s[2] + 17*len(s) + b[0][0] + 19*b[1][1] + m[0].b + 23*m[1].b + q[0].n + q[1].step
	},
	"slices of pointers": func(x, y int) int {
		a := [4]int{x, y, 1, 2}
		p := &a
		s := p[1:3]
		s[0]++
		p[2] -= y
		for i := range p {
			p[i] += i
		}
		sum := 0
		for i, v := range p {
			sum = sum*3 + i*v
		}
		return sum + s[1] + len(p[:]) + cap(p[1:2:3])
	},
	"append": func(x, y int) int {
		s := []int{x, y}
		s = append(s, s...)
		var none []int
		none = append(none, s[:0]...)
		t := append(none, x, y, 3)
		return s[0] + 2*s[1] + 3*s[2] + 5*s[3] + len(none) + t[2]*t[0]
	},
	"embedded pointer": func(x, y int) int {
		c := &stepper{x, y}
		v := nested{stepper: c, list: [3]int{1, 2, 3}}
		w := &v
		w.n++
		w.stepper.step++
		v.list[1] = v.next()
		n := c.n
		return w.twice() + v.list[0] + 3*w.list[1] + n + w.next() + v.stepper.twice()
	},
	"method values and expressions": func(x, y int) int {
		c := stepper{x, y}
		next, twice := c.next, stepper.twice
		f := (*stepper).next
		next()
		return f(&c) + twice(c) + tileOf.area(tileOf{x & 7}, y)
	},
	"labels": func(x, y int) int {
		n := 0
	outer:
		for i := 0; i < 5; i++ {
			for j := range 4 {
				switch {
				case j == y&3:
					continue outer
				case i == x&7:
					break outer
				}
				n += 10*i + j
			}
			n++
		}
	ranged:
		for i := range [3]int{} {
			for {
				n += 2
				if n&1 == x&1 || i == 1 {
					continue ranged
				}
				if n > 500 {
					break ranged
				}
				n++
			}
		}
	choice:
		switch x & 3 {
		case 1:
			for {
				n += 1000
				break choice
			}
		case 2:
			if y > 0 {
				break choice
			}
			n += 2000
		default:
			n += 3000
		}
		return n
	},
	"labelled type switch": func(x, y int) int {
		var v any = tileOf{x & 15}
		n := 0
	what:
		switch s := v.(type) {
		case tileOf:
			for i := range 8 {
				if n += s.area(i); i == y&7 {
					break what
				}
			}
			n = -n
		}
		return n
	},
	"breaks from switches in loops": func(x, y int) int {
		n := 0
		for i := range 10 {
			switch i + x&1 {
			case 2, 4:
				break
			case 6:
				n += 100
				fallthrough
			case 7:
				n += 7
				if y > 50 {
					continue
				}
				n++
			case 9:
				if i > y {
					break
				}
				n -= 5
			default:
				n += i
			}
			n *= 2
			n %= 100003
		}
		return n
	},
	"type switches": func(x, y int) int {
		var none any
		return kindOf(x) + 10*kindOf(int32(1)) + 100*kindOf(tileOf{1}) + 1000*kindOf(&rect{1, 2}) + 10000*kindOf(none) + 100000*kindOf(1.5) +
			sized(x)*7 + sized([2]int{x, y}) + sized(func(k int) int { return k * y }) + sized("text")
	},
	"assertions": func(x, y int) int {
		var v any = tileOf{x & 7}
		s, ok := v.(shape2)
		n := 0
		if ok {
			n = s.area(y)
		}
		if _, ok := v.(*rect); ok {
			n += 1000
		}
		if q, ok := s.(named); ok {
			n += len(q.label())
		}
		if i, ok := v.(int); !ok {
			n += 7 + i
		}
		var z shape2 = &rect{x & 3, 2}
		z.area(1)
		return n + v.(tileOf).side + z.area(1)
	},
	"interfaces of interfaces": func(x, y int) int {
		var n named = tileOf{y & 7}
		var s shape2 = n
		var a any = s
		same := 0
		if a == any(tileOf{y & 7}) && s == shape2(n) && a != nil {
			same = 1
		}
		return s.area(x) + a.(shape2).area(1) + same
	},
	"bools": func(x, y int) int {
		p, q := x > 0, y > 0
		n := 0
		for i, b := range []bool{p && true, true && p, p && false, false && p, p || false, false || q, p || true, true || q, p == q, p != q, !p, p == true, false != q} {
			if b {
				n |= 1 << i
			}
		}
		p = p != (q && x > y)
		q = p || !q
		if p == q {
			n += 1 << 20
		}
		return n
	},
	"conversions": func(x, y int) int {
		a, b := number64(x), uint8(y)
		c := int16(x) + int16(b)
		d := uint32(y) >> (b & 31)
		e := int(float32(x&0xfffff)) + int(float64(y&0xffff)*1.5)
		f := int64(int8(x)) * int64(uint16(y))
		return int(a) + int(b) + int(c) + int(d) + e + int(f) + int(uint64(x)>>40) + int(rune(y))
	},
	"generics": func(x, y int) int {
		p, q := pairOf(x, y), pairOf(int32(x), 7)
		r := pairOf(tileOf{x & 7}, tileOf{y & 7})
		return p[1] + 2*p[0] + int(q[0]) + r[1].area(1) + pick2(x > y, x, y) + int(pick2[int32](y > 0, 3, int32(y)))
	},
	"functions in structs": func(x, y int) int {
		ops := [...]struct {
			f func(int, int) int
			k int
		}{{func(a, b int) int { return a + b }, 1}, {func(a, b int) int { return a*b + x }, 2}}
		n := 0
		for _, op := range ops {
			n += op.f(x&15, y) * op.k
		}
		add := func(k int) func() int { return func() int { x += k; return x } }
		f := add(3)
		f()
		return n + f() + x
	},
	"static floats": func(x, y int) int {
		inf := math.Inf(1)
		n := 0
		for i, b := range []bool{inf > 1e300, -inf < 0, inf-inf == 0, inf-inf != inf-inf, inf == inf*2, math.NaN() == math.NaN(), math.NaN() != 1, math.NaN() < 1, 1 >= math.NaN(), inf >= inf, 2.0 <= 3.0} {
			if b {
				n |= 1 << i
			}
		}
		return n + x + int(math.Floor(-2.5)) + y*int(math.Sqrt(16)) + int(math.Max(2, 3)) + int(math.Pow(2, 5))
	},
	"several results": func(x, y int) int {
		split := func(n int) (lo, hi int, odd bool) {
			if lo, hi = n&15, n>>4; n < 0 {
				return hi, lo, true
			}
			odd = n&1 == 1
			return
		}
		a, b, c := split(x)
		d, _, e := split(y)
		if c != e {
			a, b, d = b, d, a
		}
		return a + 3*b + 5*d
	},
	"shadows and blocks": func(x, y int) int {
		n := x
		{
			x := y
			n += x
			if x := x + 1; x > n {
				n -= x
			} else if y := x * 2; y > 10 {
				n += y
			}
		}
		for x := range 3 {
			x := x * y
			n += x
		}

		var a, b = n, x
		a, b = b, a
		a++
		b--
		return a*2 + b
	},
	"minimum and maximum": func(x, y int) int {
		x, y = x>>20, y>>20
		a, b := float32(x), float64(y)
		return min(x, y, 3) + 2*max(x, 5) + 3*min(7, y) + max(x, y, -2, 4) + int(min(a, 3.5)) + int(max(b, a64(x))) + min(4) + int(max(uint8(x), uint8(y)))
	},
}

func a64(x int) float64 { return float64(x) }
