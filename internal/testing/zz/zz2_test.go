package zz

import (
	"math"
	"strings"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

type color int

const (
	red color = iota
	green
	blue
)

func (c color) next() color { return (c + 1) % 3 }

type base struct{ v int }

func (b base) twice() int { return b.v * 2 }

type derived struct {
	base
	w int
}

func enums(n int) int {
	c := color(n % 3)
	switch c.next() {
	case red:
		return 10
	case green:
		return 20
	case blue:
		return 30
	}
	return 0
}
func embedded(n int) int {
	d := derived{base{n}, 3}
	d.v += d.w
	return d.twice()
}
func variadic(xs ...int) int {
	s := 0
	for _, x := range xs {
		s += x
	}
	return s
}
func usesVariadic(n int) int { return variadic(n, 2, n*n) + variadic() + variadic([]int{n, n}...) }
func minmax(n int) int       { return min(n, 7, 100-n) + max(n, 3)*max(1, 2, n%5) }
func shifts(n int) int {
	x := int32(-5) >> uint(n)
	y := int32(7) << n
	z := uint8(200) >> (n % 12)
	w := uint64(1) << n
	return int(x) + int(y) + int(z) + int(w>>1)
}
func minint(n int) int {
	x := int32(math.MinInt32) + int32(n/64)
	return int(x/-1) + int(x%-1) + int(-x)
}
func unsigned(n int) int {
	x := uint64(n) - 10
	y := uint32(n) - 10
	r := 0
	if x > 100 {
		r++
	}
	if y > 100 {
		r += 2
	}
	return r + int(x%7)*10 + int(y/3)
}
func f32(n int) int {
	x := float32(n) * 0.1
	y := x*x + 0.3; _ = y
	return int(float64(float32(16777217 + n)))
}
func intf(n int) int {
	x := 1<<53 + 1 + n
	return int(float64(x)) - 1<<53 + int(float32(x)) - 1<<53
}
func consts(n int) int {
	const big = 1 << 100
	const k = big >> 98
	const f = 0.1 + 0.2
	return n*k + int(f*10) + len("hello") + 'a'
}
func arrays(n int) int {
	var a [4]int
	for i := range a {
		a[i] = n + i
	}
	b := a
	b[0] = 100
	m := [2][2]int{{1, n}, {n, 1}}
	return a[0] + b[0] + m[0][1]*m[1][0] + len(m)
}
func cmpStruct(n int) int {
	if (pair{n, 1}) == (pair{4, 1}) {
		return 1
	}
	return 0
}
func nan(n int) int {
	z := float64(n) - float64(n)
	x := z / z
	r := 0
	if x != x {
		r |= 1
	}
	if x < 1 {
		r |= 2
	}
	if !(x >= 1) {
		r |= 4
	}
	return r
}
func ptrs(n int) int {
	p := &n
	*p += 2
	return n
}
func labels(n int) int {
	r := 0
outer:
	for i := range n {
		for j := range n {
			if i*j > 20 {
				break outer
			}
			if j > i {
				continue outer
			}
			r++
		}
	}
	return r
}
func returnsInLoop(n int) int {
	for i := range n {
		if i*i > 10 {
			return i
		}
	}
	return -1
}
func recursion(n int) int {
	if n < 2 {
		return n
	}
	return recursion(n-1) + recursion(n-2)
}
func defers(n int) (r int) {
	defer func() { r++ }()
	return n
}
func maps(n int) int   { m := map[int]int{1: 2}; return m[n] }
func strs(n int) int   { s := "abc"; return int(s[n%3]) }
func appends(n int) int { x := []int{1}; x = append(x, n); return len(x) + x[1] }
func slices(n int) int { x := []int{1, 2, n}; y := x[1:]; return y[1] }
func dynIndex(n int) int {
	x := [4]int{1, 2, 3, 4}
	return x[n%4]
}
func panics(n int) int {
	if n > 100 {
		panic("no")
	}
	return n
}
func gotos(n int) int {
	if n > 3 {
		goto end
	}
	n++
end:
	return n
}
func fall(n int) int {
	r := 0
	switch n {
	case 1:
		r++
		fallthrough
	case 2:
		r += 2
	}
	return r
}
func swBreak(n int) int {
	r := 0
	for i := range n {
		switch {
		case i == 3:
			break
		default:
			r++
		}
	}
	return r
}
func rangeFunc(n int) int {
	r := 0
	for i := range func(yield func(int) bool) {
		for k := range 3 {
			if !yield(k * n) {
				return
			}
		}
	} {
		r += i
	}
	return r
}
func chans(n int) int { c := make(chan int, 1); c <- n; return <-c }
func iface(n int) int {
	var x any = n
	return x.(int)
}
func complexs(n int) int { c := complex(float64(n), 1); return int(real(c * c)) }
func generic[T int | int32](x T) T { return x*x + 1 }
func usesGeneric(n int) int       { return generic(n) + int(generic(int32(n))) }
func methodValue(n int) int       { f := pair{n, 2}.sum; return f() }
func methodExpr(n int) int        { return pair.sum(pair{n, 3}) }
func compound(n int) int {
	n += 3
	n <<= 2
	n |= 1
	n &^= 4
	n %= 37
	n ^= 0x55
	return n
}
func whileTwice(n int) int {
	i, j := 0, n
	for i < j {
		i++
		j--
		for k := i; k < j && k < 5; k++ {
			j -= k
		}
	}
	return i*100 + j
}
func closureState(n int) int {
	count := func() func() int {
		c := n
		return func() int { c++; return c }
	}()
	return count() + count()*10
}
func unusedLoop(n int) int {
	for i := 10; i < n; i += 1 + n%3 {
		n--
	}
	return n
}
func typeParamConv(n int) int { return int(uint8(n*7)) + int(int8(n*5)) + int(uint16(-n)) + int(int16(n<<12)) }

var host = 3

func hostVar(n int) int { return n + host }

func TestSame2(t *testing.T) {
	dev, err := cutile.Open("cpu")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		f    func(int) int
	}{{"enums", enums}, {"embedded", embedded}, {"usesVariadic", usesVariadic}, {"minmax", minmax}, {"shifts", shifts}, {"minint", minint},
		{"unsigned", unsigned}, {"intf", intf}, {"consts", consts}, {"arrays", arrays}, {"cmpStruct", cmpStruct}, {"nan", nan}, {"ptrs", ptrs},
		{"labels", labels}, {"returnsInLoop", returnsInLoop}, {"recursion", recursion}, {"defers", defers}, {"maps", maps}, {"strs", strs}, {"appends", appends},
		{"slices", slices}, {"dynIndex", dynIndex}, {"panics", panics}, {"gotos", gotos}, {"fall", fall}, {"swBreak", swBreak}, {"rangeFunc", rangeFunc},
		{"chans", chans}, {"iface", iface}, {"complexs", complexs}, {"usesGeneric", usesGeneric}, {"methodValue", methodValue}, {"methodExpr", methodExpr},
		{"compound", compound}, {"whileTwice", whileTwice}, {"closureState", closureState}, {"unusedLoop", unusedLoop}, {"typeParamConv", typeParamConv}, {"hostVar", hostVar}} {
		t.Run(c.name, func(t *testing.T) {
			const n = 70
			out, err := cutile.NewTensor[int64](dev, n)
			if err != nil {
				t.Fatal(err)
			}
			if err := cutile.Launch(t.Context(), dev, call, c.f, out); err != nil {
				t.Log(strings.ReplaceAll(err.Error(), "/work/main/internal/testing/zz/", ""))
				return
			}
			got, err := out.Slice()
			if err != nil {
				t.Error(err)
				return
			}
			for i, g := range got {
				if c.name == "dynIndex" || c.name == "recursion" && i > 25 {
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

var _ = tile.Iota[tile.D1]
