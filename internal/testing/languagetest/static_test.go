package languagetest_test

import (
	"math"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/tile"
)

// A loop over constants is unrolled where its variable must be known.
func TestStaticLoops(t *testing.T) {
	try(t, []feature{
		{"index of an array", func(n int) int {
			a, sum := [4]int{1, n, 3, 4}, 0
			for i := range 4 {
				sum = sum*7 + a[i]
			}
			return sum
		}},
		{"three clauses", func(n int) int {
			a, sum := [8]int{1, n, 3, 4, 5, 6, 7, 8}, 0
			for i := 7; i > 0; i /= 2 {
				sum += a[i] * i
			}
			for i, j := 0, 4; i < j; i, j = i+1, j-1 {
				a[i], a[j] = a[j], a[i]+1
			}
			return sum*100 + a[0] + a[3]*10
		}},
		{"nested", func(n int) int {
			var m [6]int
			for i := range 2 {
				for j := range 3 {
					m[i*3+j] = n*i - j
				}
			}
			sum := 0
			for _, v := range m {
				sum = sum*3 + v
			}
			return sum
		}},
		{"around a loop that is not", func(n int) int {
			var m [3]int
			for i := range 3 {
				for j := range n {
					m[i] += i * j
				}
			}
			return m[0] + m[1]*100 + m[2]*10000
		}},
		{"with break, continue and return", func(n int) int {
			a, sum := [5]int{3, 7, 5, n, 11}, 0
			for i := range 5 {
				if a[i] > n {
					continue
				}
				if i == 4 && n > 15 {
					break
				}
				if a[i]*2 == n {
					return -i
				}
				sum += a[i]
			}
			return sum
		}},
		{"closures that keep the variable", func(n int) int {
			var fs [3]func() int
			for i := 0; i < 3; i++ {
				fs[i] = func() int { i += n; return i }
			}
			return fs[0]() + fs[1]()*10 + fs[0]()*100 + fs[2]()*10000
		}},
		{"slices of functions", func(n int) int {
			var fs []func() int
			for i := range 3 {
				fs = append(fs, func() int { return i * n })
			}
			sum := 0
			for i := range fs {
				sum = sum*10 + fs[i]()
			}
			return sum
		}},
		{"pointers that move", func(n int) int {
			a := [4]int{n, 2, 3, 4}
			p := &a[0]
			for i := 1; i < 4; i++ {
				*p += i
				p = &a[i]
			}
			return a[0] + a[1]*10 + a[2]*100 + *p*1000
		}},
		{"length of a nil array", func(n int) int {
			var p *[3]int
			for i := range p {
				n += i
			}
			return n
		}},
		{"constants that a loop computes", func(n int) int {
			size, at := 1, [16]int{8: n, 4: 2}
			for i := range 3 {
				size *= 2
				n += at[size] + i
			}
			return n
		}},
	})
}

func TestStaticLoopLimit(t *testing.T) {
	refused(t, func(n int) int {
		var a [300]int
		for i := range 300 {
			a[i] = n
		}
		return a[7]
	}, "this loop must be unrolled, as something in it must be known when the kernel is compiled, but it has more than 256 turns (static_test.go:118: the index must be known when the kernel is compiled): change that, or raise Limits.Turns")
	refused(t, func(n int) int {
		a := [3]int{n}
		for i := range n {
			a[i]++
		}
		return a[0]
	}, "the index must be known when the kernel is compiled")
	refused(t, func(n int) int {
		a := [3]int{n}
		for range 3 {
			a[n]++
		}
		return a[0]
	}, "the index must be known when the kernel is compiled")
}

// axes asks for every extent in a loop.
func axes(x tile.In[tile.F32T3[tile.D2, tile.D4, tile.D8]], out tile.Out[one]) {
	n := 1
	for axis := range 3 {
		n = n*100 + x.Len(axis) + x.Tiles(axis)
	}
	out.Store(one(n))
}

func TestAxes(t *testing.T) {
	dev := open(t)
	out := zeros[int64](t, dev, 1)
	if err := cutile.Launch(t.Context(), dev, axes, zeros[float32](t, dev, 3, 5, 9), out); err != nil {
		t.Fatal(err)
	}
	if got := values(t, out)[0]; got != 1050711 {
		t.Errorf("got %d, want 1050711", got)
	}
}

// Constant conditions choose when the kernel is compiled: the other side is not lowered.
func TestStaticIf(t *testing.T) {
	try(t, []feature{
		{"constant condition", func(n int) int {
			const fast = true
			size := 4
			if fast {
				size = 2
			} else {
				size = [1]int{}[size] // not lowered
			}
			if !fast || size > 3 {
				var a [2]int
				return a[size]
			}
			return [3]int{1, 2, n}[size]
		}},
		{"short circuit", func(n int) int {
			a, i := [2]int{n, 1}, 5
			if i < 2 && a[i] > 0 || i >= 2 {
				return n + 1
			}
			return 0
		}},
	})
}

func TestMathOfConstants(t *testing.T) {
	dev := open(t)
	out := zeros[float64](t, dev, 16)
	if err := cutile.Launch(t.Context(), dev, constants, out); err != nil {
		t.Fatal(err)
	}
	x := 2.0
	want := []float64{math.Sqrt(x), math.Pi, math.MaxFloat32, math.Pow(x, 0.5), math.Log2E * x, math.Inf(-1), math.Sin(1), math.Exp(-x),
		math.Floor(-x / 3), math.Copysign(0, -1), math.FMA(x, x, 1), math.SmallestNonzeroFloat64, 1, math.Max(math.Inf(1), x), math.Hypot(3, 4), 7}
	for i, got := range values(t, out) {
		if math.Float64bits(got) != math.Float64bits(want[i]) {
			t.Errorf("%d: got %v, want %v", i, got, want[i])
		}
	}
}

func constants(out tile.Out[tile.F64T1[tile.D16]]) {
	x := 2.0
	all := []float64{math.Sqrt(x), math.Pi, math.MaxFloat32, math.Pow(x, 0.5), math.Log2E * x, math.Inf(-1), math.Sin(1), math.Exp(-x),
		math.Floor(-x / 3), math.Copysign(0, -1), math.FMA(x, x, 1), math.SmallestNonzeroFloat64, 0, math.Max(math.Inf(1), x), math.Hypot(3, 4), 0}
	if math.IsNaN(math.NaN()) && math.IsInf(math.Inf(1), 0) {
		all[12] = 1
	}
	for i := range all {
		if i > 14 {
			all[i] = 7
		}
	}
	var v tile.F64T1[tile.D16]
	for i, k := range all {
		v = tile.Where(tile.Iota[tile.D16]() == tile.I32T1[tile.D16](i), tile.F64T1[tile.D16](k), v)
	}
	out.Store(v)
}

// size is the user's own overload by type: a type switch on a type parameter is decided when the kernel is compiled.
func size[T any](x T) int {
	switch v := any(x).(type) {
	case tile.I64T1[tile.D8]:
		return 8 + len([]tile.I64T1[tile.D8]{v})
	case tile.I64, tile.F32:
		return 1
	case int:
		return v * 2
	case interface{ sum() int }:
		return v.sum()
	default:
		return -1
	}
}

// twice works by element, and gives its own type back.
func twice[T tile.NumTile](x T) T {
	switch v := any(x).(type) {
	case vec8:
		return any(v + v).(T)
	case tile.F32T1[tile.D8]:
		return any(v * 2).(T)
	}
	tile.Assert(false, "not reached")
	return x
}

// kindOf looks at a type of which there is no value.
func kindOf[E any]() int {
	switch any(*new(E)).(type) {
	case float32, float64:
		return 1
	case int8, int16:
		return 2
	case tile.Out[vec8]:
		return 3
	}
	if _, ok := any(*new(E)).(uint8); ok {
		return 4
	}
	return 5
}

func TestTypeSwitch(t *testing.T) {
	try(t, []feature{
		{"by value", func(n int) int {
			return size(n) + size(vec8(n))*100 + size(counter{n: n}) + size(2.5)*10000 + size(tile.F32(1))
		}},
		{"by type", func(n int) int {
			return n + kindOf[float32]() + 10*kindOf[int16]() + 100*kindOf[tile.Out[vec8]]() + 1000*kindOf[uint8]() + 10000*kindOf[bool]()
		}},
		{"two-valued assertion", func(n int) int {
			v, ok := any(n).(int)
			_, no := any(n).(bool)
			if ok && !no {
				return v
			}
			return 0
		}},
	})
	tryTiles(t, []tileFeature{{"overload", func(x vec8, n int) vec8 { return twice(x) + vec8(n) }}})
}
