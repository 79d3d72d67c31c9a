package eval_test

import "github.com/cutile-go/cutile/cute"

// apply runs a Go function on pairs of numbers, a pair a thread.
func applyKernel(x, y, out cute.Tensor[int64], f cute.Constexpr[func(x, y int) int]) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	out.Set(int64(f.V(int(x.At(i)), int(y.At(i)))), i)
	return
}

func apply(x, y, out cute.Tensor[int64], f cute.Constexpr[func(x, y int) int]) {
	applyKernel(x, y, out, f).Launch(cute.Launch{Grid: cute.D3(1, 1, 1), Block: cute.D3(32, 1, 1)})
}

func goArith(x, y int) int { return x*y - x + y<<2 - x>>1 ^ y&^3 | x&255 }

func goDivide(x, y int) int {
	if y == 0 {
		return -1
	}
	return x/y*1000 + x%y
}

func goNarrow(x, y int) int {
	a, b, c := int8(x), uint8(y), int16(x*y)
	return int(a) + int(b)*1000 + int(c)*1000000 + int(uint16(x-y)) + int(int32(x)<<7) + int(uint32(y)>>3)
}

func goUnsigned(x, y int) int {
	u, v := uint64(x), uint32(y)
	u = u>>5 | u<<3
	v = v*v + 7
	if v > 1<<31 {
		u++
	}
	return int(u ^ uint64(v))
}

func goLoop(x, y int) int {
	s := 0
	for i := 0; i < x%17; i++ {
		s += i * y
		if s > 1000 {
			s -= 999
			continue
		}
		if s < -1000 {
			break
		}
	}
	return s
}

func goNested(x, y int) int {
	n := 0
outer:
	for i := range 9 {
		for j := 0; ; j++ {
			switch {
			case j > i:
				continue outer
			case (i+j+x)%13 == 7:
				break outer
			case (j*y)%5 == 3:
				n += 100
			default:
				n++
			}
		}
	}
	return n
}

func goReturns(x, y int) int {
	for i := range 10 {
		if i*i > x%50 {
			return i
		}
		if y%7 == i {
			if x > y {
				return 100 + i
			}
			return 200 + i
		}
	}
	return -7
}

func goTwo(x, y int) (a, b int) {
	a, b = y, x
	if x > 0 {
		a++
		return
	}
	for b < 10 {
		b += 3
		if b%2 == 0 {
			return b, a
		}
	}
	return a - b, b
}

func goCalls(x, y int) int {
	a, b := goTwo(x, y)
	c, d := goTwo(b, a)
	return a + 10*b + 100*c + 1000*d
}

type point struct {
	x, y int
	in   struct{ k int }
}

func (p point) sum() int { return p.x + p.y + p.in.k }

func (p *point) move(dx int) {
	p.x += dx
	if dx > 3 {
		p.in.k = dx
	}
}

func goStructs(x, y int) int {
	p := point{x: x, y: 3}
	q := &p
	for i := range y % 5 {
		q.move(i * x)
		p.y ^= i
	}
	r := p
	r.x = 7
	if q.in.k > 2 {
		p, r = r, p
	}
	return p.sum()*31 + r.sum()
}

func goArrays(x, y int) int {
	var a [4]int
	for i := range a {
		a[i] = x + i
	}
	s := a[1:3]
	s[0] = y
	if y > x {
		s[1], a[0] = a[0], s[1]
	}
	t := append([]int{1}, a[:]...)
	n := 0
	for i, v := range t {
		n = n*3 + v*i
	}
	return n + len(t)
}

func goClosures(x, y int) int {
	n := 0
	add := func(k int) int { n += k; return n }
	for i := 0; i < y%6; i++ {
		add(i * x)
		if add(1) > 50 {
			add(-20)
		}
	}
	twice := func(f func(int) int, v int) int { return f(v) + f(v) }
	return twice(add, x) + n
}

func goLogic(x, y int) int {
	n := 0
	side := func(b bool) bool { n++; return b }
	if x > 0 && side(y > 0) || side(x < y) {
		n += 10
	}
	ok := x%2 == 0 != (y%3 == 0)
	if !ok && (x > 5 || y > 5) {
		n += 100
	}
	return n + min(x, y, 7) - max(x, -y)
}

func goCollatz(x, y int) int {
	n, steps := uint(x)%1000+1, 0
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
		if steps > y%200+20 {
			break
		}
	}
	return steps*1000 + int(n%1000)
}

func goUnrolled(x, y int) int {
	n := 0
	for i := range cute.Unroll(6) {
		if (x+i)%4 == 0 {
			continue
		}
		if n > 40 {
			break
		}
		n += i*y%11 + 1
	}
	return n
}

func goRange(x, y int) int {
	n := 0
	for i := range cute.Range(cute.RangeOf{From: 1, To: y%23 + 1, Step: 2, Unroll: 3}) {
		n = n*2 + i
		if n > 1<<20 {
			n -= x
		}
	}
	return n
}

type shaper interface{ area(k int) int }

type square struct{ a int }

func (s square) area(k int) int { return s.a * s.a * k }

type segment int

func (l segment) area(k int) int { return int(l) + k }

func goInterfaces(x, y int) int {
	var s shaper = square{x % 100}
	n := s.area(2)
	s = segment(y % 100)
	n += s.area(3)
	switch v := s.(type) {
	case square:
		n += 1000000 * v.a
	case segment:
		n += 7 * int(v)
	}
	if _, ok := s.(square); ok {
		n = 0
	}
	return n
}

func goFloats(x, y int) int {
	a, b := float32(x)/3, float64(y)*0.1
	c := a*a - float32(b) + 0.5
	if c > 1e6 || c != c {
		c = -c / 1024
	}
	h := cute.Float16(x%500) * 2
	bf := cute.BFloat16(y) + 1
	return int(int32(c)) + int(h) + int(bf)*3 + int(min(b, float64(a)))
}

func goGeneric[T int32 | int64 | float32](x, y T) T {
	if x > y {
		x, y = y, x
	}
	return x*2 + y
}

func goGenerics(x, y int) int {
	return int(goGeneric(int32(x), int32(y))) + int(goGeneric(int64(x), 3)) + int(goGeneric(float32(x%100), float32(y%100)))
}

func goShadow(x, y int) int {
	n := x
	{
		n := y
		n++
		if n > 3 {
			n := 5
			_ = n
		}
		x += n
	}
	for i, n := 0, 10; i < 3; i, n = i+1, n-i {
		x += n
	}
	return x + n
}

func goSwap(x, y int) int {
	a, b, c := x, y, 3
	for range x & 7 {
		a, b, c = b, c, a
	}
	return a + 3*b + 9*c
}

func goSwitch(x, y int) int {
	switch k := x % 6; k {
	case 0, 3:
		y++
		fallthrough
	case 1:
		y *= 2
	case 4:
		fallthrough
	case -2, 2:
		if y > 3 {
			break
		}
		y = 77
	default:
		return k
	}
	return y
}

func pow(x, n int) int {
	if n == 0 {
		return 1
	}
	return x * pow(x, n-1)
}

func goRecursion(x, y int) int { return pow(x, 5) + pow(y, 0) }

func sum(first int, rest ...int) (n int) {
	defer2 := func() { n++ }
	for _, r := range rest {
		n += r * first
	}
	defer2()
	return
}

func goVariadic(x, y int) int {
	return sum(x) + 10*sum(y, x) + 100*sum(2, x, y, 3) + sum(1, []int{x, y}...)
}

type node struct {
	at   [2]point
	next *node
	tag  uint8
}

func (n *node) bump(k int) *node {
	n.at[1].x += k
	n.tag += uint8(k)
	return n
}

func goPointers(x, y int) int {
	a := &node{tag: 250}
	b := &node{next: a}
	for i := range 3 {
		b.next.bump(i * y).bump(x)
		p := &a.at[0].y
		if x > y {
			*p += i
		} else {
			*p -= i
		}
	}
	c := *a
	a.at[1].x = -1
	return c.at[1].x + 3*a.at[0].y + int(b.next.tag) + a.at[1].x
}

func goNamed(x, y int) int {
	f := func(k int) (n int, ok bool) {
		if k < 0 {
			return
		}
		n = k * 2
		if k > 50 {
			ok = true
			return n + 1, ok
		}
		ok = y > 0
		return
	}
	a, p := f(x)
	b, q := f(x + y)
	if p && !q {
		return a
	}
	if p != q {
		return b - a
	}
	return a ^ b
}

func goState(x, y int) int {
	type ring struct {
		buf  [3]int
		head int
		full bool
	}
	var r ring
	r.head = 1
	total := 0
	for i := 0; i < 7; i++ {
		if i == x&7 {
			r.full = !r.full
		}
		r.buf[0], r.buf[1], r.buf[2] = r.buf[1]+i, r.buf[2]^y, r.buf[0]-r.head
		r.head = (r.head + 1) % 3
		if r.full {
			total += r.buf[0]
		}
	}
	return total*100 + r.buf[1] + r.head
}

func goMethodValues(x, y int) int {
	p := point{x: x, y: y}
	f := p.sum
	p.x = 1000
	g := (*point).move
	g(&p, y)
	h := point.sum
	fs := [2]func() int{f, func() int { return h(p) }}
	return fs[0]() + 7*fs[1]()
}

func goInnerExit(x, y int) int {
	n := 0
	find := func(limit int) int {
		for i := 0; i < limit; i++ {
			for j := range cute.Unroll(4) {
				if (i*4+j)*3 > x%40 {
					n += 5
					return i*4 + j
				}
				if n > 30 {
					break
				}
				n++
			}
		}
		return -1
	}
	a := find(5)
	if a < 0 {
		a = find(y % 9)
	}
	return a*1000 + n
}

func goTypes(x, y int) int {
	var vals [3]any
	vals[0], vals[1], vals[2] = x, float32(y), square{3}
	n := 0
	for i, v := range vals {
		switch v := v.(type) {
		case int:
			n += v * (i + 1)
		case float32, float64:
			n += 5
		case shaper:
			n += v.area(2)
		}
	}
	return n
}

func goBits(x, y int) int {
	a, b := uint16(x), int8(y)
	a <<= uint(y & 31)
	b >>= 1
	c := uint32(x) << (uint32(y) & 63)
	d := int64(x) >> uint64(y&127)
	return int(a) + int(b)*7 + int(c&0xffff) + int(d) + int(^uint8(x)) + int(-b)
}

func goMixed(x, y int) int {
	best, at := -1<<40, -1
	for i := range 8 {
		v := (x >> i & 3) * y
		if v > best || v == best && i%3 == 0 {
			best, at = v, i
		}
	}
	var seen [8]bool
	seen[3] = at == 3
	for i := range seen {
		if seen[i] {
			best++
		}
	}
	return best*8 + at
}

// pick returns from the middle, and asks for places of a tensor before and after that.
func pick(x cute.Tensor[int64], limit int64) int64 {
	if x.At(0) > limit {
		return x.At(0)
	}
	return 2 * x.At(1)
}

func pickKernel(x, y, out cute.Tensor[int64]) (_ cute.Kernel) {
	i := cute.ThreadIdx().X
	moved := cute.DomainOffset(cute.I(i/2), x) // nobody has asked yet where it starts
	out.Set(pick(moved, 10)+1000*pick(moved, 30)+skips(x, moved, i)+y.At(i), i)
	return
}

// skips goes on from the middle, before and after which it asks for places of a tensor.
func skips(x, moved cute.Tensor[int64], i int) (n int64) {
	for k := range cute.Unroll(3) {
		if x.At(k+i/2) > int64(i) {
			continue
		}
		n += moved.At(k + 1)
	}
	return n
}

func picks(x, y, out cute.Tensor[int64]) {
	pickKernel(x, y, out).Launch(cute.Launch{Block: cute.D3(32, 1, 1)})
}
