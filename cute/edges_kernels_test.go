package cute_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/cutile-go/cutile/cute"
)

// Nil values with types, and methods on nil pointers.

type adds interface{ add(n int32) int32 }

type counted32 struct{ n int32 }

func (c *counted32) add(n int32) int32 {
	if c == nil {
		return -n
	}
	return c.n + n
}

func (c *counted32) isNil() bool { return c == nil }

type holdsCounted struct{ *counted32 }

func typedNil(n int32) (int32, int32, int32, int32, bool, error) {
	var p *counted32
	var a adds = p
	kind := int32(0)
	switch a.(type) {
	case nil:
		kind = 1
	case *counted32:
		kind = 2
	}
	seen := int32(0)
	if a != nil {
		seen = n
	}
	var h holdsCounted
	return seen, kind, a.add(n), h.add(n), h.isNil() && any([]int32(nil)) != nil, nil
}

func nilField(n int32) (int32, error) {
	var h holdsCounted
	return h.n + n, nil
}

// A type parameter that nothing tells.

func untold[T ~int8 | ~int16](x int32) (int32, error) { return int32(T(x)), nil }

func callsUntold(f func(int32) (int32, error), x int32) (int32, error) { return f(x) }

// What the calling program would not see.

func setsPointer(n *int) error { *n = 7; return nil }

func setsSlice(v []int) error { v[0] = 7; return nil }

func (s *counted32) setsReceiver() error { s.n++; return nil }

func copiesFirst(v []int, n *int) (int, error) {
	w := append([]int(nil), v...)
	m := *n
	w[0], m = 7, m+1
	return w[0] + m + v[0], nil
}

// Sizes beyond 32 bits.

func ceilDivOf(a, b int) (int, error) { return cute.CeilDiv(a, b), nil }

func sizeOf(a, b int) (int, int, error) {
	l := cute.MakeLayout(cute.S(2, 2), cute.S(a, b))
	return cute.MakeLayout(cute.S(a, b)).Size(), l.At(1, 1), nil
}

func farKernel(x, p cute.Tensor[int64], i int) (_ cute.Kernel) {
	p.Set(x.At(i, 0), 0)
	return
}

func readsFar(x, p cute.Tensor[int64], i int) error {
	farKernel(x, p, i).Launch(cute.Launch{})
	return nil
}

func ceilDivKernel(x cute.Tensor[int64], a, b int) (_ cute.Kernel) {
	x.Set(int64(cute.CeilDiv(a, b)), 0)
	return
}

func ceilDivIn(x cute.Tensor[int64], a, b int) error {
	ceilDivKernel(x, a, b).Launch(cute.Launch{})
	return nil
}

// Grids.

func gridKernel(x cute.Tensor[int32]) (_ cute.Kernel) {
	cute.AtomicAdd(x, 1, 0)
	return
}

func onGrid(x cute.Tensor[int32], a, b, c int) error {
	gridKernel(x).Launch(cute.Launch{Grid: cute.D3(a, b, c)})
	return nil
}

func endlessly(n int) error {
	countsKernel(n).Launch(cute.Launch{})
	return nil
}

func endlesslyIn(x cute.Constexpr[int]) error {
	switch x.V {
	case 1:
		return nil
	default:
		panic("it must be 1")
	}
}

func countsKernel(n int) (_ cute.Kernel) {
	s := 0
	for i := range n {
		s += i
	}
	cute.Printf("%d\n", s)
	return
}

// Static numbers.

func kindOf(x cute.Constexpr[any]) (int, error) {
	switch x.V.(type) {
	case int:
		return 1, nil
	case string:
		return 2, nil
	}
	return 0, nil
}

func inverseOf(z cute.Constexpr[float64]) (float64, error) { return 1 / z.V, nil }

// Fields that compiled code cannot look into.

type withForeign struct {
	when time.Time
	lock *sync.Mutex
	wait time.Duration
	n    int
}

func besideForeign(c withForeign) (int, error) { return c.n, nil }

// Printing.

func printsParts() error {
	fmt.Println([]float32{1.5, 0.1}, [2]float64{0.1, 1e30}, struct {
		X float32
		N int
	}{0.25, 3}, []any{float32(0.1), 2})
	return nil
}

// What only kernels have.

func asksThread(n int) (int, error) { return n + cute.ThreadIdx().X, nil }

func waitsForThreads(n int) (int, error) { cute.SyncThreads(); return n, nil }
