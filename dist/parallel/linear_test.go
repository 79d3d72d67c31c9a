package parallel_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cutile-go/cutile"
	"github.com/cutile-go/cutile/dist/parallel"
	"github.com/cutile-go/cutile/dtype"
	"github.com/cutile-go/cutile/kernels/gemm"
	"github.com/cutile-go/cutile/tile"
)

func init() { cases["linear"] = (*rank).linear }

// product is Σ a·b over an inner axis in float64, and the same sum of magnitudes: a is [m, k] or with turned [k, m], b [k, n].
func product(a, b array, turned bool) (sum, bound array) {
	m, k, n := a.shape[0], a.shape[1], b.shape[1]
	at := func(i, j int) float64 { return a.data[i*k+j] }
	if turned {
		m, k = k, m
		at = func(i, j int) float64 { return a.data[j*m+i] }
	}
	sum, bound = array{[]int{m, n}, make([]float64, m*n)}, array{[]int{m, n}, make([]float64, m*n)}
	for i := range m {
		for j := range k {
			for l := range n {
				x := at(i, j) * b.data[j*n+l]
				sum.data[i*n+l] += x
				bound.data[i*n+l] += math.Abs(x)
			}
		}
	}
	return sum, bound
}

// turn transposes a matrix.
func turn(a array) array {
	m, n := a.shape[0], a.shape[1]
	b := array{[]int{n, m}, make([]float64, m*n)}
	for i := range m {
		for j := range n {
			b.data[j*m+i] = a.data[i*n+j]
		}
	}
	return b
}

// behind applies bias and SiLU to a product; the slope of SiLU is at most 1.1.
func behind(y, bound array, bias []float64, silu bool) (array, array) {
	y.data, bound.data = append([]float64(nil), y.data...), append([]float64(nil), bound.data...)
	for i := range y.data {
		if bias != nil {
			y.data[i] += bias[i%len(bias)]
			bound.data[i] = 1.1 * (bound.data[i] + math.Abs(bias[i%len(bias)]))
		}
		if silu {
			y.data[i] /= 1 + math.Exp(-y.data[i])
			bound.data[i] *= 1.1
		}
	}
	return y, bound
}

func ones(n int) array {
	a := array{shape: []int{1, n}, data: make([]float64, n)}
	for i := range a.data {
		a.data[i] = 1
	}
	return a
}

// problem is a layer of the test, as all processes together have it, and the reference.
type problem struct {
	x, w, bias, dy array
	z, zBound      array // x·wᵀ
	dx, dxBound    array
	dw, dwBound    array
	db, dbBound    array
}

func newProblem[E gemm.Float](tokens, in, out int) *problem {
	r := rand.New(rand.NewPCG(uint64(in), uint64(out)))
	p := &problem{x: normal[E](r, tokens, in), w: normal[E](r, out, in), bias: normal[float32](r, out), dy: normal[E](r, tokens, out)}
	p.z, p.zBound = product(p.x, turn(p.w), false)
	p.dx, p.dxBound = product(p.dy, p.w, false)
	p.dw, p.dwBound = product(p.dy, p.x, true)
	p.db, p.dbBound = product(ones(tokens), p.dy, false)
	p.db.shape, p.dbBound.shape = []int{out}, []int{out}
	return p
}

// division is what a process has of a layer: for each tensor the axis along which it has a part, or -1 for all of it.
type division struct {
	name          string
	x, w, bias, y int
}

var divisions = []division{
	{name: "columns", x: -1, w: 0, bias: 0, y: 1},
	{name: "columns, gathered", x: -1, w: 0, bias: 0, y: -1},
	{name: "columns of parts of tokens", x: 0, w: 0, bias: 0, y: 1},
	{name: "columns of parts of tokens, gathered", x: 0, w: 0, bias: 0, y: -1},
	{name: "rows", x: 1, w: 1, bias: -1, y: -1},
	{name: "rows to parts of tokens", x: 1, w: 1, bias: -1, y: 0},
}

// own is what the process has of an array.
func (r *rank) own(a array, axis int) array {
	if axis < 0 {
		return a
	}
	return a.part(axis, r.g.Rank(), r.g.Size())
}

// linear compares both kinds of layers in every division of their tensors with the plain product, for several types.
func (r *rank) linear() error {
	err := errors.Join(divided[float32, float32](r, 3e-6), divided[dtype.Float16, dtype.Float16](r, 2e-3))
	if r.g.Size() > 2 { // each type has kernels to compile
		return err
	}
	return errors.Join(err, divided[dtype.Float16, float32](r, 3e-6), divided[dtype.BFloat16, dtype.BFloat16](r, 1.6e-2),
		divided[dtype.Float8E5M2, float32](r, 3e-6), divided[dtype.Float8E4M3FN, dtype.BFloat16](r, 1.6e-2))
}

func divided[E gemm.Float, C parallel.Float](r *rank, tolerance float64) error {
	size := r.g.Size()
	for _, n := range [][3]int{{5 * size, 7 * size, 3 * size}, {33 * size, 41 * size, 65 * size}, {size, size, size}} {
		p := newProblem[E](n[0], n[1], n[2])
		for _, d := range divisions {
			if err := errors.Join(forward[E, C](r, p, d, tolerance), backward[E, C](r, p, d, tolerance)); err != nil {
				return fmt.Errorf("%v to %v, %v, %s: %w", dtype.Of[E](), dtype.Of[C](), n, d.name, err)
			}
		}
	}
	return nil
}

// forward computes with and without a bias and an activation.
func forward[E gemm.Float, C parallel.Float](r *rank, p *problem, d division, tolerance float64) error {
	var a all
	x, w := keepTensor[E](&a, r, r.own(p.x, d.x)), keepTensor[E](&a, r, r.own(p.w, d.w))
	bias := keepTensor[float32](&a, r, r.own(p.bias, d.bias))
	if a.err != nil {
		return a.err
	}
	run := parallel.ColumnLinear[E, float32, C]
	if d.w == 1 {
		run = parallel.RowLinear[E, float32, C]
	}
	for _, biased := range []bool{false, true} {
		for _, silu := range []bool{false, true} {
			var b *cutile.Tensor[float32]
			var numbers []float64
			if biased {
				b, numbers = bias, p.bias.data
			}
			var f parallel.Activation
			if silu {
				f = gemm.SiLU[tile.F32T2[tile.D1, tile.D1]]
			}
			want, bound := behind(p.z, p.zBound, numbers, silu)
			want, bound = r.own(want, d.y), r.own(bound, d.y)
			y, err := fresh[C](r, want)
			if err != nil {
				return err
			}
			if err := run(r, r.g, x, w, b, y, f); err != nil {
				return err
			}
			if err := near(fmt.Sprintf("y, bias %v, SiLU %v", biased, silu), y, want, bound, tolerance); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepTensor makes the tensor of an array.
func keepTensor[E dtype.Float](a *all, r *rank, of array) *cutile.Tensor[E] {
	t, err := tensor[E](r, of)
	return keep(a, t, err)
}

func backward[E gemm.Float, C parallel.Float](r *rank, p *problem, d division, tolerance float64) error {
	var a all
	x, w, dy := keepTensor[E](&a, r, r.own(p.x, d.x)), keepTensor[E](&a, r, r.own(p.w, d.w)), keepTensor[E](&a, r, r.own(p.dy, d.y))
	empty := func(of array) *cutile.Tensor[C] { t, err := fresh[C](r, of); return keep(&a, t, err) }
	dx, dw, db := r.own(p.dx, d.x), r.own(p.dw, d.w), r.own(p.db, d.bias)
	to := parallel.LinearGradients[C]{X: empty(dx), W: empty(dw), Bias: empty(db)}
	if a.err != nil {
		return a.err
	}
	run := parallel.ColumnLinearBackward[E, C]
	if d.w == 1 {
		run = parallel.RowLinearBackward[E, C]
	}
	if err := run(r, r.g, x, w, dy, to); err != nil {
		return err
	}
	return errors.Join(near("dx", to.X, dx, r.own(p.dxBound, d.x), tolerance), near("dw", to.W, dw, r.own(p.dwBound, d.w), tolerance),
		near("db", to.Bias, db, r.own(p.dbBound, d.bias), tolerance), run(r, r.g, x, w, dy, parallel.LinearGradients[C]{}))
}

// TestLinearAlone: in one process layers are whole.
func TestLinearAlone(t *testing.T) {
	if err := alone(t).linear(); err != nil {
		t.Error(err)
	}
}
