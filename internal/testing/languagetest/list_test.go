package languagetest_test

import "testing"

func TestLists(t *testing.T) {
	try(t, []feature{
		{"array carried by a loop", func(n int) int {
			var a [4]int
			for i := range n {
				a[0] += i
				a[1], a[2] = a[2]+1, a[1]
				if i == 5 {
					a[3] = n
				}
			}
			return a[0] + 10*a[1] + 100*a[2] + 1000*a[3]
		}},
		{"slices share their array", func(n int) int {
			a := [5]int{1, 2, 3, 4, 5}
			s := a[1:4]
			s[0] = n
			r := s[1:]
			r[0] += 10
			b := s
			b[2] = 7
			return a[1] + 10*a[2] + 100*a[3] + 1000*len(s) + 10000*cap(s) + 100000*cap(r)
		}},
		{"append in place and to a copy", func(n int) int {
			s := make([]int, 2, 3)
			a := append(s, n)
			b := append(s, n+1) // in the same place
			c := append(a, 4)   // a copy
			c[0] = 100
			return a[2] + 100*b[2] + 10000*a[0] + len(c)*1000000 + c[2]
		}},
		{"append a slice", func(n int) int {
			var s []int
			s = append(s, 1, n)
			s = append(s, s...)
			sum := len(s)
			for i, v := range s {
				sum = sum*3 + v*i
			}
			return sum
		}},
		{"copy and clear", func(n int) int {
			s := []int{1, 2, 3, 4, n}
			k := copy(s[1:], s)
			sum := k
			for _, v := range s {
				sum = sum*10 + v
			}
			clear(s[:2])
			return sum*100 + s[0] + s[1] + s[2]
		}},
		{"range sees what the body sets", func(n int) int {
			s, a, sum := []int{n, 1, 2}, [3]int{n, 1, 2}, 0
			for i, v := range s {
				if i < 2 {
					s[i+1] += v
				}
				sum += v
			}
			for i, v := range a { // of a copy
				if i < 2 {
					a[i+1] += v
				}
				sum += 100 * v
			}
			for i, v := range &a {
				a[2] = 5
				sum += 10000 * v * i
			}
			return sum
		}},
		{"elements set in loops and branches", func(n int) int {
			s := make([]int, 3)
			for i := range n {
				s[0]++
				if i%3 == 1 {
					s[1] += i
				} else {
					s[2] = s[1]
				}
			}
			return s[0] + 100*s[1] + 10000*s[2]
		}},
		{"break and continue in a loop over a list", func(n int) int {
			sum := 0
			for i, v := range []int{3, 8, 2, 9, 4} {
				if v == n {
					break
				}
				if (v+n)%3 == 0 {
					continue
				}
				sum += v * (i + 1)
			}
			return sum
		}},
		{"return in a loop over a list", func(n int) int {
			for i, v := range [...]int{3, 8, 2, 9, 4} {
				if v == n {
					return i
				}
				for j := range v {
					if i*10+j == n {
						return -v
					}
				}
			}
			return 77
		}},
		{"labels and lists", func(n int) int {
			sum := 0
		outer:
			for _, a := range []int{1, 2, 3} {
				for _, b := range []int{4, 5} {
					if a*b == n {
						continue outer
					}
					if a*b+2 == n {
						break outer
					}
					sum += a * b
				}
				sum += 100
			}
			return sum
		}},
		{"list inside a loop, left by it", func(n int) int {
			sum := 0
			for i := range n {
				for _, v := range []int{2, 5, 7} {
					if i == v*2 {
						break
					}
					if i == v*3 {
						return sum
					}
					sum += v
				}
			}
			return sum
		}},
		{"indexed literals", func(n int) int {
			a := [...]int{4: n, 1, 0: 3}
			return a[0] + a[4]*10 + a[5]*1000 + len(a)*10000
		}},
		{"lists of lists", func(n int) int {
			m := [2][3]int{{1, 2, n}, {4, 5}}
			m[1][2] = n + 1
			t := m
			t[0][0] = 9
			s := [][]int{{1}, {n, 3}}
			s[1][0]++
			return m[0][2] + m[1][2]*10 + m[0][0]*100 + t[0][0]*1000 + s[1][0]*10000
		}},
		{"variadic", func(n int) int {
			s := []int{n, 2}
			total := func(xs ...int) int {
				sum := len(xs)
				for _, x := range xs {
					sum += x
				}
				if len(xs) > 0 {
					xs[0] = 40
				}
				return sum
			}
			return total() + total(1, n)*10 + total(s...)*1000 + s[0]*100000
		}},
		{"min, max and nil", func(n int) int {
			var s []int
			sum := min(n, 5, 9) + max(n, 7)*10 + max(2, 3)
			if s == nil && len(s) == 0 {
				sum += 1000
			}
			if s = append(s, 1); s != nil {
				sum += 2000
			}
			return sum
		}},
		{"three-index slices", func(n int) int {
			a := [4]int{1, 2, 3, 4}
			s := a[0:1:2]
			s = append(s, n)
			s = append(s, 9) // no more room
			s[0] = 50
			return a[0] + a[1]*10 + a[2]*1000 + cap(a[1:2:3])*10000
		}},
	})
}

func TestTiles(t *testing.T) {
	tryTiles(t, []tileFeature{
		{"array of tiles", func(x vec8, n int) vec8 {
			var a [3]vec8
			for i := range n {
				a[0] += x
				a[1] = a[2] - vec8(i)
				a[2] = a[0] * 2
			}
			return a[0] + a[1]*3 + a[2]*5
		}},
		{"closures over tiles", func(x vec8, n int) vec8 {
			sum := x
			add := func(v vec8) { sum += v * x }
			for i := range n {
				add(vec8(i))
			}
			twice := func(f func(vec8)) { f(2); f(3) }
			twice(add)
			return sum
		}},
		{"early return of tiles", func(x vec8, n int) vec8 {
			for i := range n {
				x += vec8(i)
				if i*i > 30 {
					return -x
				}
			}
			return x * 2
		}},
		{"pointer to a tile", func(x vec8, n int) vec8 {
			acc := struct {
				sum, last vec8
				k         int
			}{}
			step := func(s *vec8, v vec8) { *s = *s*2 + v }
			for i := range n {
				step(&acc.sum, x)
				acc.last = x - vec8(i)
				acc.k++
			}
			return acc.sum - acc.last + vec8(acc.k)
		}},
		{"function that keeps a variable", func(x vec8, n int) vec8 {
			next := counting(x)
			for range n {
				next()
			}
			other := counting(1)
			return next() + other()*100
		}},
		{"functions in a list", func(x vec8, n int) vec8 {
			var fs []func(vec8) vec8
			for i := range []int{0, 0, 0} {
				fs = append(fs, func(v vec8) vec8 { return v*2 + vec8(i) })
			}
			for _, f := range fs {
				x = f(x)
			}
			return x
		}},
		{"switch of tiles", func(x vec8, n int) vec8 {
			switch {
			case n%3 == 0:
				x *= 2
				if n > 9 {
					break
				}
				fallthrough
			case n%3 == 1:
				x += 7
			default:
				return x * x
			}
			return -x
		}},
	})
}

func counting(start vec8) func() vec8 {
	n := start
	return func() vec8 {
		n += 3
		return n
	}
}
