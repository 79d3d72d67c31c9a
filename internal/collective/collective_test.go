package collective

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/internal/driver/mpi"
)

// together runs a function in a goroutine for each rank.
func together(t *testing.T, ranks int, most, block int, checks bool, do func(c *Runner, rank int) error) {
	t.Helper()
	h := newHub(ranks, most)
	var all sync.WaitGroup
	for rank := range ranks {
		all.Go(func() {
			c := New(wire{h, rank}, checks)
			c.most, c.block = most, block
			if err := do(c, rank); err != nil {
				t.Errorf("rank %d of %d: %v", rank, ranks, err)
				h.fail()
			}
		})
	}
	all.Wait()
}

// element is what element i of a rank's array holds.
func element(rank, i int) int32 { return int32(rank*1000 + i + 1) }

func array(rank, n int) []int32 {
	out := make([]int32, n)
	for i := range out {
		out[i] = element(rank, i)
	}
	return out
}

// TestPieces does collectives whose arrays are longer than a call may be: all counts meet all limits.
func TestPieces(t *testing.T) {
	for _, ranks := range []int{2, 3, 4} {
		for _, most := range []int{4, 5, 8, 64} {
			for _, n := range []int{1, 2, 3, 7, 8, 9, 16, 23} {
				together(t, ranks, most, 12, n%2 == 0 && most == 64, func(c *Runner, rank int) error { return pieces(c, rank, ranks, n) })
			}
		}
	}
}

func pieces(c *Runner, rank, ranks, n int) error {
	one, all := array(rank, n), array(rank, n*ranks)
	part, whole := make([]int32, n), make([]int32, n*ranks)
	sum := func(i int) (x int32) {
		for r := range ranks {
			x += element(r, i)
		}
		return x
	}
	do := func(r *Request, dst, src []int32, want func(i int) int32) error {
		r.Elem = dtype.I32
		var d, s []byte
		if dst != nil {
			d = bytesOf(dst)
		}
		if src != nil {
			s = bytesOf(src)
		}
		if err := c.Do(r, d, s); err != nil {
			return err
		}
		for i, x := range dst {
			if x != want(i) {
				return fmt.Errorf("%v of %d: element %d is %d, want %d", r.Kind, n, i, x, want(i))
			}
		}
		return nil
	}
	before, next := (rank+ranks-1)%ranks, (rank+1)%ranks
	longer := array(rank, n+5*rank)
	last := ranks - 1
	only := func(x []int32) []int32 { // the root's alone
		if rank != last {
			return nil
		}
		return x
	}
	for _, step := range []error{
		do(&Request{Kind: AllReduce}, part, one, sum),
		do(&Request{Kind: ReduceScatter}, part, all, func(i int) int32 { return sum(rank*n + i) }),
		do(&Request{Kind: AllGather}, whole, one, func(i int) int32 { return element(i/n, i%n) }),
		do(&Request{Kind: AllToAll}, whole, all, func(i int) int32 { return element(i/n, rank*n+i%n) }),
		do(&Request{Kind: SendRecv, To: next, From: before}, make([]int32, n+5*before), longer, func(i int) int32 { return element(before, i) }),
		do(&Request{Kind: Send, To: next}, nil, longer, nil),
		do(&Request{Kind: Recv, From: before}, make([]int32, n+5*before), nil, func(i int) int32 { return element(before, i) }),
		do(&Request{Kind: Reduce, Root: last}, only(make([]int32, n)), one, sum),
		do(&Request{Kind: Gather, Root: last}, only(make([]int32, n*ranks)), one, func(i int) int32 { return element(i/n, i%n) }),
		do(&Request{Kind: Scatter, Root: last}, part, only(all), func(i int) int32 { return element(last, rank*n+i) }),
		do(&Request{Kind: Broadcast, Root: last}, one, nil, func(i int) int32 { return element(last, i) }),
		do(&Request{Kind: Barrier}, nil, nil, nil),
	} {
		if step != nil {
			return step
		}
	}
	return nil
}

// pairs sums numbers from-to as [Tree] says: the first part has as many as the greatest power of two below their number.
func pairs(from, to int, number func(i int) float32) float32 {
	if to-from == 1 {
		return number(from)
	}
	first := 1
	for 2*first < to-from {
		first *= 2
	}
	return pairs(from, from+first, number) + pairs(from+first, to, number)
}

// TestBlocks reduces here, in parts of all lengths, and in place: bit for bit in the order of ranks.
func TestBlocks(t *testing.T) {
	number := func(rank, i int) float32 { return float32(math.Sin(float64(rank*31+i))) * float32(int(1)<<(rank*7%20)) }
	for _, ranks := range []int{2, 3, 4, 5, 7} {
		for _, block := range []int{4, 8, 1 << 20} {
			for _, n := range []int{1, 2, 7, 8, 25, 1025} {
				together(t, ranks, 1<<30, block, false, func(c *Runner, rank int) error {
					src, want := make([]float32, n*ranks), make([]float32, n*ranks)
					for i := range src {
						src[i] = number(rank, i)
						want[i] = number(0, i)
						for r := 1; r < ranks; r++ {
							want[i] += number(r, i)
						}
					}
					dst := make([]float32, n)
					r := &Request{Kind: ReduceScatter, Elem: dtype.F32, Order: Ranks}
					if err := c.Do(r, bytesOf(dst), bytesOf(src)); err != nil {
						return err
					}
					if !slices.Equal(dst, want[rank*n:(rank+1)*n]) {
						return fmt.Errorf("ReduceScatter of %d: %v, want %v", n, dst, want[rank*n:(rank+1)*n])
					}
					r.Kind = AllReduce
					if err := c.Do(r, bytesOf(src[:n]), bytesOf(src[:n])); err != nil {
						return err
					}
					if !slices.Equal(src[:n], want[:n]) {
						return fmt.Errorf("AllReduce of %d: %v, want %v", n, src[:n], want[:n])
					}
					r.Kind, r.Root = Reduce, ranks/2
					for i := range src {
						src[i] = number(rank, i)
					}
					to := src[:n]
					if rank != r.Root {
						to = nil
					}
					if err := c.Do(r, bytesOf(to), bytesOf(src[:n])); err != nil {
						return err
					}
					if to != nil && !slices.Equal(to, want[:n]) {
						return fmt.Errorf("Reduce of %d: %v, want %v", n, to, want[:n])
					}
					r.Kind, r.Order = AllReduce, Tree
					for i := range src {
						src[i] = number(rank, i)
					}
					if err := c.Do(r, bytesOf(dst), bytesOf(src[:n])); err != nil {
						return err
					}
					for i := range dst {
						if want := pairs(0, ranks, func(rank int) float32 { return number(rank, i) }); dst[i] != want {
							return fmt.Errorf("AllReduce of %d in a tree: element %d is %v, want %v", n, i, dst[i], want)
						}
					}
					return nil
				})
			}
		}
	}
}

// TestHalves: sums of 16 bits are rounded once, not at each step, where that makes a difference; Max and Min know NaN and zeros' signs.
func TestHalves(t *testing.T) {
	nan, zero := math.NaN(), math.Copysign(0, -1)
	for _, c := range []struct {
		op   mpi.Op
		rows []float64 // of ranks 0, 1, 2
		want float64
	}{
		{mpi.Sum, []float64{2048, 1, 1}, 2050}, // 2049 is no Float16
		{mpi.Sum, []float64{65504, 65504, -65504}, 65504},
		{mpi.Product, []float64{65504, 2, 0.5}, 65504},
		{mpi.Max, []float64{1, nan, 3}, nan},
		{mpi.Min, []float64{nan, 2, 3}, nan},
		{mpi.Max, []float64{zero, 0, zero}, 0},
		{mpi.Min, []float64{0, zero, 0}, zero},
		{mpi.Max, []float64{-3, -2, -5}, -2},
	} {
		together(t, 3, 1<<30, 1<<20, false, func(r *Runner, rank int) error {
			x := []dtype.Float16{dtype.Float16FromFloat64(c.rows[rank])}
			if err := r.Do(&Request{Kind: AllReduce, Op: c.op, Elem: dtype.F16}, bytesOf(x), bytesOf(x)); err != nil {
				return err
			}
			y := []float64{c.rows[rank]}
			if err := r.Do(&Request{Kind: AllReduce, Op: c.op, Elem: dtype.F64, Order: Ranks}, bytesOf(y), bytesOf(y)); err != nil {
				return err
			}
			for _, got := range []float64{x[0].Float64(), y[0]} {
				if math.Float64bits(got) != math.Float64bits(c.want) && !(got != got && c.want != c.want) {
					return fmt.Errorf("reduction %d of %v is %v, want %v", c.op, c.rows, got, c.want)
				}
			}
			return nil
		})
	}
}

// TestAgree: with checks, all ranks learn what the others do, and none begins.
func TestAgree(t *testing.T) {
	f := func() *Request { return &Request{Kind: AllReduce, Op: mpi.Max, Elem: dtype.F32} }
	for _, c := range []struct {
		requests [2]*Request
		lengths  [2]int
		want     string
	}{
		{[2]*Request{f(), f()}, [2]int{4, 5}, "the ranks do not do the same; from rank 0 on: AllReduce with Max of 4 float32; from rank 1 on: AllReduce with Max of 5 float32"},
		{[2]*Request{{Kind: AllReduce, Elem: dtype.F32}, f()}, [2]int{4, 4}, "AllReduce with Sum of 4 float32"},
		{[2]*Request{{Kind: AllReduce, Elem: dtype.I32, Op: mpi.Max}, f()}, [2]int{4, 4}, "from rank 0 on: AllReduce with Max of 4 int32"},
		{[2]*Request{{Kind: AllReduce, Elem: dtype.F32, Op: mpi.Max, Order: Ranks}, f()}, [2]int{4, 4}, "AllReduce with Max in order of 4 float32"},
		{[2]*Request{{Kind: Broadcast, Elem: dtype.F32}, {Kind: Broadcast, Elem: dtype.F32, Root: 1}}, [2]int{0, 0}, "Broadcast from rank 1 of 0 float32"},
		{[2]*Request{{Kind: Gather, Elem: dtype.F32}, {Kind: Gather, Elem: dtype.F32, Root: 1}}, [2]int{4, 4}, "from rank 0 on: Gather to rank 0 of 4 float32; from rank 1 on: Gather to rank 1 of 4 float32"},
		{[2]*Request{{Kind: Reduce, Op: mpi.Max, Elem: dtype.F32}, {Kind: Scatter, Elem: dtype.F32}}, [2]int{4, 4}, "from rank 0 on: Reduce with Max to rank 0 of 4 float32; from rank 1 on: Scatter from rank 0 of 4 float32"},
		{[2]*Request{{Kind: Barrier}, f()}, [2]int{0, 4}, "from rank 0 on: Barrier; from rank 1 on: AllReduce"},
	} {
		together(t, 2, 1<<30, 1<<20, true, func(r *Runner, rank int) error {
			x := make([]float32, c.lengths[rank])
			for i := range x {
				x[i] = float32(rank)
			}
			before := slices.Clone(x)
			err := r.Do(c.requests[rank], bytesOf(x), bytesOf(x))
			if err == nil || !strings.Contains(err.Error(), c.want) {
				return fmt.Errorf("error %v, want %q", err, c.want)
			}
			if !slices.Equal(x, before) {
				return fmt.Errorf("the collective began: %v", x)
			}
			return nil
		})
	}
}

// TestAlone: a single process has nobody to ask.
func TestAlone(t *testing.T) {
	c := New(nil, true)
	for kind := AllReduce; kind <= SendRecv; kind++ {
		if !kind.Reads(true) || !kind.Writes(true) {
			continue
		}
		dst, src := make([]int32, 3), []int32{1, 2, 3}
		if err := c.Do(&Request{Kind: kind, Elem: dtype.I32}, bytesOf(dst), bytesOf(src)); err != nil || !slices.Equal(dst, src) {
			t.Errorf("%v gives %v, %v", kind, dst, err)
		}
	}
	if err := c.Do(&Request{Kind: Barrier}, nil, nil); err != nil {
		t.Error(err)
	}
}

// TestTypes: every element type of tensors can be moved, and what can be reduced says how.
func TestTypes(t *testing.T) {
	for _, e := range []dtype.Type{dtype.Bool, dtype.I8, dtype.U16, dtype.F8E4M3FN, dtype.TF32, dtype.F64} {
		if typ, size := (&Request{Elem: e}).moves(); sizes[typ] != size {
			t.Errorf("%v of %d bytes is moved as %d bytes", e, size, sizes[typ])
		}
	}
	for e, n := range numbers {
		if n.reduce == nil {
			t.Errorf("%v cannot be reduced here", e)
		}
	}
}
