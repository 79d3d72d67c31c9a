package languagetest_test

import "testing"

// half ends in a switch that returns on all ways but one.
func half(n int) int {
	switch {
	case n%2 != 0:
		return -n
	case n == 0:
		return 100
	}
	n /= 2
	return n
}

// TestWaysOn has statements of which some ways go on, by what they are made of: blocks, labels, branches in branches.
func TestWaysOn(t *testing.T) {
	try(t, []feature{
		{"a block that may return", func(n int) int {
			x := 1
			{
				if n > 7 {
					return x + n
				}
				x += 3
			}
			x *= 5
			return x + n
		}},
		{"a block in a block", func(n int) int {
			x := n
			{
				x++
				{
					if x%3 == 0 {
						return x
					}
					x *= 2
				}
				x += 7
			}
			return x
		}},
		{"variables of a block", func(n int) int {
			x := n
			{
				x := x * 2
				if x > 20 {
					return x
				}
				x++
				n = x
			}
			return x*100 + n
		}},
		{"two ways to the end", func(n int) int {
			x := 0
			if n%2 == 0 {
				if n > 10 {
					return n
				}
				x = 1
			} else if n > 15 {
				return -n
			}
			x += 10
			return x*n + 1
		}},
		{"a block in a branch", func(n int) int {
			x := 0
			if n%4 == 0 {
				{
					x++
					if n > 8 {
						return 3
					}
				}
				x += 2
			} else {
				{
					return n
				}
			}
			return x + 50
		}},
		{"labels in a branch", func(n int) int {
			x := 0
			if n > 2 {
			outer:
				for i := range n {
					for j := range n {
						if i*j > 20 {
							break outer
						}
						if j > i {
							continue outer
						}
						x += i + j
					}
				}
			} else {
				return -1
			}
			return x
		}},
		{"a labelled switch that a loop leaves", func(n int) int {
			x := 0
		choose:
			switch {
			case n%3 == 0:
				for i := range n {
					if i == 4 {
						break choose
					}
					x += i
				}
				x += 1000
			case n%3 == 1:
				return n * 7
			default:
				x = 5
			}
			return x + n
		}},
		{"every way of a loop's body leaves", func(n int) int {
			x := 0
			for i := 0; i < n; i++ {
				x += i
				if i > 3 {
					return x
				} else {
					break
				}
			}
			return x + 100
		}},
		{"every way goes on or returns", func(n int) int {
			x := 0
			for {
				x++
				if x*x > n {
					return x
				} else {
					continue
				}
			}
		}},
		{"every way returns", func(n int) int {
			if n > 4 {
				if n > 9 {
					return 1
				} else {
					return 2
				}
			} else {
				return 3
			}
		}},
		{"a loop in a loop that only returns", func(n int) int {
			x := 0
			for i := range n {
				for {
					x += i
					if x > 6 {
						return x
					} else {
						x++
						break
					}
				}
			}
			return -x
		}},
		{"a switch that falls through", func(n int) int {
			x := 0
			switch n % 5 {
			case 0:
				x++
				fallthrough
			case 1:
				x += 10
				if n > 10 {
					return x
				}
				fallthrough
			case 2:
				x += 100
			case 3:
				return 7
			}
			return x + n*1000
		}},
		{"a switch with one way on", func(n int) int { return half(n) + half(n+1)*1000 }},
		{"a switch with a statement before it", func(n int) int {
			switch m := n * 2; {
			case m > 20:
				return m
			default:
				n = m + 1
			}
			return n
		}},
		{"a switch with several ways on", func(n int) int {
			x := n
			switch n % 4 {
			case 0:
				return 9
			case 1:
				x++
			case 2:
				x += 2
			default:
				return 8
			}
			x *= 3
			return x
		}},
		{"an empty case", func(n int) int {
			switch n % 3 {
			case 0:
			case 1:
				return 5
			default:
				return 6
			}
			return n * 2
		}},
		{"a break at the end of a case", func(n int) int {
			x := 0
			switch {
			case n < 5:
				x = 1
				break
			case n < 9:
				if n == 6 {
					break
				}
				x = 2
			default:
				return 3
			}
			return x + 10
		}},
		{"results of several ways", func(n int) int {
			f := func(k int) (a int, ok bool) {
				if k%2 == 0 {
					return k, true
				}
				if k%3 == 0 {
					a = -k
					return
				}
				return
			}
			a, ok := f(n)
			b, no := f(n + 1)
			if ok {
				a += 1000
			}
			if no {
				b += 2000
			}
			return a*7 + b
		}},
		{"a loop whose bound its body changes", func(n int) int {
			m, x := 5, 0
			for i := 0; i < m; i++ {
				if i < n && m < 9 {
					m++
				}
				x = x*3 + i
			}
			return x + m
		}},
		{"a loop whose step its body changes", func(n int) int {
			step, x := 1, 0
			for i := 0; i < 40; i += step {
				if i > n {
					step++
				}
				x += i
			}
			return x
		}},
		{"a loop that steps by a variable", func(n int) int {
			x := 0
			for i := -3; i < n; i += n%3 + 1 {
				x = x*2 + i
			}
			for i := n; i < 20; i += 3 {
				x += i
			}
			return x
		}},
		{"loops that count other ways", func(n int) int {
			x := 0
			for i := n; i > 0; i-- {
				x += i
			}
			for i := 0; i <= n; i += 2 {
				x = x*2 + i
			}
			for i := 1; n > i; i *= 2 {
				x++
			}
			for i := 0; i != n; i++ {
				x += 3
			}
			for i, j := 0, n; i < j; i++ {
				x, j = x+j, j-1
			}
			var k int
			for k = 2; k < n; k++ {
				x += k
			}
			return x + k*100
		}},
		{"a condition that counts", func(n int) int {
			calls := 0
			less := func(i int) bool { calls++; return i < n }
			x := 0
			for i := 0; less(i); i++ {
				x += i
			}
			for i := 0; i < n && less(i*2); i++ {
				x += 100
			}
			return x*100 + calls
		}},
		{"and, or with effects", func(n int) int {
			calls := 0
			big := func(k int) bool { calls++; return k > 7 }
			x := 0
			if big(n) && big(n-3) {
				x = 1
			}
			if big(n) || big(n+3) {
				x += 2
			}
			if n > 100 || big(n) && !big(n*2) {
				x += 4
			}
			if 1 > 2 && big(n) || big(9) {
				x += 8
			}
			return x*1000 + calls
		}},
		{"and, or that divide", func(n int) int {
			x, m := 0, n-5
			if m != 0 && 30/m > 2 {
				x = 1
			}
			if m == 0 || 30%m == 0 {
				x += 2
			}
			return x
		}},
	})
}
