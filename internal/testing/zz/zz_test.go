package zz

import (
	"embed"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

//go:embed zz_test.go zz2_test.go
var source embed.FS
var _ = cutile.Module(source)

type pair struct{ a, b int }

func (p pair) sum() int { return p.a + p.b }
func (p pair) grow(n int) pair {
	p.a += n
	p.b *= 2
	return p
}

func collatz(n int) int {
	steps := 0
	for n != 1 {
		if n%2 == 0 {
			n /= 2
		} else {
			n = 3*n + 1
		}
		steps++
		if steps > 200 {
			break
		}
	}
	return steps
}

func gcd(n int) int {
	a, b := n*6, n+9
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func sw(n int) int {
	r := 0
	for i := range n {
		switch {
		case i%15 == 0:
			r += 15
		case i%5 == 0:
			r += 5
			continue
		case i%3 == 0:
			r += 3
		default:
			if i > 40 {
				r -= i
			}
		}
		r++
	}
	return r
}

func sw2(n int) int {
	switch n % 4 {
	case 0, 2:
		return n * 2
	case 1:
		return -n
	}
	return 7
}

func structs(n int) int {
	p := pair{n, 1}
	for i := range 5 {
		p = p.grow(i)
		if p.b > 8 {
			p.a -= 100
		}
	}
	return p.sum()
}

func closures(n int) int {
	total := 0
	add := func(x int) { total += x }
	for i := 0; i < n; i += 3 {
		add(i)
		if i > 20 {
			add(-1)
		}
	}
	return total
}

func nested(n int) int {
	best := -1
	for i := 1; i < n; i++ {
		for j := i; j < n; j++ {
			if i*j > 50 {
				break
			}
			if (i+j)%7 == 0 {
				continue
			}
			best = max(best, i*j)
		}
	}
	return best
}

func bits(n int) int {
	x := uint32(n) * 2654435761
	x ^= x >> 13
	y := int32(x) >> 3
	z := uint8(x)
	w := int8(z)
	return int(y) + int(w) - int(z) + int(x>>5) + (n << 3) - (-n >> 1) + (n &^ 5) ^ 3
}

func wrap(n int) int {
	var a int8 = 127
	a += int8(n)
	var b uint16 = 65535
	b += uint16(n)
	c := int32(n) * 1000003
	c *= c
	return int(a) + int(b) + int(c)
}

func down(n int) int {
	r := 0
	for i := n; i > 0; i -= 2 {
		r = r*3 + i
	}
	for i := n; i >= 0; i-- {
		r ^= i
	}
	return r
}

func divs(n int) int {
	m := n - 25
	return m/4*100 + m%4 + (m-3)/(-7) + (m+3)%(-7)
}

func early(n int) int {
	if n < 10 {
		return 1
	} else if n < 20 {
		if n%2 == 0 {
			return 2
		}
		n += 100
	}
	k := 0
	for range n {
		k += 2
	}
	return k
}

func bools(n int) int {
	a, b := n > 10, n%2 == 0
	c := a && !b || n == 4
	d := a != b
	r := 0
	if c {
		r |= 1
	}
	if d {
		r |= 2
	}
	if a == c {
		r |= 4
	}
	if n > 5 && 100/n > 3 {
		r |= 8
	}
	return r
}

func floats(n int) int {
	x := float32(n) / 3
	y := 0.0
	for range n {
		y += float64(x) * 0.5
		if y > 100 {
			y = -y
		}
	}
	return int(y*1000) + int(x)
}

func fib(n int) int {
	a, b := 0, 1
	for range n {
		a, b = b, a+b
	}
	return a
}

func lists(n int) int {
	w := []int{3, 1, 4, 1, 5}
	r := 0
	for i, x := range w {
		r += x * (n + i)
	}
	arr := [3]int{n, n + 1, n + 2}
	arr[1] = 9
	return r + arr[0]*arr[1] + len(w)
}

func infinite(n int) int {
	i := 0
	for {
		i++
		if i*i > n {
			break
		}
		if i == 1000 {
			break
		}
	}
	return i
}

func shadow(n int) int {
	x := 1
	for x := 0; x < n; x++ {
		x := x * 2
		if x > 10 {
			n--
		}
	}
	if x := n; x > 3 {
		x++
		return x
	}
	return x
}

func multi(n int) (int, int) {
	if n%2 == 0 {
		return n, 1
	}
	return 2, n
}

func usesMulti(n int) int {
	a, b := multi(n)
	c, _ := multi(b + n)
	return a*b - c
}

func named(n int) (r int) {
	for i := range n {
		r += i
	}
	if r > 50 {
		r = 50
	}
	return
}

func deadAfterLoop(n int) int {
	found := -1
	for i := range n {
		if i*i == 49 {
			found = i
			break
		}
	}
	return found
}

func apply(f func(int) int, n int) int { return f(f(n)) }

func higher(n int) int {
	k := 3
	return apply(func(x int) int { return x*k + 1 }, n)
}

var all = map[string]func(int) int{}

func init() {
	all["collatz"] = collatz
}

func call(f func(int) int, out tile.Out[tile.IntTile1[int64, tile.D1]]) {
	out.Store(tile.IntTile1[int64, tile.D1](f(out.Index(0))))
}

func TestSame(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		f    func(int) int
	}{{"collatz", collatz}, {"gcd", gcd}, {"sw", sw}, {"sw2", sw2}, {"structs", structs}, {"closures", closures}, {"nested", nested}, {"bits", bits}, {"wrap", wrap}, {"down", down}, {"divs", divs}, {"early", early}, {"bools", bools}, {"floats", floats}, {"fib", fib}, {"lists", lists}, {"infinite", infinite}, {"shadow", shadow}, {"usesMulti", usesMulti}, {"named", named}, {"deadAfterLoop", deadAfterLoop}, {"higher", higher}} {
		t.Run(c.name, func(t *testing.T) {
			const n = 64
			out, err := cutile.NewTensor[int64](dev, n)
			if err != nil {
				t.Fatal(err)
			}
			if err := cutile.Launch(t.Context(), dev, call, c.f, out); err != nil {
				t.Fatal(err)
			}
			got, err := out.Slice()
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range got {
				if c.name == "collatz" && i == 0 || c.name == "bools" && i == 0 {
					continue
				}
				if want := int64(c.f(i)); g != want {
					t.Errorf("%s(%d) = %d, want %d", c.name, i, g, want)
					break
				}
			}
		})
	}
}
