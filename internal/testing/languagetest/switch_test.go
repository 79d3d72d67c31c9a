package languagetest_test

import "testing"

func TestSwitch(t *testing.T) {
	try(t, []feature{
		{"break", func(n int) int {
			sum := 1
			switch n % 4 {
			case 0:
				if n > 8 {
					break
				}
				sum += 10
			case 1, 2:
				sum += 100
				break
			default:
				sum = 7
			}
			return sum * 2
		}},
		{"fallthrough", func(n int) int {
			sum := 0
			switch {
			case n < 3:
				sum++
				fallthrough
			case n > 100:
				sum += 10
				if n == 1 {
					break
				}
				sum += 20
				fallthrough
			case n == 7:
				sum += 100
			case n == 8:
				fallthrough
			default:
				sum += 1000
			}
			return sum
		}},
		{"return and break", func(n int) int {
			x := n
			switch n % 5 {
			case 0:
				return -n
			case 1:
				if n > 10 {
					return 99
				}
				if n > 5 {
					break
				}
				x += 3
			case 2:
				x *= 2
			}
			return x + 1
		}},
		{"in a loop", func(n int) int {
			sum := 0
			for i := range n {
				switch i % 3 {
				case 0:
					if i > 6 {
						break
					}
					sum += i
				case 1:
					continue
				}
				sum++
			}
			return sum
		}},
		{"switch in a switch", func(n int) int {
			sum := 0
			switch a := n % 3; a {
			case 0:
				switch {
				case n > 12:
					sum = 1
					break
				case n > 6:
					if n == 9 {
						return 1
					}
					sum = 2
				}
				sum += 10
			case 1:
				sum = a + 5
			}
			return sum
		}},
		{"labelled switch", func(n int) int {
			sum := 0
		out:
			switch n % 2 {
			case 0:
				for i := range 6 {
					if i*2 > n {
						break out
					}
					sum += i
				}
				sum += 100
			default:
				sum = 3
			}
			return sum + 1
		}},
		{"texts", func(n int) int { return named("twice", n) + named("square", n) + named("none", n) }},
		{"constant tag", func(n int) int {
			const mode = 2
			switch mode {
			case 1:
				return n
			case 2:
				n += 4
				fallthrough
			case 3:
				n *= 2
			}
			return n
		}},
	})
}

// named chooses what to do by a text, which is known when the kernel is compiled.
func named(what string, n int) int {
	switch what {
	case "twice":
		return 2 * n
	case "square":
		return n * n
	}
	return len(what + "!")
}
