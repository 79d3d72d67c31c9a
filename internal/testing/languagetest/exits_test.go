package languagetest_test

import "testing"

func TestExits(t *testing.T) {
	try(t, []feature{
		{"return in a loop", func(n int) int {
			for i := range 10 {
				if i*i >= n {
					return i
				}
			}
			return -1
		}},
		{"return in a nested loop", func(n int) int {
			sum := 0
			for i := 0; i < n; i++ {
				for j := range i {
					if sum += j; sum > 20 {
						return i*100 + j
					}
				}
				sum++
			}
			return sum
		}},
		{"return in a loop of a branch", func(n int) int {
			if n%2 == 0 {
				for i := range n {
					if i == 5 {
						return 1000 + i
					}
				}
				n++
			}
			return n * 3
		}},
		{"return from an endless loop", func(n int) int {
			steps := 0
			for {
				if n <= 1 {
					return steps
				}
				if n%2 == 0 {
					n /= 2
				} else {
					n = 3*n + 1
				}
				steps++
			}
		}},
		{"several results from a loop", func(n int) int {
			a, b := search(n, 12)
			c, d := search(n*7, 40)
			return a + 10*b + 100*c + 1000*d
		}},
		{"named results", func(n int) int {
			q, r := divide(n*13, 5)
			return q*10 + r
		}},
		{"branches that return and go on", func(n int) int {
			sum := 1
			if n > 3 {
				if n > 10 {
					return sum
				}
				sum += n
			}
			if n%3 == 0 {
				sum *= 2
				if n%2 == 0 {
					return sum + 7
				}
				sum++
			}
			switch {
			case n == 5:
				if sum > 100 {
					return 0
				}
				sum += 50
			case n == 7:
				return -sum
			default:
				sum--
			}
			return sum
		}},
		{"labelled break", func(n int) int {
			sum := 0
		outer:
			for i := range n {
				for j := range n {
					if i*j > 30 {
						break outer
					}
					sum += i + j
				}
				sum += 1000
			}
			return sum
		}},
		{"labelled continue", func(n int) int {
			sum := 0
		outer:
			for i := range n {
				for j := i; j < n; j += 2 {
					if (i+j)%5 == 4 {
						continue outer
					}
					sum += i * j
				}
				sum += 10000
			}
			return sum
		}},
		{"three loops, every exit", everyExit},
		{"continue of a counted loop", func(n int) int {
			sum := 0
		next:
			for i := 0; i < n; i++ {
				switch {
				case i%4 == 1:
					continue
				case i%4 == 2:
					sum += 100
					continue next
				}
				sum += i
			}
			return sum
		}},
		{"return in a closure", func(n int) int {
			first := func(limit int) int {
				for i := range limit {
					if i*3 > n {
						return i
					}
				}
				return limit
			}
			return first(4)*100 + first(9)
		}},
		{"call in a loop that returns from a loop", func(n int) int {
			sum := 0
			for i := range n {
				a, b := search(i, 5)
				if b == 3 {
					continue
				}
				if sum += a; sum > 50 {
					break
				}
			}
			return sum
		}},
		{"exit after an exit", func(n int) int {
			for i := range n {
				if i == 4 {
					break
				}
				n--
			}
			for i := range n {
				if i == 6 {
					return i
				}
				n--
			}
			return n
		}},
		{"return truth", func(n int) int {
			if hasDivisor(n) {
				return 1
			}
			return 0
		}},
		{"loop left by three ways", func(n int) int {
			i, sum := 0, 0
			for {
				if i > 8 {
					return sum
				}
				if sum > 12+n {
					break
				}
				if i++; i%3 == n%3 {
					continue
				}
				sum += i
			}
			return -sum
		}},
	})
}

func search(n, limit int) (at, steps int) {
	for i := range limit {
		steps = i
		if i*i > n {
			return i, steps
		}
		if i == 9 {
			return -1, 2
		}
	}
	return limit, -3
}

func divide(n, by int) (quotient, rest int) {
	rest = n
	for rest >= by {
		rest -= by
		if quotient++; quotient > 40 {
			return
		}
	}
	return
}

func hasDivisor(n int) bool {
	for d := 2; d*d <= n; d++ {
		if n%d == 0 {
			return true
		}
	}
	return false
}

func everyExit(n int) int {
	sum := 0
a:
	for i := range n {
	b:
		for j := 0; ; j++ {
			for k := range 4 {
				switch (i + 2*j + 3*k + n) % 11 {
				case 0:
					break
				case 1:
					continue
				case 2:
					continue b
				case 3:
					break b
				case 4:
					continue a
				case 5:
					if sum > 60 {
						break a
					}
				case 6:
					if sum > 90 {
						return -sum
					}
					fallthrough
				case 7:
					sum += 3
				default:
					sum++
					if k == 2 {
						break
					}
					sum += 2
				}
				sum += k
			}
			if j > 3 {
				break
			}
		}
		sum += 5
	}
	return sum
}
