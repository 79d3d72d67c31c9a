package languagetest_test

import "testing"

type spaced struct {
	a int
	_ int
	b [2]bool
	s string
}

func three(n int) [3]int { return [3]int{n, n + 1, n + 2} }
func hollow(n int) (p struct{ x, y [2]int }) {
	p.y[1] = n
	return
}

// flags takes truth values of any kind of its own.
func flags[B ~bool](a, b B, _ B, _, c B) int {
	x := 0
	for i, v := range []B{a, b, c} {
		if v {
			x += 1 << i
		}
	}
	return x
}

// TestLiterals: lists and structs as they are written, with keys, nothing in them, or parts left out.
func TestLiterals(t *testing.T) {
	try(t, []feature{
		{"empty lists", func(n int) int {
			s, a, none := []int{}, [0]int{}, []int(nil)
			x := len(s) + len(a) + cap(s)*10 + len(none)*100
			s = append(s, none...)
			s = append(s, n)
			none = append(none, s...)
			none = append(none, 3)
			for range a {
				x += 1000
			}
			for range []int(nil) {
				x += 1000
			}
			return x + len(s)*7 + none[0] + none[1]*11
		}},
		{"keys", func(n int) int {
			s, a := []int{5: n, 6, 2: 3, 4}, [...]int{3: n, 1: 7}
			x := len(s)*1000 + len(a)*100
			for i, v := range s {
				x += v * (i + 1)
			}
			return x + a[0] + a[1] + a[3]*3
		}},
		{"pointers in lists", func(n int) int {
			type pair struct{ a, b int }
			s := []*pair{{1, n}, {b: 4}, nil}
			m := [2][]pair{{{n, 2}}, {{3, n}, {5, 6}}}
			s[0].a += 10
			if s[2] != nil {
				return -1
			}
			return s[0].a + s[0].b*10 + s[1].a + s[1].b*1000 + m[0][0].a*3 + m[1][1].b + len(m[1])
		}},
		{"parts of results", func(n int) int {
			x := three(n)[1] + three(n)[2]*10 + len(three(n))*1000
			return x + hollow(n).y[1]*7 + hollow(n).x[0]
		}},
		{"parts left out", func(n int) int {
			s, p := spaced{a: n}, &spaced{b: [2]bool{1: n > 4}}
			x := s.a + len(s.s)*1000 + p.a
			if s.b[0] || s.b[1] || p.b[0] {
				x = -1
			}
			if p.b[1] {
				x += 100
			}
			return x
		}},
		{"comparison of structs with parts without names", func(n int) int {
			s, r := spaced{a: n}, spaced{a: 3, s: ""}
			x := 0
			if s == r {
				x = 1
			}
			r.b[1] = true
			if s != r {
				x += 10
			}
			return x
		}},
		{"slices of slices", func(n int) int {
			a := [6]int{n, 1, 2, 3, 4, 5}
			s := a[1:3:4]
			r := s[:3]
			s = append(s, 50)
			q := append(s, 60)
			q[0] = 70
			return a[3] + len(r)*10 + cap(s)*100 + cap(a[2:])*1000 + s[0]*10000 + q[0] + len(a[:0]) + cap(a)
		}},
		{"truth values of every kind", func(n int) int {
			type flag bool
			return flags(n > 3, true, false, false, n%2 == 0) + 10*flags(flag(n > 5), flag(n < 9), true, false, false)
		}},
		{"copies that overlap", func(n int) int {
			s := []int{1, 2, 3, n, 5}
			k := copy(s[:3], s[2:])
			a := [3]int{}
			k = k*10 + copy(a[:], s)
			k = k*10 + copy(a[1:], []int{9})
			return k*100000 + s[0]*10000 + s[1]*1000 + a[0]*100 + a[1]*10 + a[2]
		}},
		{"values that go through interfaces", func(n int) int {
			var x any = n
			var y any = three(n)
			a, ok := x.(int)
			b, no := x.(bool)
			c := y.([3]int)
			switch v := y.(type) {
			case int:
				a += 1000
			case [3]int:
				a += v[1]
			}
			if !ok || no || b {
				return -1
			}
			return a + c[2]*100
		}},
		{"a variable of another type in each case", func(n int) int {
			sum := 0
			for _, v := range []any{n, n > 3, uint8(n), 2.5, nil, "text", three(n)} {
				switch v := v.(type) {
				case int:
					sum += v
				case bool:
					if v {
						sum += 100
					}
				case uint8, uint16:
					sum += 1000
				case float64:
					sum += int(v * 2)
				case nil:
					sum += 7
				case string:
					sum += len(v)
				default:
					sum += 50000
				}
			}
			return sum
		}},
		{"numbers that wrap", func(n int) int {
			a, b, c := uint8(250), int8(120), uint32(1<<31)
			a += uint8(n)
			b += int8(n)
			c *= 2
			d := uint16(n) - 5
			a++
			b--
			return int(a) + int(b)*1000 + int(c)*7 + int(d)*1000000
		}},
		{"known numbers that wrap", func(n int) int {
			a, b, c, d := uint8(250), int8(-120), int32(-1<<31), uint64(1)<<63
			a += 10
			b -= 10
			c--
			d += d
			e, f := int8(-128), int16(-32768)
			e /= -1
			f *= -1
			return int(a) + int(b)*1000 + int(c>>20) + int(d) + int(e)*3 + int(f)*5 + int(-7/2) + int(-7%3)*11 + n
		}},
	})
}
