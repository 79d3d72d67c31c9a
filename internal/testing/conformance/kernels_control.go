package conformance

import "github.com/cutile-go/cutile/tile"

// The functions of this file branch and loop over numbers. Go itself runs them, too: what it gives is the reference.

// control stores what a function makes of a number.
func control(n int, f func(n int) int, z tile.Out[tile.I64T1[tile.D1]]) {
	z.Store(tile.I64T1[tile.D1](f(n)))
}

func ifElse(n int) int {
	v := 1
	if n < 0 {
		v = -1
	} else if n == 0 {
		v = 0
	} else if n < 10 {
		v = n * 2
	} else {
		v += n
		if n%2 == 0 {
			v *= 10
		}
	}
	return v
}

func ifInit(n int) int {
	v := 0
	if half := n / 2; half > 3 {
		v = half
	} else {
		v = -half
	}
	if a, b := n, v; a > 2 && b != 5 || a == -1 {
		v += 100
	}
	return v
}

func switches(n int) int {
	v := 0
	switch n {
	case 0:
		v = 10
	case 1, 2, 3:
		v = 20 + n
	case -1:
	default:
		v = 30
	}
	switch {
	case n < 0:
		v -= 5
	case n > 2:
		v += 1000
	case n > -3:
		v += 2000
	}
	switch m := n * n; m {
	case 4:
		v *= 3
	case 9:
		for i := range 9 {
			if i == 5 {
				break
			}
			v++
		}
	}
	return v
}

func switchContinue(n int) int {
	v := 0
	for i := range n {
		switch i % 4 {
		case 0:
			if i > 4 {
				v += 7
			}
			v += 1
		case 1:
			continue
		default:
			v += 10
		}
		v += 100
	}
	return v
}

func earlyReturn(n int, z tile.Out[tile.I64T1[tile.D1]]) {
	if n < 0 {
		z.Store(-7)
		return
	}
	if n > 5 {
		for range n {
			n--
		}
		if n == 0 {
			z.Store(5)
			return
		}
	}
	z.Store(1)
}

// sign has a return in every branch, score two results.
func sign(n int) int {
	if n < 0 {
		return -1
	} else if n == 0 {
		return 0
	}
	return 1
}

func score(n, m int) (int, bool) {
	if n > 20 {
		return n - m, false
	}
	found := false
	for i := range n {
		for j := range m {
			if found = i*j == 12; found {
				n = i*100 + j
				break
			}
		}
		if found {
			break
		}
	}
	return n, found
}

func returns(n int) int {
	v, found := score(n, 7)
	if found {
		v += 10000
	}
	return v*10 + sign(n-3)
}

// divmod has named results, one of them changed after it is set.
func divmod(a, b int) (q, r int) {
	q = a / b
	whole := q * b
	r = a - whole
	if r < 0 {
		q--
		r += b
	}
	return
}

func resultsOf(n int) int {
	q, r := divmod(n, 7)
	q, r = r, q
	_, s := divmod(r, 3)
	return q*10000 + r*100 + s
}

// closures change variables around them, and call each other.
func closures(n int) int {
	total, calls := 0, 0
	add := func(k int) int {
		total += k
		calls++
		return total
	}
	twice := func(f func(int) int, k int) int { return f(f(k)) }
	for i := range n {
		if i%2 == 0 {
			add(i)
			continue
		}
		func() {
			calls += 10
			add(-1)
		}()
	}
	w := twice(add, 2)
	return total*10000 + calls*100 + w
}

// scopes shadows names.
func scopes(n int) int {
	v := n
	{
		v := v * 2
		v++
		n += v
	}
	if v := n; v > 5 {
		n = v + 1
	}
	for v := 0; v < 3; v++ {
		v := v * 10
		n += v
	}
	return v*1000 + n
}

// shortCircuit must not divide by zero.
func shortCircuit(n int) int {
	v := 0
	if n != 0 && 100/n > 3 {
		v = 1
	}
	if n == 0 || 100%n == 0 {
		v += 2
	}
	on := n > 0
	for on && n < 50 {
		n += 7
		on = n%5 != 0
	}
	if !on {
		v += 4
	}
	calls := 0
	called := func(answer bool) bool {
		calls++
		return answer
	}
	for i := range 4 {
		if i < n && called(i != 1) || i == 2 && (n == 0 || 7/n == 3 || called(false)) {
			v += 100
		}
	}
	return v + n*10 + calls*1000
}

// machine is what Go says of int: 64 bits, wrapping, with shifts.
func machine(n int) int {
	v := n*n*n + n<<3 - n>>1
	v ^= n &^ 5
	v |= 1 << 40
	v = v%1000003 + v/17
	u := uint32(n)
	u *= 2654435761
	u = u>>7 ^ u<<9
	w := int8(n)
	w += 100
	return v + int(u) + int(w)
}
